import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bodyOf, connect, provision } from './from-outside.ts'
import { openPostgres, startNode } from './nodes-on-postgres.ts'

const wanted = 500
/** A node counts as gone after ten seconds, its leases lapse ten seconds later, and the next attempt waits its turn. */
const adoptedWithinMs = 60_000

describe('Faults of many nodes on one PostgreSQL', () => {
  test('kill -9 of one of two nodes under load: each webhook accepted at either is delivered, and nothing else is', async (t) => {
    const postgres = await openPostgres(t)
    const one = await startNode(t, postgres.url())
    const other = await startNode(t, postgres.url())
    const key = await provision(one.env)

    // The runtime at the node that is killed holds what it has been given.
    const atOne = await connect(t, one.env, key, { credit: 64, instance: 'at-one' })
    const atOther = await connect(t, other.env, key, { credit: 64, instance: 'at-other' })
    const sent = new Set<string>()
    const accepted = new Set<string>()
    const delivered = new Set<string>()
    void (async () => {
      for (;;) {
        const event = await atOther.next('dispatch')
        delivered.add(bodyOf(event))
        atOther.send({ type: 'ack', deliveries: [event.delivery] })
      }
    })()
    let killed = false
    const send = async (first: string, then: string, sender: number) => {
      for (let n = 0; accepted.size < wanted; n += 1) {
        const body = `${sender}-${n}`
        sent.add(body)
        const url = killed ? then : first
        const answer = await fetch(`${url}/greeter/hooks`, { method: 'POST', body }).catch(() => undefined)
        if (answer === undefined) assert.ok(killed && url === one.env.API_URL, 'only the killed node cuts senders off')
        else assert.equal(answer.status, 202, await answer.text())
        if (answer !== undefined) accepted.add(body)
        if (accepted.size < wanted / 2 || killed) continue
        killed = true
        one.process.signal('SIGKILL')
      }
    }
    const [apiOne = '', apiOther = ''] = [one.env.API_URL, other.env.API_URL]
    await Promise.all(
      Array.from({ length: 8 }, (_, sender) => send(sender % 2 === 0 ? apiOne : apiOther, apiOther, sender)),
    )
    assert.equal(await one.process.exited, 'SIGKILL')
    const held = await atOne.next('dispatch')

    const missing = () => [...accepted].filter((body) => !delivered.has(body))
    for (const untilMs = Date.now() + adoptedWithinMs; missing().length > 0 && Date.now() < untilMs; ) await wait(50)
    assert.deepEqual(missing(), [])
    assert.ok(delivered.has(bodyOf(held)), 'what the dead node had handed out was handed out again')
    for (const body of delivered) assert.ok(sent.has(body), `${body} was never sent`)
  })
})

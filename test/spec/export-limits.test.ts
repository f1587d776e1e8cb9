import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BotId, FlowId } from '../../src/domain/ids-and-secrets.ts'
import { exported } from '../support/audit.ts'
import { withQueue } from '../support/bot-deliveries.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { Browser } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { openOwnWorld } from '../support/world.ts'

/** Runs `work` for the numbers below `count`, a few at a time: a write on PostgreSQL waits for others only for seconds. */
async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - done) }, (_, n) => work(done + n)))
  }
}

/** Returns the same user's browser with another language. */
function reading(browser: Browser, language: string): Browser {
  return new Browser(browser.cookies(), { 'accept-language': language })
}

describe('an export that ends at its limit says so in its last line', () => {
  test('the export of deliveries ends after 10,000, names where it continues, and continues there', async (t) => {
    useOwnWorld(t)
    const { world, ada, at } = await withQueue(t)
    const { queue } = world.service
    await times(10_002, (n) =>
      queue.accept({
        botId: 'bot-1' as BotId,
        flowId: 'orders' as FlowId,
        path: 'orders',
        ordered: false,
        clientIp: '192.0.2.1',
        headers: { contentType: undefined, userAgent: undefined, forwardedFor: undefined, requestId: undefined },
        body: Buffer.from(String(n)),
        acceptedAtMs: world.clock.nowMs(),
      }),
    )
    const file = async (path: string, language = 'en') =>
      (await reading(ada, language).get(at(`/bots/bot-1/deliveries/export.${path}`))).text
    const lines = (await file('ndjson')).trimEnd().split('\n')
    assert.equal(lines.length, 10_001)
    const before = JSON.parse(lines[9_999] ?? '').id
    assert.deepEqual(JSON.parse(lines[10_000] ?? ''), { truncated: true, limit: 10_000, before })
    const notes = {
      en: `The export ends here, at its limit of 10,000 webhooks. For older ones, add before=${before} to the address of the export.`,
      de: `Der Export endet hier, bei der Grenze von 10.000 Webhooks. Für ältere ergänzen Sie die Adresse des Exports um before=${before}.`,
    }
    for (const [language, note] of Object.entries(notes)) {
      const [last = '', end] = (await file('csv', language)).split('\r\n').slice(-2)
      assert.deepEqual([last, end], [`${/,/.test(note) ? `"${note}"` : note}${','.repeat(12)}`, ''])
    }
    const rest = (await file(`ndjson?before=${before}`)).trimEnd().split('\n')
    assert.equal(rest.length, 2)
    for (const line of rest) assert.equal(JSON.parse(line).truncated, undefined)
    assert.doesNotMatch(await file(`csv?before=${before}`), /limit/)
  })

  test('the audit export without a limit ends after 10,000 events, and says after which event it continues', async (t) => {
    const world = await openOwnWorld(t)
    const origin = { address: '192.0.2.1', userAgent: undefined }
    await times(10_000, () => world.service.audit.record({ kind: 'sign-in', actor: 'user', origin }))
    const [first = assert.fail()] = await exported(world, '?limit=1')
    const all = await exported(world)
    const numbers = Array.from({ length: 10_000 }, (_, at) => first.number + at)
    assert.deepEqual(pluck(all, 'number'), numbers)
    assert.equal((await exported(world, '?limit=1100')).length, 1_100)
    await world.service.audit.record({ kind: 'sign-in', actor: 'user', origin })
    const after = numbers.at(-1)
    assert.deepEqual(await exported(world), [...all, { truncated: true, limit: 10_000, after }])
    assert.equal((await exported(world, `?after=${after}`)).length, 1)
  })
})

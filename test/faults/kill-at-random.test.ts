import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budget } from '../support/budget.ts'
import { serve, startInProcess } from '../support/gatehouse-process.ts'
import { seeded } from '../support/seeded.ts'
import { operatedEnvironment, provision, WebhookLedger } from '../support/service-process-client.ts'
import { atOnce } from '../support/together.ts'

const wanted = budget > 1 ? 50_000 : 1_500
const kills = budget > 1 ? 1_000 : 3
const senders = 16

test(`after kill -9 at ${kills} random moments during ${wanted} acceptances, every accepted webhook is handled exactly once`, async (t) => {
  const chance = seeded(20_260_105)
  const env = await operatedEnvironment(t)
  let process = await serve(t, env)
  const key = await provision(env)

  const ledger = new WebhookLedger()
  for (let life = 0; life <= kills; life += 1) {
    // Each process accepts about an equal share of the webhooks and is killed at a random point within its share.
    const target = life === kills ? wanted : Math.floor((wanted / (kills + 1)) * (life + chance()))
    let ended = false
    await atOnce(senders, async () => {
      while (!ended) {
        const answer = await ledger.send(env)
        if (answer === undefined) assert.ok(ended, 'a sender was cut off before the process was killed')
        if (ledger.accepted.size < target || ended) continue
        ended = true
        if (life < kills) process.signal('SIGKILL')
      }
    })
    if (life === kills) break
    assert.equal(await process.exited, 'SIGKILL')
    // Nothing kills the last life, so it needs no process of its own.
    if (life < kills - 1) process = await serve(t, env)
    else await startInProcess(t, env)
  }

  await ledger.assertReceived(t, env, key)
  assert.ok(ledger.accepted.size >= wanted)
})

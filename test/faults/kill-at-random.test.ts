import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budget } from '../support/budget.ts'
import { serve, startInProcess } from '../support/gatehouse-process.ts'
import { seeded } from '../support/seeded.ts'
import {
  assertHandledOnce,
  operatedEnvironment,
  provision,
  receive,
  webhookUrlOf,
} from '../support/service-process-client.ts'

const wanted = budget > 1 ? 50_000 : 1_500
const kills = budget > 1 ? 1_000 : 3
const senders = 16

test(`after kill -9 at ${kills} random moments during ${wanted} acceptances, every accepted webhook is handled exactly once`, async (t) => {
  const chance = seeded(20_260_105)
  const env = await operatedEnvironment(t)
  let process = await serve(t, env)
  const key = await provision(env)

  const sent = new Set<string>()
  const accepted = new Set<string>()
  for (let life = 0; life <= kills; life += 1) {
    // Each process accepts about an equal share of the webhooks and is killed at a random point within its share.
    const target = life === kills ? wanted : Math.floor((wanted / (kills + 1)) * (life + chance()))
    let ended = false
    await Promise.all(
      Array.from({ length: senders }, async () => {
        while (!ended) {
          const body = `${life}-${sent.size}`
          sent.add(body)
          const answer = await fetch(webhookUrlOf(env, sent.size), { method: 'POST', body }).catch(() => undefined)
          if (answer === undefined) assert.ok(ended, 'a sender was cut off before the process was killed')
          if (answer?.status === 202) accepted.add(body)
          if (accepted.size < target || ended) continue
          ended = true
          if (life < kills) process.signal('SIGKILL')
        }
      }),
    )
    if (life === kills) break
    assert.equal(await process.exited, 'SIGKILL')
    // Nothing kills the last life, so it needs no process of its own.
    if (life < kills - 1) process = await serve(t, env)
    else await startInProcess(t, env)
  }

  assertHandledOnce(await receive(t, env, key, accepted), { accepted, sent })
  assert.ok(accepted.size >= wanted)
})

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { BotRuntime, makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { testOrigin } from '../support/people.ts'
import { openWorld, type Storage, storages, type World } from '../support/world.ts'

/** Attacks by an owner whose runtimes send as much as they can. */

const ready = { type: 'ready', instance: 'one', agent: 'test/1', credit: 16 }
const megabytes = (count: number) => Math.floor(count * 1_048_576)
const padded = (frame: object, bytes: number) => ({ ...frame, padding: 'x'.repeat(bytes) })
const nested = (depth: number) =>
  `{"type":"later","in":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},"padding":"${'x'.repeat(5_000)}"}`

async function openOwned(t: TestContext, name: Storage) {
  const world = await openWorld(t, {}, { storage: name })
  await provisionListeningBot(world.service, { botId: 'attacker', owner: 'ada' })
  const owner = { userId: parseUserId('ada')!, origin: testOrigin }
  const { clearTextKey: key } = await world.service.bots.runtimes.make({ name: 'one', botIds: null }, owner)
  return { world, key }
}

/** Sends the frame again and again, as fast as the service reads. */
async function flood(runtime: BotRuntime, frame: object, ended: () => boolean): Promise<void> {
  while (!ended()) {
    await Promise.race([runtime.flushed(frame), runtime.closed])
    // A socket that is closing rejects messages at once.
    await setImmediate()
  }
}

async function livez(world: World): Promise<number> {
  return (await fetch(`${world.controlUrl}/livez`)).status
}

for (const name of storages) {
  describe(`A runtime that sends too much, on ${name}`, () => {
    test('a long frame other than "ready" before "ready" is a protocol error, and so is a deeply nested one', async (t) => {
      const { world, key } = await openOwned(t, name)
      const early = new BotRuntime(t, world, { key })
      await early.next('hello')
      early.send(padded({ type: 'later' }, 5_000))
      assert.equal((await early.closed).code, 4002)
      const { runtime } = await BotRuntime.ready(t, world, key)
      runtime.send(nested(limits.runtimeFrameMaxDepth))
      await runtime.heartbeat()
      runtime.send(nested(limits.runtimeFrameMaxDepth + 1))
      assert.equal((await runtime.closed).code, 4002)
    })

    test('while 24 sessions of one owner flood, another owner’s webhooks are delivered, and flooding sessions are closed', async (t) => {
      const { world, key } = await openOwned(t, name)
      const victim = await provisionListeningBot(world.service, { botId: 'victim', owner: 'bob' })
      const { runtime: other } = await BotRuntime.ready(t, world, (await makeRuntime(world, [victim.botId])).key)
      const heartbeat = { type: 'heartbeat', bots: [], working: [] }
      const kinds = [{ type: 'later' }, heartbeat, { type: 'log', entries: [] }, ready]
      const codes: number[] = []
      for (let n = 0; n < 24; n += 1) {
        const runtime = new BotRuntime(t, world, { key })
        await runtime.next('hello')
        // A third of the sessions never send "ready".
        if (n % 3 !== 0) runtime.send({ ...ready, instance: `instance-${n}` })
        const frame = padded({ ...kinds[n % kinds.length], instance: `instance-${n}` }, megabytes(1.9))
        let ended = false
        runtime.closed.then(({ code }) => {
          codes.push(code)
          ended = true
        })
        flood(runtime, frame, () => ended)
      }
      for (let round = 0; round < 12; round += 1) {
        await post(world, victim)
        const { delivery } = await other.nextOfType('dispatch')
        other.send({ type: 'ack', deliveries: [delivery] })
        assert.equal(await livez(world), 200)
        await world.clock.advance(4_000)
        other.send({ type: 'heartbeat', bots: [], working: [] })
      }
      // Some send "ready" twice. Others get so little of their owner's share that none of their frames arrives whole.
      const allowed = [1013, 4002, 4008]
      assert.deepEqual([codes.length > 0, codes.filter((code) => !allowed.includes(code))], [true, []])
      const again = new BotRuntime(t, world, { key })
      await again.next('hello')
    })

    test('a session that sends little stays open while another session of its runtime floods', async (t) => {
      const { world, key } = await openOwned(t, name)
      const { runtime: quiet } = await BotRuntime.ready(t, world, key, { instance: 'quiet' })
      const { runtime: loud } = await BotRuntime.ready(t, world, key, { instance: 'loud' })
      let end = 0
      loud.closed.then(({ code }) => {
        end = code
      })
      flood(loud, padded({ type: 'later' }, megabytes(1)), () => end > 0)
      await eventually(async () => {
        await quiet.heartbeat()
        await world.clock.advance(1_000)
        return end === 1013 || undefined
      }, 60_000)
      await quiet.heartbeat()
    })
  })
}

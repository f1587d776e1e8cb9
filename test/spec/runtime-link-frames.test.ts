import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type BotId, parseBotId } from '../../src/domain/ids-and-secrets.ts'
import { botsFrames, welcomeFrames } from '../../src/surfaces/runtime-link/frames.ts'
import { BotRuntime, type Frame, post } from '../support/bot-runtime.ts'
import { openLinked, openSetting } from './runtime-link-scene.ts'

test('a malformed frame gets an error frame and closes the connection with 4002', async (t) => {
  const { runtime } = await openLinked(t)
  runtime.send({ type: 'log', entries: [{ botId: 'b', level: 'info', message: 'm', at: 'noon' }] })
  const { code, message } = await runtime.next('error')
  assert.deepEqual([code, message], ['malformed', 'log: "at" is ISO 8601, such as 2026-01-05T12:00:00.000Z'])
  assert.equal((await runtime.closed).code, 4002)
})

test('our choice: a frame out of order gets an error frame that says so', async (t) => {
  const { world, key } = await openSetting(t)
  const runtime = new BotRuntime(t, world, { key })
  await runtime.next('hello')
  runtime.send({ type: 'ack', deliveries: [] })
  assert.equal((await runtime.next('error')).code, 'out-of-order')
})

describe('Runtime link: the service’s frames are at most 2 MiB', () => {
  const tooMany = Array.from({ length: 100_000 }, (_, n) => parseBotId(`bot-${n}`.padEnd(64, '-')) as BotId)
  const read = (frame: string): Frame => {
    assert.ok(Buffer.byteLength(frame) <= 2 * 1_048_576)
    return JSON.parse(frame)
  }

  test('our choice: bots that do not fit into the welcome frame follow in bots frames, and changes to many bots are split into several', () => {
    const [welcome, ...more] = welcomeFrames({ bots: tooMany, refused: [], lost: ['d'] }).map(read)
    assert.deepEqual([welcome?.type, welcome?.refused, welcome?.lost], ['welcome', [], ['d']])
    for (const { type, remove } of more) assert.deepEqual({ type, remove }, { type: 'bots', remove: [] })
    assert.deepEqual([welcome?.bots, ...more.map(({ add }) => add)].flat(), tooMany)

    const frames = botsFrames({ add: tooMany.slice(0, 70_000), remove: tooMany.slice(70_000) }).map(read)
    assert.deepEqual(
      frames.flatMap(({ add }) => add),
      tooMany.slice(0, 70_000),
    )
    assert.deepEqual(
      frames.flatMap(({ remove }) => remove),
      tooMany.slice(70_000),
    )
  })

  test('our choice: the welcome frame lists every refused bot, even if ten thousand bots are requested', async (t) => {
    const { world, key } = await openSetting(t)
    const bots = Array.from({ length: 10_000 }, (_, n) => `unknown-${n}`.padEnd(64, '-'))
    const { welcome } = await BotRuntime.ready(t, world, key, { bots })
    assert.deepEqual(
      welcome.refused,
      bots.map((botId) => ({ botId, reason: 'unknown' })),
    )
  })
})

describe('Runtime link: a runtime that sends too fast', () => {
  test('our choice: frames sent right after ready are handled after ready, in order', async (t) => {
    const { world, bot, key } = await openSetting(t)
    await post(world, bot)
    const runtime = new BotRuntime(t, world, { key })
    await runtime.next('hello')
    runtime.send({ type: 'ready', instance: 'one', agent: 'test/1', credit: 0 })
    for (let n = 0; n < 4; n += 1) runtime.send({ type: 'weather', forecast: 'x'.repeat(1_048_576) })
    runtime.send({ type: 'heartbeat', bots: [], working: ['first'] })
    runtime.send({ type: 'credit', n: 1 })
    await runtime.next('welcome')
    assert.deepEqual((await runtime.next('heartbeat')).lost, ['first'])
    await runtime.next('dispatch')
  })

  test('our choice: the service stops reading from a runtime that reads no replies, and continues once it does', async (t) => {
    const { world, runtime } = await openLinked(t)
    runtime.pause()
    const working = Array.from({ length: 8_192 }, (_, n) => `${n}`.padEnd(128, 'x'))
    const beat = { type: 'heartbeat', bots: [], working }
    let sent = 0
    for (let taken = true; taken && sent < 100; sent += 1) {
      taken = await Promise.race([runtime.flushed(beat).then(() => true), wait(2_000, false)])
      await world.clock.advance(500)
    }
    assert.ok(sent < 60, `${sent} MiB were accepted`)
    runtime.resume()
    for (let answered = 0; answered < sent; answered += 1) {
      await world.clock.advance(500)
      assert.deepEqual((await runtime.next('heartbeat')).lost, working)
    }
    await runtime.heartbeat()
  })
})

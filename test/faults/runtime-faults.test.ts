import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect as connectSocket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { BotRuntime, openHostedBot, post } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { pluck } from '../support/together.ts'

async function openSetting(t: TestContext) {
  const { world, bot, key } = await openHostedBot(t)
  const inState = async (state: 'done' | 'dead' | 'ready' | 'leased') =>
    (await world.service.queue.log.page(bot.botId, { state }, { most: 100 })).events
  return { world, bot, key, inState }
}

test('a runtime that acknowledges an event twice completes it once, and completes no other event', async (t) => {
  const { world, bot, key, inState } = await openSetting(t)
  for (const body of ['one', 'two']) await post(world, bot, body)
  const { runtime } = await BotRuntime.ready(t, world, key)
  const [one, two] = await runtime.deliveries(2)
  for (let n = 0; n < 2; n += 1) runtime.send({ type: 'ack', deliveries: [one?.delivery, one?.delivery] })
  await runtime.heartbeat([two?.delivery])
  assert.deepEqual(
    (await eventually(async () => ((await inState('done')).length > 0 ? inState('done') : undefined))).map(
      ({ id }) => id,
    ),
    [one?.id],
  )
  assert.deepEqual(pluck(await inState('leased'), 'id'), [two?.id])
  // The delivery is counted only once the write is on disk.
  await eventually(async () => ((await world.service.queue.figures()).delivered > 0 ? true : undefined))
  const { delivered, waitingEvents } = await world.service.queue.figures()
  assert.deepEqual([delivered, waitingEvents], [1, 1])
})

test('a runtime that dies in the middle of a frame acknowledges nothing in that frame, and the event is redelivered', async (t) => {
  const { world, bot, key, inState } = await openSetting(t)
  await post(world, bot, 'again')
  const socket = connectSocket(Number(new URL(world.apiUrl).port), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  const lines = [
    'GET /runtime HTTP/1.1',
    'Host: h',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    'Sec-WebSocket-Protocol: gatehouse.runtime.v1',
    `Authorization: Bearer ${key}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  await eventually(() => (received.includes('hello') ? true : undefined))
  socket.write(textFrame(JSON.stringify({ type: 'ready', instance: 'cut', agent: 'test/1', credit: 1 })))
  const delivery = await eventually(() => /"delivery":"([^"]+)"/.exec(received)?.[1])
  const ack = textFrame(JSON.stringify({ type: 'ack', deliveries: [delivery] }))
  await new Promise<void>((resolve) => socket.write(ack.subarray(0, ack.length - 5), () => resolve()))
  socket.destroy()
  await advanceUntil(world.clock, async () => (await inState('ready'))[0])
  const { runtime } = await BotRuntime.ready(t, world, key)
  const again = await runtime.nextInTime(world.clock, 'dispatch')
  assert.deepEqual([again.attempt, Buffer.from(again.body, 'base64').toString()], [2, 'again'])
})

function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] as number))
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, masked])
}

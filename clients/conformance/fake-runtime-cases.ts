import assert from 'node:assert/strict'
import { FakeRuntime, type ServiceFrame } from './fake-runtime.ts'

export interface ServiceUnderTest {
  url: string
  /** A runtime key that may host two bots. Both bots have a flow that listens for webhooks. */
  key: string
  /** The bot that receives a case's webhooks by default. */
  botId: string
  otherBotId: string
  /** Sends a webhook to `botId`, or else to the default bot. The webhook must be accepted. */
  webhook(body: string, botId?: string): Promise<void>
  /** Advances the service's clock. */
  advance(ms: number): Promise<void>
  /** Begins to stop the service. Does not wait until it has stopped. */
  stop(): void
  /** Revokes the runtime key, or removes its runtime. */
  endKey(): Promise<void>
  /** Registers cleanup that runs after the case, even if it failed. */
  onCleanup(end: () => Promise<void>): void
}

export interface ServiceCase {
  title: string
  run(service: ServiceUnderTest): Promise<void>
}

async function greeted({ url, key, onCleanup: afterwards }: ServiceUnderTest): Promise<FakeRuntime> {
  const runtime = new FakeRuntime(url, key)
  afterwards(() => runtime.crash())
  const { heartbeatMs, leaseMs, maxCredit } = await runtime.next('hello')
  assert.deepEqual([heartbeatMs, leaseMs, maxCredit >= 16], [30_000, 90_000, true])
  return runtime
}

async function ready(service: ServiceUnderTest, frame: object = {}): Promise<FakeRuntime> {
  const runtime = await greeted(service)
  await runtime.ready(frame)
  return runtime
}

function textsOf(frames: readonly ServiceFrame[]): string[] {
  return frames.map(({ body }) => Buffer.from(body, 'base64').toString())
}

const tooManyBots = {
  type: 'ready',
  instance: 'one',
  agent: 'a',
  credit: 1,
  bots: Array.from({ length: 10_001 }, (_, n) => `bot-${n}`),
}

/** Protocol errors, each with the close code that ends the connection. */
const faults: [string, 'greeted' | 'ready', 'error' | 'no error', number, object | string | Uint8Array][] = [
  ['a frame over 2 MiB', 'ready', 'no error', 1009, 'x'.repeat(2 * 1_048_576 + 1)],
  ['a binary frame', 'ready', 'error', 4002, Buffer.from('{"type":"bye"}')],
  ['invalid JSON', 'ready', 'error', 4002, '{"type":'],
  ['a frame that is not an object', 'ready', 'error', 4002, '[]'],
  ['a frame without a type', 'ready', 'error', 4002, { deliveries: [] }],
  ['a member of the wrong type', 'ready', 'error', 4002, { type: 'ack', deliveries: 'all' }],
  [
    'a control character in the error of a nack',
    'ready',
    'error',
    4002,
    { type: 'nack', delivery: 'd', error: 'a\u0000b' },
  ],
  [
    'a control character in the instance',
    'greeted',
    'error',
    4002,
    { type: 'ready', instance: 'a\u0000b', agent: 'a', credit: 1 },
  ],
  ['10,001 bots in ready', 'greeted', 'error', 4002, tooManyBots],
  ['a second ready', 'ready', 'error', 4002, { type: 'ready', instance: 'two', agent: 'a', credit: 1 }],
  ['an ack before ready', 'greeted', 'error', 4002, { type: 'ack', deliveries: [] }],
  ['a heartbeat before ready', 'greeted', 'error', 4002, { type: 'heartbeat', bots: [], working: [] }],
]

export const serviceCases: readonly ServiceCase[] = [
  ...faults.map(([what, state, error, code, frame]) => ({
    title: `${what} ends the connection with ${code}`,
    async run(service: ServiceUnderTest) {
      const runtime = state === 'ready' ? await ready(service) : await greeted(service)
      runtime.send(frame)
      if (error === 'error') assert.equal(typeof (await runtime.next('error')).message, 'string')
      await runtime.closedWith(code)
    },
  })),
  {
    title: 'a missing ready ends the connection with 4008, whatever else is sent',
    async run(service) {
      const runtime = await greeted(service)
      await service.advance(40_000)
      runtime.send({ type: 'weather', degrees: 21 })
      await service.advance(40_000)
      await runtime.closedWith(4008)
    },
  },
  {
    title: 'unknown frame types and members are ignored',
    async run(service) {
      const runtime = await greeted(service)
      const { bots, ...welcome } = await runtime.ready({ colour: 'green' })
      assert.deepEqual(bots.sort(), [service.botId, service.otherBotId].sort())
      assert.deepEqual(welcome, { type: 'welcome', refused: [], lost: [] })
      runtime.send({ type: 'weather', degrees: 21 })
      runtime.send({ type: 'toString' })
      assert.deepEqual((await runtime.heartbeat()).lost, [])
    },
  },
  {
    title: 'each of ten thousand bots in ready, with IDs of 64 characters, is either hosted or refused',
    async run(service) {
      const runtime = await greeted(service)
      const others = Array.from({ length: 9_999 }, (_, n) => `unheard-of-${n}`.padEnd(64, '-'))
      const { bots, refused } = await runtime.ready({ bots: [...others, service.botId] })
      assert.deepEqual(bots, [service.botId])
      assert.deepEqual(
        refused.map(({ botId }: { botId: string }) => botId),
        others,
      )
    },
  },
  {
    title: 'webhooks that two bots receive at once have different IDs, which stay the same across attempts',
    async run(service) {
      const { botId, otherBotId } = service
      const runtime = await ready(service, { credit: 100 })
      const bodies = Array.from({ length: 20 }, (_, n) => `${n}`)
      await Promise.all(bodies.flatMap((body) => [botId, otherBotId].map((bot) => service.webhook(body, bot))))
      const dispatches = await runtime.deliveries(40)
      assert.deepEqual(textsOf(dispatches).sort(), [...bodies, ...bodies].sort())
      assert.equal(new Set(dispatches.map(({ id }) => id)).size, 40)
      assert.equal(new Set(dispatches.map(({ delivery }) => delivery)).size, 40)
      for (const { id } of dispatches) assert.match(id, /^[A-Za-z0-9_-]{1,78}$/)
      for (const { delivery } of dispatches) runtime.send({ type: 'nack', delivery, retryMs: 60_000 })
      await runtime.heartbeat()
      await service.advance(60_000)
      const again = await runtime.deliveries(40)
      const named = (frames: ServiceFrame[]) => frames.map(({ id, botId, body }) => `${id} ${botId} ${body}`).sort()
      assert.deepEqual(named(again), named(dispatches))
    },
  },
  {
    title: 'a runtime with credit 0 receives nothing until it raises its credit',
    async run(service) {
      const runtime = await ready(service, { credit: 0 })
      await service.webhook('waiting')
      await runtime.heartbeat()
      runtime.send({ type: 'credit', n: 1 })
      const { body, attempt } = await runtime.next('dispatch')
      assert.deepEqual([Buffer.from(body, 'base64').toString(), attempt], ['waiting', 1])
    },
  },
  {
    title: 'a duplicate ack returns one credit, and the event is not redelivered',
    async run(service) {
      const runtime = await ready(service, { credit: 1 })
      for (const body of ['a', 'b', 'c']) await service.webhook(body)
      const { delivery } = await runtime.next('dispatch')
      runtime.send({ type: 'ack', deliveries: [delivery, delivery] })
      runtime.send({ type: 'ack', deliveries: [delivery] })
      const second = await runtime.next('dispatch')
      assert.equal(Buffer.from(second.body, 'base64').toString(), 'b')
      assert.deepEqual((await runtime.heartbeat([delivery, second.delivery])).lost, [delivery])
    },
  },
  {
    title: 'an ack after the lease expired is ignored; the credit returns, and the event comes again with attempt 2',
    async run(service) {
      const runtime = await ready(service, { credit: 1 })
      await service.webhook('slow')
      const first = await runtime.next('dispatch')
      await passesWithBeats(service, runtime, 91_000)
      runtime.send({ type: 'ack', deliveries: [first.delivery] })
      assert.deepEqual((await runtime.heartbeat([first.delivery])).lost, [first.delivery])
      await service.advance(8_000)
      const second = await runtime.next('dispatch')
      assert.deepEqual([second.id, second.attempt], [first.id, 2])
    },
  },
  {
    title: 'a runtime cannot ack or nack another runtime’s delivery',
    async run(service) {
      const runtime = await ready(service)
      await service.webhook('mine')
      const { delivery } = await runtime.next('dispatch')
      const other = await ready(service, { instance: 'two', credit: 0 })
      other.send({ type: 'ack', deliveries: [delivery] })
      other.send({ type: 'nack', delivery, dead: true })
      assert.deepEqual((await other.heartbeat([delivery])).lost, [delivery])
      assert.deepEqual((await runtime.heartbeat([delivery])).lost, [])
    },
  },
  {
    title: 'a newer session of the same instance evicts the older one with 4003 and keeps its deliveries',
    async run(service) {
      const older = await ready(service)
      await service.webhook('kept')
      const { delivery } = await older.next('dispatch')
      const newer = await greeted(service)
      const { lost } = await newer.ready({ working: [delivery, 'unheard-of'] })
      await older.closedWith(4003)
      assert.deepEqual(lost, ['unheard-of'])
      assert.deepEqual((await newer.heartbeat([delivery])).lost, [])
    },
  },
  {
    title: 'the leases of a crashed runtime last ten more seconds, then its events are redelivered to another runtime',
    async run(service) {
      const runtime = await ready(service, { credit: 1 })
      await service.webhook('orphan')
      const first = await runtime.next('dispatch')
      const other = await ready(service, { instance: 'two' })
      await runtime.crash()
      // The service waits ten seconds for a crashed runtime to reconnect, starting when it notices the crash. The
      // answered heartbeat of the other runtime proves that the service has noticed.
      await other.heartbeat()
      await passesWithBeats(service, other, 9_000)
      await service.advance(3_000)
      const second = await other.next('dispatch')
      assert.deepEqual([second.id, second.attempt], [first.id, 2])
    },
  },
  {
    title: 'bye releases the leases at once without counting an attempt',
    async run(service) {
      const runtime = await ready(service)
      await service.webhook('handed over')
      const first = await runtime.next('dispatch')
      runtime.send({ type: 'bye' })
      await runtime.closedWith(1000)
      const other = await ready(service, { instance: 'two' })
      const second = await other.next('dispatch')
      assert.deepEqual([second.id, second.attempt], [first.id, 1])
    },
  },
  {
    title: 'a runtime that sends nothing is disconnected with 4008',
    async run(service) {
      const runtime = await ready(service)
      await service.advance(76_000)
      await runtime.closedWith(4008)
    },
  },
  {
    title: 'a wrong key ends the connection with 4001',
    async run({ url, onCleanup }) {
      const runtime = new FakeRuntime(url, 'svc_rk_wrong')
      onCleanup(() => runtime.crash())
      await runtime.closedWith(4001)
    },
  },
  {
    title: 'a revoked key ends the session that it opened at once, with 4001',
    async run(service) {
      const runtime = await ready(service)
      await service.endKey()
      await runtime.closedWith(4001)
    },
  },
  {
    title: 'a stopping service accepts acks of deliveries in flight, dispatches nothing new, and ends with 4012',
    async run(service) {
      const runtime = await ready(service, { credit: 1 })
      await service.webhook('in hand')
      await service.webhook('next')
      const { delivery } = await runtime.next('dispatch')
      service.stop()
      assert.ok((await runtime.next('drain')).inMs > 0)
      assert.deepEqual((await runtime.heartbeat([delivery])).lost, [])
      runtime.send({ type: 'ack', deliveries: [delivery] })
      await runtime.closedWith(4012)
    },
  },
]

/** Advances the clock while sending heartbeats that renew no lease. Fails if anything is dispatched. */
async function passesWithBeats(service: ServiceUnderTest, runtime: FakeRuntime, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 30_000) {
    await service.advance(Math.min(left, 30_000))
    await runtime.heartbeat()
  }
}

import assert from 'node:assert/strict'
import { FakeRuntime, type ServiceFrame } from './fake-runtime.ts'

/** The service as a case needs it. Whoever runs the cases says how. */
export interface ServiceUnderTest {
  /** Address of the runtime link: `ws://…/runtime`. */
  url: string
  /** A runtime key that may host two bots, whose flows listen for webhooks. */
  key: string
  /** The bot that receives a case's webhooks by default. */
  botId: string
  /** The second bot, used only by cases about several bots. */
  otherBotId: string
  /** Sends a webhook to `botId`, or else to the default bot. The webhook must be accepted. */
  webhook(body: string, botId?: string): Promise<void>
  /** Lets the service's time go by. */
  passes(ms: number): Promise<void>
  /** Begins to stop the service, and does not wait for it. */
  stops(): void
  /** Ends the runtime key, or removes its runtime. */
  endsKey(): Promise<void>
  /** What to do once the case is over, however it ended. */
  afterwards(end: () => Promise<void>): void
}

export interface ServiceCase {
  /** What the service must do, as a sentence. */
  title: string
  run(service: ServiceUnderTest): Promise<void>
}

async function greeted({ url, key, afterwards }: ServiceUnderTest): Promise<FakeRuntime> {
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

async function dispatched(runtime: FakeRuntime, count: number): Promise<ServiceFrame[]> {
  const frames: ServiceFrame[] = []
  while (frames.length < count) frames.push(await runtime.next('dispatch'))
  return frames
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

/** What a runtime may get wrong, and the code with which its connection ends. */
const faults: [string, 'greeted' | 'ready', 'error' | 'no error', number, object | string | Uint8Array][] = [
  ['a frame over 2 MiB', 'ready', 'no error', 1009, 'x'.repeat(2 * 1_048_576 + 1)],
  ['a binary frame', 'ready', 'error', 4002, Buffer.from('{"type":"bye"}')],
  ['a text that is no JSON', 'ready', 'error', 4002, '{"type":'],
  ['a frame that is no object', 'ready', 'error', 4002, '[]'],
  ['a frame without type', 'ready', 'error', 4002, { deliveries: [] }],
  ['a member of the wrong kind', 'ready', 'error', 4002, { type: 'ack', deliveries: 'all' }],
  ['a control character in an error', 'ready', 'error', 4002, { type: 'nack', delivery: 'd', error: 'a\u0000b' }],
  [
    'a control character in the instance',
    'greeted',
    'error',
    4002,
    { type: 'ready', instance: 'a\u0000b', agent: 'a', credit: 1 },
  ],
  ['10,001 bots in ready', 'greeted', 'error', 4002, tooManyBots],
  ['a second ready', 'ready', 'error', 4002, { type: 'ready', instance: 'two', agent: 'a', credit: 1 }],
  ['an answer before ready', 'greeted', 'error', 4002, { type: 'ack', deliveries: [] }],
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
    title: 'a ready that does not come ends the connection with 4008, whatever else is sent',
    async run(service) {
      const runtime = await greeted(service)
      await service.passes(40_000)
      runtime.send({ type: 'weather', degrees: 21 })
      await service.passes(40_000)
      await runtime.closedWith(4008)
    },
  },
  {
    title: 'unknown types and members are ignored',
    async run(service) {
      const runtime = await greeted(service)
      const { bots, ...welcome } = await runtime.ready({ colour: 'green' })
      assert.deepEqual(bots.sort(), [service.botId, service.otherBotId].sort())
      assert.deepEqual(welcome, { type: 'welcome', refused: [], lost: [] })
      runtime.send({ type: 'weather', degrees: 21 })
      runtime.send({ type: 'toString' })
      assert.deepEqual((await runtime.beat()).lost, [])
    },
  },
  {
    title: 'a thousand bots in ready are each hosted or refused',
    async run(service) {
      const runtime = await greeted(service)
      const others = Array.from({ length: 999 }, (_, n) => `unheard-of-${n}`)
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
      const dispatches = await dispatched(runtime, 40)
      assert.deepEqual(textsOf(dispatches).sort(), [...bodies, ...bodies].sort())
      assert.equal(new Set(dispatches.map(({ id }) => id)).size, 40)
      assert.equal(new Set(dispatches.map(({ delivery }) => delivery)).size, 40)
      for (const { id } of dispatches) assert.match(id, /^[A-Za-z0-9_-]{1,78}$/)
      for (const { delivery } of dispatches) runtime.send({ type: 'nack', delivery, retryMs: 60_000 })
      await runtime.beat()
      await service.passes(60_000)
      const again = await dispatched(runtime, 40)
      const named = (frames: ServiceFrame[]) => frames.map(({ id, botId, body }) => `${id} ${botId} ${body}`).sort()
      assert.deepEqual(named(again), named(dispatches))
    },
  },
  {
    title: 'with a credit of 0 nothing is dispatched until there is some',
    async run(service) {
      const runtime = await ready(service, { credit: 0 })
      await service.webhook('waiting')
      await runtime.beat()
      runtime.send({ type: 'credit', n: 1 })
      const { body, attempt } = await runtime.next('dispatch')
      assert.deepEqual([Buffer.from(body, 'base64').toString(), attempt], ['waiting', 1])
    },
  },
  {
    title: 'an ack twice gives one credit back, and the event does not come again',
    async run(service) {
      const runtime = await ready(service, { credit: 1 })
      for (const body of ['a', 'b', 'c']) await service.webhook(body)
      const { delivery } = await runtime.next('dispatch')
      runtime.send({ type: 'ack', deliveries: [delivery, delivery] })
      runtime.send({ type: 'ack', deliveries: [delivery] })
      const second = await runtime.next('dispatch')
      assert.equal(Buffer.from(second.body, 'base64').toString(), 'b')
      assert.deepEqual((await runtime.beat([delivery, second.delivery])).lost, [delivery])
    },
  },
  {
    title: 'an ack after the lease ran out is ignored: the event comes again with attempt raised',
    async run(service) {
      const runtime = await ready(service)
      await service.webhook('slow')
      const first = await runtime.next('dispatch')
      await passesWithBeats(service, runtime, 91_000)
      runtime.send({ type: 'ack', deliveries: [first.delivery] })
      assert.deepEqual((await runtime.beat([first.delivery])).lost, [first.delivery])
      await service.passes(8_000)
      const second = await runtime.next('dispatch')
      assert.deepEqual([second.id, second.attempt], [first.id, 2])
    },
  },
  {
    title: 'nobody answers for another one’s delivery',
    async run(service) {
      const runtime = await ready(service)
      await service.webhook('mine')
      const { delivery } = await runtime.next('dispatch')
      const other = await ready(service, { instance: 'two', credit: 0 })
      other.send({ type: 'ack', deliveries: [delivery] })
      other.send({ type: 'nack', delivery, dead: true })
      assert.deepEqual((await other.beat([delivery])).lost, [delivery])
      assert.deepEqual((await runtime.beat([delivery])).lost, [])
    },
  },
  {
    title: 'a newer session of the same instance evicts the older one with 4003 and keeps what it works on',
    async run(service) {
      const older = await ready(service)
      await service.webhook('kept')
      const { delivery } = await older.next('dispatch')
      const newer = await greeted(service)
      const { lost } = await newer.ready({ working: [delivery, 'unheard-of'] })
      await older.closedWith(4003)
      assert.deepEqual(lost, ['unheard-of'])
      assert.deepEqual((await newer.beat([delivery])).lost, [])
    },
  },
  {
    title: 'the leases of a crashed runtime stand for ten seconds, and then go to another one',
    async run(service) {
      const runtime = await ready(service, { credit: 1 })
      await service.webhook('orphan')
      const first = await runtime.next('dispatch')
      const other = await ready(service, { instance: 'two' })
      await runtime.crash()
      // What follows is counted from when the service has noticed.
      await other.beat()
      await passesWithBeats(service, other, 9_000)
      await service.passes(3_000)
      const second = await other.next('dispatch')
      assert.deepEqual([second.id, second.attempt], [first.id, 2])
    },
  },
  {
    title: 'bye gives the leases back at once, and no attempt is counted',
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
    title: 'silence ends the connection with 4008',
    async run(service) {
      const runtime = await ready(service)
      await service.passes(76_000)
      await runtime.closedWith(4008)
    },
  },
  {
    title: 'a wrong key ends the connection with 4001',
    async run({ url, afterwards }) {
      const runtime = new FakeRuntime(url, 'svc_rk_wrong')
      afterwards(() => runtime.crash())
      await runtime.closedWith(4001)
    },
  },
  {
    title: 'a key that is ended ends the session that it opened, at once, with 4001',
    async run(service) {
      const runtime = await ready(service)
      await service.endsKey()
      await runtime.closedWith(4001)
    },
  },
  {
    title: 'a service that stops takes answers to work in hand, hands nothing further out, and ends with 4012',
    async run(service) {
      const runtime = await ready(service, { credit: 1 })
      await service.webhook('in hand')
      await service.webhook('next')
      const { delivery } = await runtime.next('dispatch')
      service.stops()
      assert.ok((await runtime.next('drain')).inMs > 0)
      assert.deepEqual((await runtime.beat([delivery])).lost, [])
      runtime.send({ type: 'ack', deliveries: [delivery] })
      await runtime.closedWith(4012)
    },
  },
]

/** Time goes by while the runtime proves life, and nothing is dispatched to it. It renews no lease. */
async function passesWithBeats(service: ServiceUnderTest, runtime: FakeRuntime, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 30_000) {
    await service.passes(Math.min(left, 30_000))
    await runtime.beat()
  }
}

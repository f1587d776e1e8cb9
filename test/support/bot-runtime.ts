import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { WebSocket } from 'ws'
import { FakeRuntime, type ServiceFrame } from '../../clients/conformance/fake-runtime.ts'
import {
  type BotId,
  type FlowId,
  parseBotId,
  parseChatPlatformId,
  parseFlowId,
  parseUserId,
} from '../../src/domain/ids-and-secrets.ts'
import type { Service } from '../../src/service.ts'
import { advanceUntil, eventually } from './eventually.ts'
import type { ManualClock } from './manual-clock.ts'
import { openWorld, type World } from './world.ts'

export type Frame = ServiceFrame

export async function makeRuntime(world: World, botIds: readonly BotId[] | null = null) {
  const { runtime, clearTextKey } = await world.service.bots.runtimes.make({ name: 'test', botIds }, 'operator')
  return { id: runtime.id, key: clearTextKey }
}

/**
 * Resolves once the acknowledgement or failure of the event is stored and counted, and its retry is scheduled. The answer
 * to a later heartbeat may arrive before that.
 */
export async function untilStored(world: World, botId: string, eventId: string): Promise<void> {
  const state = async () => (await world.service.queue.log.find(botId as BotId, eventId))?.state
  await eventually(async () => (await state()) !== 'leased' || undefined)
  // A change is visible before it is synced, and is counted only after that. On SQLite, the sync of this later write
  // includes the change. On PostgreSQL, this round trip gives the node time to receive the result of its own commit.
  await world.service.queue.probe()
}

/** A test, or a program that closes its runtimes itself. */
type Ending = Pick<TestContext, 'after'>
type Gateway = Pick<World, 'apiUrl'>

/** Returns a bot's report in a heartbeat. */
export function reportOf(botId: string, ready = true) {
  return { botId: botId as BotId, ready, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 } as const
}

/** A bot runtime that a test drives frame by frame. */
export class BotRuntime extends FakeRuntime {
  /** Whether it disconnects when the service drains, as every runtime should. */
  leavesOnDrain = true

  constructor(t: Ending, world: Gateway, { key, protocols }: { key?: string | undefined; protocols?: string[] }) {
    super(`${world.apiUrl.replace('http', 'ws')}/runtime`, key, protocols)
    t.after(() => this.socket.terminate())
  }

  protected override received({ type }: Frame): void {
    if (type === 'drain' && this.leavesOnDrain) this.socket.close()
  }

  /** Connects, waits for `hello`, and sends `ready`. Resolves with the runtime and the `welcome` frame. */
  static async ready(t: Ending, world: Gateway, key: string, ready: Record<string, unknown> = {}) {
    const runtime = new BotRuntime(t, world, { key })
    await runtime.next('hello')
    return { runtime, welcome: await runtime.ready({ agent: 'test/1', ...ready }) }
  }

  /** Sends a frame. Resolves once it has been written to the socket completely. */
  flushed(frame: object): Promise<void> {
    return new Promise((resolve) => this.socket.send(JSON.stringify(frame), () => resolve()))
  }

  /** Advances the clock until a frame arrives. Returns that frame, which must have this type. */
  async nextInTime(clock: ManualClock, type: string): Promise<Frame> {
    await advanceUntil(clock, () => this.frames.length > 0 || this.socket.readyState === WebSocket.CLOSED)
    return this.next(type)
  }

  /** Returns the first frame of this type. Other frames stay unread. */
  nextOfType(type: string): Promise<Frame> {
    const at = () => this.frames.findIndex((frame) => frame.type === type)
    return this.until(() => (at() < 0 ? undefined : this.frames.splice(at(), 1)[0]), `"${type}"`)
  }

  /** Deliveries that have arrived but have not been read. */
  get unread(): string[] {
    return this.frames.filter(({ type }) => type === 'dispatch').map(({ delivery }) => delivery)
  }
}

export interface ListeningBot {
  botId: BotId
  flowId: FlowId
  path: string
  /** The flow's key. An empty string if the flow requires no key. */
  key: string
}

/** Provisions a bot (and its owner) with one event flow that listens for webhooks. */
export async function provisionListeningBot(
  { accounts, bots }: Service,
  wanted: { botId?: string; owner?: string; path?: string; requiresKey?: boolean; hostingEnabled?: boolean } = {},
): Promise<ListeningBot> {
  const { botId: id = 'greeter', owner = 'ada', path = 'hooks/orders', hostingEnabled = true } = wanted
  const [ownerId, botId, flowId] = [parseUserId(owner)!, parseBotId(id)!, parseFlowId('orders')!]
  await accounts.users.put(ownerId, { name: owner === 'ada' ? 'Ada' : owner })
  const digits = String(10n ** 17n + BigInt(`0x${Buffer.from(id).toString('hex').slice(-12)}`))
  const chatPlatformId = parseChatPlatformId(digits)!
  await bots.records.put(botId, { ownerId, name: id, chatPlatformId, hostingEnabled, publicStatus: true })
  const webhook = { path, requiresKey: wanted.requiresKey ?? false }
  const { clearTextKey = '' } = await bots.flows.put(botId, flowId, { kind: 'event', name: 'Orders', webhook })
  return { botId, flowId, path, key: clearTextKey }
}

/** Sends a webhook and asserts that it is accepted. */
export async function post(
  world: Pick<World, 'apiUrl'>,
  { botId, path, key }: ListeningBot,
  body: BodyInit = 'hello',
  headers: Record<string, string> = {},
): Promise<void> {
  const init = { method: 'POST', body, headers: { 'svc-key': key, ...headers } }
  assert.equal((await fetch(`${world.apiUrl}/${botId}/${path}`, init)).status, 202)
}

type Wanted = Parameters<typeof provisionListeningBot>[1]

/** Provisions a bot that listens for webhooks, and a runtime of the operator, which may host every bot. */
export async function hostedBot(world: World, wanted: Wanted = {}) {
  const bot = await provisionListeningBot(world.service, wanted)
  return { bot, ...(await makeRuntime(world)) }
}

export async function openHostedBot(t: TestContext, wanted: Wanted = {}, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  return { world, ...(await hostedBot(world, wanted)) }
}

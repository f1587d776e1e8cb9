import { EventsInFlight } from './events-in-flight.ts'
import type { BotReportSource } from './frames.ts'
import { type LogLevel, RuntimeLog } from './runtime-log.ts'
import { type RuntimeEnd, RuntimeRefused, type RuntimeState, warn } from './runtime-state.ts'
import { Session, type SessionEnd } from './session.ts'
import { type RefusedWebhook, refusedWebhook, type WebhookHandler } from './webhook.ts'

export type { BotReport, BotReportSource, Presence, RefusedBot, WebhookHeaders } from './frames.ts'
export type { LogLevel } from './runtime-log.ts'
export { type RuntimeEnd, RuntimeRefused, type RuntimeState } from './runtime-state.ts'
export type { RefusedWebhook, WebhookContext, WebhookEvent, WebhookHandler } from './webhook.ts'

export interface RuntimeOptions {
  /** URL of the gateway, such as `https://hooks.example.com`. */
  url: string | URL
  /** The runtime key, `svc_rk_…`. */
  key: string | undefined
  /**
   * Name that distinguishes this process from others with the same key; 1 to 128 characters. Keep it across restarts: a
   * new session replaces the old one with the same name. If two processes share a name, they keep replacing each other.
   */
  instance: string
  /** Name of this program, which is shown to the operator; 1 to 128 printable characters. */
  agent?: string
  /** The bots to host. Defaults to all that the key may host. */
  bots?: readonly string[]
  /**
   * Receives copies of new events, for development. The bots' own runtimes still receive every event, and the outcome
   * of the handler has no effect on it. `bots` must name 1 to 10 bots.
   */
  copies?: boolean
  /** Maximum number of webhooks handled at the same time. Defaults to 16. */
  credit?: number
  onWebhook: WebhookHandler
  /**
   * With {@link copies}, called for webhooks that the gateway refused. For similar webhooks refused within 5 seconds,
   * called only once.
   */
  onRefusedWebhook?: (refused: RefusedWebhook) => void
  /** Returns each bot's state for the heartbeat. Without this function, the bots count as offline. */
  heartbeat?: BotReportSource
  /** Called for each heartbeat that the service answers. An answer proves that the connection works. */
  onHeartbeat?: () => void
  /**
   * Called on every state change. Useful for logs and health checks. By default, lost connections and their causes are
   * written to the console.
   */
  onState?: (state: RuntimeState) => void
  /**
   * Called for problems that need no action, such as an error that a handler threw (the `cause`). By default, they are
   * written to the console.
   */
  onProblem?: (problem: Error) => void
}

/**
 * Close codes for a rejected key, a protocol error, and a session that was replaced by a newer one. Reconnecting would
 * fail again or replace the newer session.
 */
const finalCloseCodes = [4001, 4002, 4003]
const drainedRetryMaxMs = 500

/**
 * Connects, and stays connected until the runtime leaves or is rejected.
 *
 * @throws TypeError for invalid options.
 * @throws Error if this version of Node has no WebSocket.
 */
export function connect(options: RuntimeOptions): Runtime {
  return new Runtime(options)
}

/** A bot runtime: receives webhooks for its bots and reports their state. */
export class Runtime {
  /**
   * Resolves after {@link leave}. Rejects with {@link RuntimeRefused} if the service rejected this runtime permanently.
   * If nothing handles that rejection, Node prints it and exits with code 1.
   */
  readonly ended: Promise<void>
  readonly #options: RuntimeOptions & { key: string }
  readonly #address: URL
  readonly #work: EventsInFlight
  readonly #log = new RuntimeLog()
  #session: Session | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #state: RuntimeState = { kind: 'connecting' }
  #leaving = false
  #hostingWaiters: (() => void)[] = []
  #settleEnded: (end: RuntimeEnd) => void = () => {}

  constructor(options: RuntimeOptions) {
    const { key, instance, credit = 16 } = options
    if (!key) throw new TypeError('"key" is missing; pass the runtime key, svc_rk_…')
    if (!instance) throw new TypeError('"instance" is missing; pass a name for this process')
    if (!Number.isInteger(credit) || credit < 1)
      throw new TypeError(`"credit" must be a positive whole number, not ${credit}`)
    this.#options = { ...options, key }
    this.#address = linkAddress(options.url)
    this.ended = new Promise((resolve, reject) => {
      this.#settleEnded = (end) => (end.why === 'left' ? resolve() : reject(new RuntimeRefused(end, instance)))
    })
    this.#work = new EventsInFlight({
      handle: options.onWebhook,
      log: (botId, level, message) => this.log(botId, level, message),
      onAnswer: () => this.#session?.flushSoon(),
      onProblem: (problem) => this.#problem(problem),
    })
    this.#open()
  }

  get state(): RuntimeState {
    return this.#state
  }

  /**
   * Resolves with the hosted bots once the service has welcomed this runtime.
   *
   * @throws RuntimeRefused if the service rejects it first.
   * @throws Error if it leaves first.
   */
  async hosting(): Promise<readonly string[]> {
    while (this.#state.kind !== 'hosting') {
      const state = this.#state
      if (state.kind === 'ended' && state.why === 'refused') throw new RuntimeRefused(state, this.#options.instance)
      if (state.kind === 'ended') throw new Error('no bots hosted: the runtime has left')
      await new Promise<void>((resolve) => this.#hostingWaiters.push(resolve))
    }
    return this.#state.bots
  }

  /** Writes to a bot's log, which its owner can read. While disconnected, up to 1,000 entries are kept. */
  log(botId: string, level: LogLevel, message: string): void {
    this.#log.add(botId, level, message)
    this.#session?.flushSoon()
  }

  /**
   * Leaves: accepts no new webhooks, waits for handlers, sends their outcomes and disconnects. Handlers that take
   * longer than `withinMs` are aborted. Their events return to the service, and the attempts are not counted.
   */
  async leave({ withinMs = 30_000 } = {}): Promise<void> {
    const over = this.ended.catch(() => {})
    if (this.#leaving || this.#state.kind === 'ended') return over
    this.#leaving = true
    const deadline = setTimeout(() => {
      this.#work.abortAll()
      this.#sayBye()
    }, withinMs)
    this.#session?.stopAccepting()
    this.#work.idle().then(() => this.#leaveWhenDone())
    await over
    clearTimeout(deadline)
  }

  #problem(problem: Error): void {
    if (this.#options.onProblem !== undefined) this.#options.onProblem(problem)
    else if (problem.cause === undefined) console.error(`gatehouse runtime: ${problem.message}`)
    else console.error(`gatehouse runtime: ${problem.message}:`, problem.cause)
  }

  #open(): void {
    this.#enter({ kind: 'connecting' })
    const { key, instance, agent = '@gatehouse/runtime', bots, copies = false, credit = 16, heartbeat } = this.#options
    this.#session = new Session({
      address: this.#address,
      key,
      instance,
      agent,
      bots,
      copies,
      credit: this.#leaving ? 0 : credit,
      work: this.#work,
      log: this.#log,
      report: heartbeat ?? (() => undefined),
      onHosting: (hosted, refused) => this.#enter({ kind: 'hosting', bots: hosted, refused }),
      onHeartbeat: () => this.#options.onHeartbeat?.(),
      onRefusal: (frame) => this.#options.onRefusedWebhook?.(refusedWebhook(frame)),
      onFlushed: () => this.#leaveWhenDone(),
      onProblem: (problem) => this.#problem(problem),
      onEnd: (end) => this.#ended(end),
    })
  }

  #ended({ code, reason, proven, drained }: SessionEnd): void {
    this.#session = undefined
    if (finalCloseCodes.includes(code)) this.#finish({ why: 'refused', code, reason })
    else if (this.#leaving && this.#work.empty) this.#finish({ why: 'left' })
    else {
      if (proven) this.#failures = 0
      const retryInMs = drained ? Math.round(Math.random() * drainedRetryMaxMs) : backOffMs(this.#failures)
      this.#failures += 1
      this.#retry = setTimeout(() => this.#open(), retryInMs)
      this.#enter({ kind: 'waiting', retryInMs, code, reason, drained })
    }
  }

  #leaveWhenDone(): void {
    // Outcomes can be sent only after `welcome`. Until then, the unsent outcomes keep `empty` false.
    if (this.#leaving && this.#work.empty) this.#sayBye()
  }

  #sayBye(): void {
    if (this.#session !== undefined) this.#session.leave()
    else this.#finish({ why: 'left' })
  }

  #finish(end: RuntimeEnd): void {
    clearTimeout(this.#retry)
    this.#work.abortAll()
    this.#enter({ kind: 'ended', ...end })
    this.#settleEnded(end)
  }

  #enter(state: RuntimeState): void {
    this.#state = state
    if (this.#options.onState !== undefined) this.#options.onState(state)
    else warn(state)
    if (state.kind !== 'hosting' && state.kind !== 'ended') return
    for (const resolve of this.#hostingWaiters.splice(0)) resolve()
  }
}

/**
 * Returns the URL of the runtime link. Accepts the gateway's URL, such as `https://hooks.example.com`, or the URL of
 * the link itself, such as `wss://hooks.example.com/runtime`.
 *
 * @throws TypeError if it is neither.
 */
function linkAddress(given: string | URL): URL {
  if (!URL.canParse(String(given)))
    throw new TypeError(`"${given}" is not a URL; pass the gateway's, such as https://hooks.example.com`)
  const address = new URL(given)
  if (!/^(https?|wss?):$/.test(address.protocol)) {
    throw new TypeError(
      `The gateway's URL must start with https:// or wss:// (or http:// or ws://), not ${address.protocol}//`,
    )
  }
  address.protocol = address.protocol.replace('http', 'ws')
  if (!address.pathname.endsWith('/runtime')) address.pathname = `${address.pathname.replace(/\/$/, '')}/runtime`
  return address
}

const backOffFirstMs = 500
const backOffMaxMs = 30_000

/**
 * Returns the delay before the next connection attempt, in milliseconds. The delay starts at half a second and doubles
 * with each failure, up to 30 seconds. Up to half of it is subtracted at random, so that many runtimes don't reconnect
 * at the same time.
 *
 * @param failures number of consecutive failures; 0 after a connection that worked.
 */
function backOffMs(failures: number): number {
  const wholeMs = Math.min(backOffMaxMs, backOffFirstMs * 2 ** failures)
  return Math.round(wholeMs * (1 - Math.random() / 2))
}

import { backOffMs } from './back-off.ts'
import type { BotReportSource } from './bot-report.ts'
import { linkAddress } from './link-address.ts'
import { type LogLevel, RuntimeLog } from './runtime-log.ts'
import { RuntimeRefused } from './runtime-refused.ts'
import type { RuntimeEnd, RuntimeState } from './runtime-state.ts'
import { Session, type SessionEnd } from './session.ts'
import { warn } from './warn.ts'
import type { WebhookHandler } from './webhook.ts'
import { WorkInHand } from './work-in-hand.ts'

export type { BotReport, BotReportSource, Presence } from './bot-report.ts'
export type { RefusedBot, WebhookHeaders } from './frames.ts'
export type { LogLevel } from './runtime-log.ts'
export { RuntimeRefused } from './runtime-refused.ts'
export type { RuntimeEnd, RuntimeState } from './runtime-state.ts'
export type { WebhookContext, WebhookEvent, WebhookHandler } from './webhook.ts'

export interface RuntimeOptions {
  /** The gateway's address, such as `https://hooks.example.com`. */
  url: string | URL
  /** The runtime key, `svc_rk_…`. */
  key: string | undefined
  /**
   * This process's name among those with the same key, 1 to 128 characters. Keep it over restarts: a new session of the same
   * name takes over from the old one. Two processes with one name throw each other out.
   */
  instance: string
  /** Name of this program, shown to the operator; 1 to 128 printable characters. */
  agent?: string
  /** The bots to host; left out, all that the key may host. */
  bots?: readonly string[]
  /**
   * Receives copies of new events, for development: the bots' own runtimes get them all the same, and nothing that the
   * handler does has an effect on the event. `bots` must name 1 to 10 bots.
   */
  copies?: boolean
  /** How many webhooks are worked on at once; 16 when left out. */
  credit?: number
  onWebhook: WebhookHandler
  /** How each bot is, asked with every heartbeat. Without it the bots count as offline. */
  heartbeat?: BotReportSource
  /** Told of each heartbeat that the service answered: proof that the connection is alive. */
  onHeartbeat?: () => void
  /** Told of each change, for logs and health checks. When left out, lost connections and their causes go to the console. */
  onState?: (state: RuntimeState) => void
  /** Told of what went wrong and needs no answer, such as a handler that threw (the `cause`). Written to the console when left out. */
  onProblem?: (problem: Error) => void
}

/** Key refused, protocol error, replaced by a newer session: coming back would be refused again, or throw the newer one out. */
const finalCloseCodes = [4001, 4002, 4003]
const movingSpreadMs = 500

/**
 * Connects, and stays connected until it leaves or is refused.
 *
 * @throws TypeError for options that can't be right
 * @throws Error when this Node has no WebSocket
 */
export function connect(options: RuntimeOptions): Runtime {
  return new Runtime(options)
}

/** A bot runtime on the runtime link: takes webhooks for its bots and reports how the bots are. */
export class Runtime {
  /**
   * Resolves when it has left. Rejects with {@link RuntimeRefused} when the service closed for good. If nobody handles
   * that, Node prints it and exits with a code other than 0.
   */
  readonly ended: Promise<void>
  readonly #options: RuntimeOptions & { key: string }
  readonly #address: URL
  readonly #work: WorkInHand
  readonly #log = new RuntimeLog()
  #session: Session | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #state: RuntimeState = { kind: 'connecting' }
  #leaving = false
  #waitingToHost: (() => void)[] = []
  #settleEnded: (end: RuntimeEnd) => void = () => {}

  constructor(options: RuntimeOptions) {
    const { key, instance, credit = 16 } = options
    if (!key) throw new TypeError('give the runtime key, svc_rk_…, as "key"')
    if (!instance) throw new TypeError('give this process a name as "instance"')
    if (!Number.isInteger(credit) || credit < 1) throw new TypeError(`"credit" is a whole number from 1, not ${credit}`)
    this.#options = { ...options, key }
    this.#address = linkAddress(options.url)
    this.ended = new Promise((resolve, reject) => {
      this.#settleEnded = (end) => (end.why === 'left' ? resolve() : reject(new RuntimeRefused(end, instance)))
    })
    this.#work = new WorkInHand({
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

  /** Resolves with the bots once it hosts them. @throws RuntimeRefused or Error when it ends before */
  async hosting(): Promise<readonly string[]> {
    while (this.#state.kind !== 'hosting') {
      const state = this.#state
      if (state.kind === 'ended' && state.why === 'refused') throw new RuntimeRefused(state, this.#options.instance)
      if (state.kind === 'ended') throw new Error('the runtime hosts nothing: it has left')
      await new Promise<void>((resolve) => this.#waitingToHost.push(resolve))
    }
    return this.#state.bots
  }

  #problem(problem: Error): void {
    if (this.#options.onProblem !== undefined) this.#options.onProblem(problem)
    else console.error(`gatehouse runtime: ${problem.message}`, ...(problem.cause === undefined ? [] : [problem.cause]))
  }

  /** Writes into a bot's runtime log, which its owner sees. Kept for a while when there is no connection. */
  log(botId: string, level: LogLevel, message: string): void {
    this.#log.add(botId, level, message)
    this.#session?.flushSoon()
  }

  /**
   * Leaves: takes nothing new, finishes and answers for what is in hand, and says good-bye. What is not finished after
   * `withinMs` milliseconds is aborted and goes back to the service without counting as an attempt.
   */
  async leave({ withinMs = 30_000 } = {}): Promise<void> {
    const over = this.ended.catch(() => {})
    if (this.#leaving || this.#state.kind === 'ended') return over
    this.#leaving = true
    const deadline = setTimeout(() => {
      this.#work.giveUp()
      this.#goodBye()
    }, withinMs)
    this.#session?.stopTaking()
    this.#work.idle().then(() => this.#leaveWhenDone())
    await over
    clearTimeout(deadline)
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
      const retryInMs = drained ? Math.round(Math.random() * movingSpreadMs) : backOffMs(this.#failures)
      this.#failures += 1
      this.#retry = setTimeout(() => this.#open(), retryInMs)
      this.#enter({ kind: 'waiting', retryInMs, code, reason, drained })
    }
  }

  #leaveWhenDone(): void {
    // Answers are not sent before a welcome: without one they wait for the next connection.
    if (this.#leaving && this.#work.empty) this.#goodBye()
  }

  #goodBye(): void {
    if (this.#session !== undefined) this.#session.leave()
    else this.#finish({ why: 'left' })
  }

  #finish(end: RuntimeEnd): void {
    clearTimeout(this.#retry)
    this.#work.giveUp()
    this.#enter({ kind: 'ended', ...end })
    this.#settleEnded(end)
  }

  #enter(state: RuntimeState): void {
    this.#state = state
    if (this.#options.onState !== undefined) this.#options.onState(state)
    else warn(state)
    if (state.kind !== 'hosting' && state.kind !== 'ended') return
    for (const resolve of this.#waitingToHost.splice(0)) resolve()
  }
}

import { backOffMs } from './back-off.ts'
import { EventsInFlight } from './events-in-flight.ts'
import { checkedOptions, type RuntimeOptions } from './options.ts'
import { RuntimeLog } from './runtime-log.ts'
import { print, type RuntimeEnd, RuntimeRefused, type RuntimeState, warn } from './runtime-state.ts'
import { Session, type SessionEnd } from './session.ts'
import { checkBotId, type LogLevel, problemOf } from './values.ts'

export type { BotReportSource, RefusedBot, WebhookHeaders } from './frames.ts'
export type { RuntimeOptions } from './options.ts'
export { type RuntimeEnd, RuntimeRefused, type RuntimeState } from './runtime-state.ts'
export type { BotReport, LogLevel, Presence } from './values.ts'
export type { WebhookContext, WebhookEvent, WebhookHandler } from './webhook.ts'

/**
 * Close codes for a rejected key, a protocol error, and a session that was replaced by a newer one. Reconnecting would
 * fail again or replace the newer session.
 */
const finalCloseCodes = [4001, 4002, 4003]
const drainedRetryMaxMs = 500

/**
 * Connects, and stays connected until the runtime leaves or is rejected.
 *
 * @throws TypeError for invalid options. Bots with invalid IDs are left out, and reported through `onProblem`.
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
  readonly #options: ReturnType<typeof checkedOptions>
  readonly #bots: readonly string[] | undefined
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
    this.#options = checkedOptions(options)
    const { instance, bots } = this.#options
    this.#bots = bots?.filter((botId) => this.#call('bot not requested', () => checkBotId(botId)))
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
    if (this.#call('log entry dropped', () => this.#log.add(botId, level, message))) this.#session?.flushSoon()
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

  /** Calls the bot's code, or checks one of its values, and reports what it throws. Returns whether it threw nothing. */
  #call(failure: string, code: () => unknown): boolean {
    const report = (error: unknown) => this.#problem(problemOf(failure, error))
    try {
      const result = code()
      if (result instanceof Promise) result.catch(report)
      return true
    } catch (error) {
      report(error)
      return false
    }
  }

  #problem(problem: Error): void {
    try {
      ;(this.#options.onProblem ?? print)(problem)
    } catch (error) {
      print(problem)
      print(new Error('onProblem failed', { cause: error }))
    }
  }

  #open(): void {
    this.#enter({ kind: 'connecting' })
    const { address, key, instance, agent, credit, heartbeat, ...on } = this.#options
    this.#session = new Session({
      address,
      key,
      instance,
      agent,
      bots: this.#bots,
      credit: this.#leaving ? 0 : credit,
      work: this.#work,
      log: this.#log,
      report: heartbeat ?? (() => undefined),
      onHosting: (hosted, refused) => this.#enter({ kind: 'hosting', bots: hosted, refused }),
      onHeartbeat: () => this.#call('onHeartbeat failed', () => on.onHeartbeat?.()),
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
    this.#call('onState failed', () => (this.#options.onState ?? warn)(state))
    if (state.kind !== 'hosting' && state.kind !== 'ended') return
    for (const resolve of this.#hostingWaiters.splice(0)) resolve()
  }
}

import type { AnswerFrame, DispatchFrame } from './frames.ts'
import { cut } from './runtime-log.ts'
import type { LogLevel } from './values.ts'
import { type WebhookEvent, type WebhookHandler, webhookEvent } from './webhook.ts'

interface EventsInFlightParts {
  handle: WebhookHandler
  log: (botId: string, level: LogLevel, message: string) => void
  onAnswer: () => void
  /** Called if the handler throws. Its error is the `cause`. */
  onProblem: (problem: Error) => void
}

/** An event whose handler is running. */
interface Work {
  event: string
  /** The latest attempt, which the outcome will apply to. `undefined` once that attempt is lost. */
  frame: DispatchFrame | undefined
  abort: AbortController
}

class WorkAborted extends Error {
  override name = 'WorkAborted'
}

/** Maximum number of finished events remembered. It equals the highest credit that the service grants. */
const doneMax = 1_024

/**
 * Events that this runtime has received but not yet reported on. They outlive a connection: handlers continue, and
 * their outcomes are sent on the next connection. The handler is not started again for a running or finished event. If
 * an acknowledgement was lost, the next attempt is acknowledged without running the handler.
 */
export class EventsInFlight {
  readonly #parts: EventsInFlightParts
  readonly #byEvent = new Map<string, Work>()
  /** Outcomes not yet sent, by delivery. */
  readonly #answers = new Map<string, Failure | undefined>()
  readonly #done = new Set<string>()
  #idle: (() => void)[] = []

  constructor(parts: EventsInFlightParts) {
    this.#parts = parts
  }

  /** Deliveries to list as `working`: those whose handler is running, and those whose outcome has not been sent. */
  get deliveries(): string[] {
    const deliveries = [...this.#answers.keys()]
    for (const { frame } of this.#byEvent.values()) if (frame !== undefined) deliveries.push(frame.delivery)
    return deliveries
  }

  take(frame: DispatchFrame): void {
    for (const name of ['delivery', 'id', 'botId', 'body'] as const)
      if (typeof frame[name] !== 'string') throw new TypeError(`a dispatch lacks ${name}`)
    const event = eventOf(frame)
    const work = this.#byEvent.get(event)
    // The event was redelivered while the handler was still running. The outcome will apply to the newer attempt.
    if (work !== undefined) work.frame = frame
    else if (this.#done.has(event)) this.#answer(frame.delivery, undefined)
    else this.#start(frame)
  }

  /** Drops lost attempts: aborts their handlers and discards their outcomes. */
  lose(deliveries: readonly string[]): void {
    for (const delivery of deliveries) this.#answers.delete(delivery)
    for (const work of this.#byEvent.values()) {
      if (work.frame === undefined || !deliveries.includes(work.frame.delivery)) continue
      work.frame = undefined
      work.abort.abort(new WorkAborted('attempt lost: the event will be redelivered'))
    }
  }

  /** Aborts all handlers and discards all outcomes that have not been sent. */
  abortAll(): void {
    for (const work of this.#byEvent.values()) {
      work.frame = undefined
      work.abort.abort(new WorkAborted('runtime ended: the event returns to the service'))
    }
    this.#byEvent.clear()
    this.#answers.clear()
    this.#resolveIdle()
  }

  /** Removes and returns the frames to send: one for all acknowledgements, and one per failure. */
  takeAnswers(): AnswerFrame[] {
    const done: string[] = []
    const failed: AnswerFrame[] = []
    for (const [delivery, failure] of this.#answers) {
      if (failure === undefined) done.push(delivery)
      else failed.push({ type: 'nack', delivery, ...failure })
    }
    this.#answers.clear()
    return done.length === 0 ? failed : [{ type: 'ack', deliveries: done }, ...failed]
  }

  /** Whether no handler is running and no outcome is waiting to be sent. */
  get empty(): boolean {
    return this.#byEvent.size === 0 && this.#answers.size === 0
  }

  async idle(): Promise<void> {
    if (this.#byEvent.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #start(frame: DispatchFrame): void {
    const abort = new AbortController()
    const work: Work = { event: eventOf(frame), frame, abort }
    this.#byEvent.set(work.event, work)
    attempt(webhookEvent(frame), abort.signal, this.#parts).then((failure) => this.#settle(work, failure))
  }

  #settle(work: Work, failure: Failure | undefined): void {
    const { event, frame, abort } = work
    if (this.#byEvent.get(event) !== work) return
    this.#byEvent.delete(event)
    if (failure === undefined) this.#remember(event)
    // The handler was aborted because its attempt was lost, but the event has been redelivered since. Runs it again.
    if (frame !== undefined && abort.signal.aborted && failure !== undefined) this.#start(frame)
    else if (frame !== undefined) this.#answer(frame.delivery, failure)
    this.#resolveIdle()
  }

  #answer(delivery: string, failure: Failure | undefined): void {
    this.#answers.set(delivery, failure)
    this.#parts.onAnswer()
  }

  #remember(event: string): void {
    this.#done.add(event)
    for (const oldest of this.#done) {
      if (this.#done.size <= doneMax) break
      this.#done.delete(oldest)
    }
  }

  #resolveIdle(): void {
    if (this.#byEvent.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}

/**
 * Returns the event's key. The key includes the bot, because older versions of the service could give events for two
 * bots the same ID.
 */
function eventOf({ botId, id }: DispatchFrame): string {
  return `${botId} ${id}`
}

/** Length to which the service truncates an error message. */
const errorMaxCharacters = 4_096
const retryMaxMs = 24 * 3_600_000

/** Why an attempt failed, as it is sent. */
type Failure = Omit<Extract<AnswerFrame, { type: 'nack' }>, 'type' | 'delivery'>

/** Runs the handler on an event once. Returns `undefined` if it finished the event. Never rejects. */
async function attempt(
  event: WebhookEvent,
  signal: AbortSignal,
  { handle, log, onProblem }: EventsInFlightParts,
): Promise<Failure | undefined> {
  let request: Failure | undefined
  try {
    await handle(event, {
      signal,
      retryIn(ms, reason) {
        if (!(ms >= 0)) throw new RangeError(`retryIn needs 0 or more milliseconds, got ${ms}`)
        request = {
          ...(reason !== undefined && { error: cut(reason, errorMaxCharacters) }),
          retryMs: Math.min(ms, retryMaxMs),
        }
      },
      dead(reason) {
        request = { error: cut(reason, errorMaxCharacters), dead: true }
      },
      log: (level, message) => log(event.botId, level, message),
    })
    return request && { error: 'retry requested', ...request }
  } catch (error) {
    // An error thrown after the abort is expected and not reported.
    if (!signal.aborted) onProblem(new Error(`attempt ${event.attempt} of event ${event.id} failed`, { cause: error }))
    return { error: cut(error, errorMaxCharacters), ...request }
  }
}

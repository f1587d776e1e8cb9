import { type AttemptOutcome, attempt } from './attempt.ts'
import type { AnswerFrame, DispatchFrame } from './frames.ts'
import type { LogLevel } from './runtime-log.ts'
import type { WebhookHandler } from './webhook.ts'

/** Returns the event's key. Includes the bot, since earlier services could give events of two bots the same ID. */
function eventOf({ botId, id }: DispatchFrame): string {
  return `${botId} ${id}`
}

interface WorkInHandParts {
  handle: WebhookHandler
  log: (botId: string, level: LogLevel, message: string) => void
  /** There is something to answer. */
  onAnswer: () => void
  /** The handler threw: the error is the `cause`. */
  onProblem: (problem: Error) => void
}

/** One event that the handler is working on. */
interface Work {
  /** The event's key, from {@link eventOf}. */
  event: string
  /** The attempt to answer for; undefined when it was lost. */
  frame: DispatchFrame | undefined
  abort: AbortController
}

/** Why a signal was aborted. */
class WorkAborted extends Error {
  override name = 'WorkAborted'
}

/** So many events are remembered as done. More can't be in flight at once. */
const doneMax = 1_024

/**
 * What was handed to this runtime and is not answered for. It outlives connections: work goes on while there is none, and
 * its answers wait. An event is never worked on twice at once, and one that is done is not done again: when its
 * acknowledgement was lost on the way, the next attempt is acknowledged without work.
 */
export class WorkInHand {
  readonly #parts: WorkInHandParts
  readonly #byEvent = new Map<string, Work>()
  /** Answers that were not sent yet, by delivery. */
  readonly #answers = new Map<string, AttemptOutcome>()
  readonly #done = new Set<string>()
  #idle: (() => void)[] = []

  constructor(parts: WorkInHandParts) {
    this.#parts = parts
  }

  /** All deliveries to be named as `working`: those being worked on, and those whose answer was not sent yet. */
  get deliveries(): string[] {
    const deliveries = [...this.#answers.keys()]
    for (const { frame } of this.#byEvent.values()) if (frame !== undefined) deliveries.push(frame.delivery)
    return deliveries
  }

  take(frame: DispatchFrame): void {
    const event = eventOf(frame)
    const work = this.#byEvent.get(event)
    // Handed out again while the handler is still at it: its result will answer for the newer attempt.
    if (work !== undefined) work.frame = frame
    else if (this.#done.has(event)) this.#answer(frame.delivery, { kind: 'done' })
    else this.#start(frame)
  }

  /** These attempts count no more: their handlers are told, and what they bring is not sent. */
  lose(deliveries: readonly string[]): void {
    for (const delivery of deliveries) this.#answers.delete(delivery)
    for (const work of this.#byEvent.values()) {
      if (work.frame === undefined || !deliveries.includes(work.frame.delivery)) continue
      work.frame = undefined
      work.abort.abort(new WorkAborted('the service took this attempt back; the event will be handed out again'))
    }
  }

  /** Tells every handler to stop, and forgets all that is not answered. */
  giveUp(): void {
    for (const work of this.#byEvent.values()) {
      work.frame = undefined
      work.abort.abort(new WorkAborted('the runtime is leaving; the event goes back to the service'))
    }
    this.#byEvent.clear()
    this.#answers.clear()
    this.#tellIdle()
  }

  /** Takes out what is to be sent: one frame for all that is done, one for each that failed. */
  takeAnswers(): AnswerFrame[] {
    const done: string[] = []
    const failed: AnswerFrame[] = []
    for (const [delivery, outcome] of this.#answers) {
      if (outcome.kind === 'done') done.push(delivery)
      else {
        const { kind: _, ...why } = outcome
        failed.push({ type: 'nack', delivery, ...why })
      }
    }
    this.#answers.clear()
    return done.length === 0 ? failed : [{ type: 'ack', deliveries: done }, ...failed]
  }

  /** Whether everything is worked off and answered. */
  get empty(): boolean {
    return this.#byEvent.size === 0 && this.#answers.size === 0
  }

  /** Resolves when no handler is at work any more. */
  async idle(): Promise<void> {
    if (this.#byEvent.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #start(frame: DispatchFrame): void {
    const abort = new AbortController()
    const work: Work = { event: eventOf(frame), frame, abort }
    this.#byEvent.set(work.event, work)
    const { handle, log, onProblem } = this.#parts
    attempt(frame, { handle, signal: abort.signal, log, onProblem }).then((outcome) => this.#settle(work, outcome))
  }

  #settle(work: Work, outcome: AttemptOutcome): void {
    const { event, frame, abort } = work
    if (this.#byEvent.get(event) !== work) return
    this.#byEvent.delete(event)
    if (outcome.kind === 'done') this.#remember(event)
    // Stopped half-way because the attempt was lost, and handed out anew meanwhile: from the beginning.
    if (frame !== undefined && abort.signal.aborted && outcome.kind === 'failed') this.#start(frame)
    else if (frame !== undefined) this.#answer(frame.delivery, outcome)
    this.#tellIdle()
  }

  #answer(delivery: string, outcome: AttemptOutcome): void {
    this.#answers.set(delivery, outcome)
    this.#parts.onAnswer()
  }

  #remember(event: string): void {
    this.#done.add(event)
    for (const oldest of this.#done) {
      if (this.#done.size <= doneMax) break
      this.#done.delete(oldest)
    }
  }

  #tellIdle(): void {
    if (this.#byEvent.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}

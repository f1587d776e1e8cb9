import { type Attempt, isolatedSteps, type OnFault } from '../attempt.ts'
import type { Clock } from '../clock.ts'
import type { SingletonDuty } from '../duty.ts'
import { auditWatchMs, botWatchMs, deadLetterReportMs } from '../limits/limits.ts'
import type { AuditSource } from './audit-source.ts'
import type { BotWatch } from './bot-watch.ts'
import type { DeadLetterSource } from './dead-letter-source.ts'

/** Runs the sources of outgoing events: dead letters on every node, the other sources on one node at a time. */
export class EventSources {
  readonly #audit: AuditSource
  readonly #bots: BotWatch
  readonly #deadLetters: DeadLetterSource
  readonly #duty: SingletonDuty
  readonly #clock: Clock
  readonly #attempt: Attempt
  readonly #running = new Map<string, Promise<void>>()
  #stops: (() => void)[] = []

  constructor(parts: {
    audit: AuditSource
    bots: BotWatch
    deadLetters: DeadLetterSource
    duty: SingletonDuty
    clock: Clock
    onFault: OnFault
  }) {
    this.#audit = parts.audit
    this.#bots = parts.bots
    this.#deadLetters = parts.deadLetters
    this.#duty = parts.duty
    this.#clock = parts.clock
    this.#attempt = isolatedSteps(parts.onFault)
  }

  start(): void {
    this.#stops = [
      this.#clock.every(auditWatchMs, () => {
        if (this.#duty.isOurs) this.#run('audit events for subscriptions', () => this.#audit.read())
      }),
      this.#clock.every(botWatchMs, () => {
        if (this.#duty.isOurs) this.#run('bot watch for subscriptions', () => this.#bots.compare())
      }),
      this.#clock.every(deadLetterReportMs, () => {
        this.#run('dead letter report', () => this.#deadLetters.report())
      }),
    ]
  }

  /** Resolves once the running sources have finished and the last dead letters are reported. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop()
    await Promise.all(this.#running.values())
    this.#deadLetters.close()
    await this.#attempt('dead letter report', {}, () => this.#deadLetters.report())
  }

  /** Runs a source, unless its last run is still in progress. */
  #run(name: string, work: () => Promise<void>): void {
    if (this.#running.has(name)) return
    this.#running.set(
      name,
      this.#attempt(name, {}, work).finally(() => this.#running.delete(name)),
    )
  }
}

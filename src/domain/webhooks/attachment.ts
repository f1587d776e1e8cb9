import { bisectFailures, type OnFault } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { Delivery, DeliveryLeases, Failure } from './delivery-queue.ts'

export interface Receiver {
  /** ID of the runtime instance that holds the leases, the same across reconnects and service restarts. */
  holder: string
  /** Whether this receiver sends outgoing events, and so isn't counted as a runtime. */
  isInternal?: true
  deliver(delivery: Delivery): void
  /**
   * Returns how many of `most` deliveries the receiver can take now. Called only if some may be due. After 0, the
   * receiver calls `pump` once there is room.
   */
  room(most: number): number
  /** Whether the connection is closing, so that nothing more can be sent. */
  readonly isClosing?: boolean
  /** Called after `room`, when no further deliveries follow for now. */
  claimed?(): void
  /** A newer session of the same holder replaces this one. */
  evicted(): void
}

export interface ReportOutcome {
  /** The reported deliveries that were in flight on this attachment. All others are ignored. */
  deliveries: readonly string[]
  /** Resolves once storing the outcome has succeeded or failed. Never rejects. */
  settled: Promise<void>
}

/** After this time, an expired lease has been recorded, possibly by another node, which doesn't tell. */
const lapseRecordedWithinMs = 10_000

/** A connected runtime, to the dispatcher. Claims its bots' events in round-robin order while the window has room. */
export class Attachment {
  readonly sinceMs: number
  readonly #receiver: Receiver
  readonly #queue: DeliveryLeases
  readonly #clock: Clock
  readonly #onFault: OnFault
  readonly #bots = new Set<BotId>()
  /** Bots that may have due events, in round-robin order. */
  readonly #due = new Set<BotId>()
  /** Bots whose last claim failed. `retry` moves them back to `#due`. */
  readonly #failed = new Set<BotId>()
  /** Deliveries in flight, and when each was leased or renewed, oldest first. */
  readonly #inFlight = new Map<string, number>()
  #window = 0
  #state: 'waiting' | 'open' | 'paused' | 'closed' = 'waiting'
  #claiming: Promise<void> | undefined

  constructor(parts: {
    receiver: Receiver
    queue: DeliveryLeases
    clock: Clock
    onFault: OnFault
  }) {
    this.#receiver = parts.receiver
    this.#queue = parts.queue
    this.#clock = parts.clock
    this.#onFault = parts.onFault
    this.sinceMs = parts.clock.nowMs()
  }

  get holder(): string {
    return this.#receiver.holder
  }

  get botIds(): readonly BotId[] {
    return [...this.#bots]
  }

  get isInternal(): boolean {
    return this.#receiver.isInternal === true
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  hosts(botId: BotId): boolean {
    return this.#bots.has(botId)
  }

  /** @param working deliveries from an earlier connection, which count toward the window. */
  open(working: readonly string[]): void {
    if (this.#state !== 'waiting') return
    for (const delivery of working) this.#leased(delivery)
    this.#state = 'open'
    this.pump()
  }

  /** Reports on deliveries in flight are still accepted. */
  pause(): void {
    if (this.#state !== 'closed') this.#state = 'paused'
  }

  /** Returns the deliveries in flight. Their leases are not changed. */
  close(): string[] {
    this.#state = 'closed'
    return [...this.#inFlight.keys()]
  }

  evict(): void {
    this.close()
    this.#receiver.evicted()
  }

  /** Resolves once a claim under way has ended and its events, if they can no longer be sent, are released. */
  get claimed(): Promise<void> | undefined {
    return this.#claiming
  }

  add(botId: BotId): void {
    this.#bots.add(botId)
  }

  remove(botId: BotId): void {
    this.#bots.delete(botId)
    this.#due.delete(botId)
    this.#failed.delete(botId)
  }

  retry(): void {
    const nowMs = this.#clock.nowMs()
    for (const [delivery, leasedAtMs] of this.#inFlight) {
      if (nowMs - leasedAtMs < limits.leaseMs + lapseRecordedWithinMs) break
      this.lapsed(delivery)
    }
    for (const botId of this.#failed) this.#due.add(botId)
    this.#failed.clear()
    this.pump()
  }

  setWindow(window: number): void {
    this.#window = window
    this.pump()
  }

  /** Notes that the bot may have due events. */
  wake(botId: BotId): void {
    this.#due.add(botId)
    this.pump()
  }

  acknowledge(deliveries: readonly string[]): ReportOutcome {
    return this.#answer(deliveries, 'acknowledgement write', (held) =>
      this.#queue.acknowledge(this.holder, held, this.#clock.nowMs()),
    )
  }

  fail(failure: Omit<Failure, 'failedAtMs'>): ReportOutcome {
    return this.#answer([failure.delivery], 'failed attempt write', () =>
      this.#queue.fail(this.holder, [{ ...failure, failedAtMs: this.#clock.nowMs() }]),
    )
  }

  /** Releases leases of deliveries that were not sent, without counting an attempt. */
  release(deliveries: readonly string[]): ReportOutcome {
    return this.#answer(deliveries, 'lease release', (held) => this.#queue.release(this.holder, held))
  }

  /** Resolves with the deliveries that are not leased to this holder. */
  async renew(deliveries: readonly string[]): Promise<string[]> {
    const held = deliveries.filter((delivery) => this.#inFlight.has(delivery))
    const lost = held.length === 0 ? [] : await this.#queue.renew(this.holder, held, this.#clock.nowMs())
    // They no longer count toward the window.
    for (const delivery of lost) this.#inFlight.delete(delivery)
    if (lost.length > 0) this.pump()
    for (const delivery of held) if (this.#inFlight.has(delivery)) this.#leased(delivery)
    return deliveries.filter((delivery) => !this.#inFlight.has(delivery))
  }

  #leased(delivery: string): void {
    // Deletes it first, so that it becomes the newest.
    this.#inFlight.delete(delivery)
    this.#inFlight.set(delivery, this.#clock.nowMs())
  }

  /** After its lease has expired, a delivery doesn't count toward the window. */
  lapsed(delivery: string): void {
    this.#inFlight.delete(delivery)
  }

  /** Safe to call at any time. */
  pump(): void {
    if (this.#claiming !== undefined || this.#due.size === 0 || this.#room() <= 0) return
    this.#claiming = this.#claimWhileRoom()
      .catch((error) => this.#onFault(error, 'event claim'))
      .finally(() => {
        this.#claiming = undefined
        this.#receiver.claimed?.()
      })
  }

  #answer(named: readonly string[], doing: string, store: (held: string[]) => Promise<void>): ReportOutcome {
    // `delete` returns true only once per delivery, even if it is reported twice.
    const deliveries = named.filter((delivery) => this.#inFlight.delete(delivery))
    if (deliveries.length === 0) return { deliveries, settled: Promise.resolve() }
    const settled = store(deliveries).catch((error) => this.#onFault(error, doing, { holder: this.holder }))
    this.pump()
    return { deliveries, settled }
  }

  #room(): number {
    const most = Math.min(this.#window - this.#inFlight.size, limits.claimMaxEvents)
    return !this.#isOpen || most <= 0 ? 0 : this.#receiver.room(most)
  }

  get #isOpen(): boolean {
    return this.#state === 'open' && this.#receiver.isClosing !== true
  }

  async #claimWhileRoom(): Promise<void> {
    while (this.#due.size > 0) {
      const most = this.#room()
      if (most <= 0) return
      const botIds = [...this.#due.values().take(most)]
      // Removed before the claim, so that a bot that is woken during it is due again.
      for (const botId of botIds) this.#due.delete(botId)
      await this.#claim(botIds, most)
    }
  }

  async #claim(botIds: readonly BotId[], most: number): Promise<void> {
    const failed = new Set(botIds)
    try {
      await bisectFailures(
        botIds,
        async (some) => {
          const claim = { holder: this.holder, mostBytes: limits.claimBodiesMaxBytes, nowMs: this.#clock.nowMs() }
          const room = Math.min(most, this.#window - this.#inFlight.size)
          // After a failed claim, `bisectFailures` tries smaller groups of bots. If earlier groups have filled the
          // window, the bots of this group stay due.
          const { deliveries, more } =
            room > 0 ? await this.#queue.claim({ ...claim, botIds: some, most: room }) : { deliveries: [], more: some }
          for (const botId of some) failed.delete(botId)
          for (const botId of more) if (this.#bots.has(botId)) this.#due.add(botId)
          await this.#deliver(deliveries)
        },
        (botId, error) => this.#onFault(error, 'event claim of a bot', { botId }),
      )
    } catch (error) {
      for (const botId of failed) if (this.#bots.has(botId)) this.#due.add(botId)
      throw error
    }
    // Retried by the dispatcher's next poll, so that they don't delay the others.
    for (const botId of failed) if (this.#bots.has(botId)) this.#failed.add(botId)
  }

  async #deliver(deliveries: readonly Delivery[]): Promise<void> {
    const unsent: string[] = []
    for (const delivery of deliveries) {
      // The bot may have been removed during the claim.
      if (this.#isOpen && this.#bots.has(delivery.botId)) {
        this.#leased(delivery.delivery)
        this.#receiver.deliver(delivery)
      } else unsent.push(delivery.delivery)
    }
    // No attempt is counted.
    if (unsent.length > 0) await this.#queue.release(this.holder, unsent)
  }
}

import { isolating, type OnFault } from '../attempt.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids.ts'
import { claimBodiesMaxBytes, claimMaxEvents } from '../limits/limits.ts'
import type { Delivery, DeliveryLeases, Failure } from './delivery-queue.ts'

/** Where deliveries go: the session of a connected runtime. */
export interface Receiver {
  /** The runtime's instance; leases are held in this name, over connections and restarts. */
  holder: string
  deliver(delivery: Delivery): void
  /** Whether the connection takes more now. When that changes to yes, the receiver calls `pump`. */
  writable(): boolean
  /** A newer session of the same holder took over. */
  evicted(): void
}

/** Outcome of an acknowledgement or failure report from a runtime. */
export interface Answered {
  /** The named deliveries that were in flight here. The others are ignored and not sent to the queue. */
  deliveries: readonly string[]
  /** Resolves once the write has succeeded or failed. Never rejects. */
  settled: Promise<void>
}

/**
 * A connected runtime as the dispatcher sees it: the bots it hosts, its window, and what is in flight to it.
 * Events are claimed for it as long as the window has room, in turn over its bots.
 */
export class Attachment {
  readonly #receiver: Receiver
  readonly #queue: DeliveryLeases
  readonly #clock: Clock
  readonly #onFault: OnFault
  readonly #bots = new Set<BotId>()
  /** Hosted bots that may have events due; whose turn is next stands first. */
  readonly #due = new Set<BotId>()
  /** Hosted bots whose claim failed. They wait for `retry`. */
  readonly #failed = new Set<BotId>()
  readonly #inFlight = new Set<string>()
  #window = 0
  #state: 'waiting' | 'open' | 'paused' | 'closed' = 'waiting'
  #claiming = false

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
  }

  get holder(): string {
    return this.#receiver.holder
  }

  get botIds(): readonly BotId[] {
    return [...this.#bots]
  }

  /** How many deliveries the runtime has not answered for. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  hosts(botId: BotId): boolean {
    return this.#bots.has(botId)
  }

  /** Begins to deliver. @param working deliveries that the runtime still has from before; they count in its window. */
  open(working: readonly string[]): void {
    if (this.#state !== 'waiting') return
    for (const delivery of working) this.#inFlight.add(delivery)
    this.#state = 'open'
    this.pump()
  }

  /** Delivers nothing further; answers to what is in flight are still taken. */
  pause(): void {
    if (this.#state !== 'closed') this.#state = 'paused'
  }

  /** Ends it. What was in flight is returned; the leases are as they were. */
  close(): string[] {
    this.#state = 'closed'
    return [...this.#inFlight]
  }

  evict(): void {
    this.close()
    this.#receiver.evicted()
  }

  add(botId: BotId): void {
    this.#bots.add(botId)
  }

  remove(botId: BotId): void {
    this.#bots.delete(botId)
    this.#due.delete(botId)
    this.#failed.delete(botId)
  }

  /** Claims again, including for the bots whose last claim failed. */
  retry(): void {
    for (const botId of this.#failed) this.#due.add(botId)
    this.#failed.clear()
    this.pump()
  }

  /** How many deliveries the runtime takes at once. */
  setWindow(window: number): void {
    this.#window = window
    this.pump()
  }

  /** The bot may have events due. */
  wake(botId: BotId): void {
    this.#due.add(botId)
    this.pump()
  }

  /** Marks the deliveries as delivered. */
  acknowledge(deliveries: readonly string[]): Answered {
    return this.#answer(deliveries, 'acknowledgement write', (held) =>
      this.#queue.acknowledge(this.holder, held, this.#clock.nowMs()),
    )
  }

  fail(failure: Omit<Failure, 'failedAtMs'>): Answered {
    return this.#answer([failure.delivery], 'failed attempt write', () =>
      this.#queue.fail(this.holder, [{ ...failure, failedAtMs: this.#clock.nowMs() }]),
    )
  }

  /** Renews the leases and resolves with those that are not held here (any more). */
  async renew(deliveries: readonly string[]): Promise<string[]> {
    const held = deliveries.filter((delivery) => this.#inFlight.has(delivery))
    const lost = held.length === 0 ? [] : await this.#queue.renew(this.holder, held, this.#clock.nowMs())
    // Their leases expired and another process failed them, so they no longer take up the window.
    for (const delivery of lost) this.#inFlight.delete(delivery)
    if (lost.length > 0) this.pump()
    const kept = new Set(held).difference(new Set(lost))
    return deliveries.filter((delivery) => !kept.has(delivery))
  }

  /** The lease ran out; the window has that room again. */
  lapsed(delivery: string): void {
    this.#inFlight.delete(delivery)
  }

  /** Claims and delivers as long as there is room. Harmless at any time. */
  pump(): void {
    if (this.#claiming || this.#room() <= 0 || this.#due.size === 0) return
    this.#claiming = true
    this.#claimWhileRoom()
      .catch((error) => this.#onFault(error, 'claiming events'))
      .finally(() => {
        this.#claiming = false
      })
  }

  #answer(named: readonly string[], doing: string, store: (held: string[]) => Promise<void>): Answered {
    // `delete` succeeds once per delivery, so a delivery named twice counts once.
    const deliveries = named.filter((delivery) => this.#inFlight.delete(delivery))
    if (deliveries.length === 0) return { deliveries, settled: Promise.resolve() }
    const settled = store(deliveries).catch((error) => this.#onFault(error, doing, { holder: this.holder }))
    this.pump()
    return { deliveries, settled }
  }

  #room(): number {
    if (this.#state !== 'open' || !this.#receiver.writable()) return 0
    return Math.min(this.#window - this.#inFlight.size, claimMaxEvents)
  }

  async #claimWhileRoom(): Promise<void> {
    for (let most = this.#room(); most > 0 && this.#due.size > 0; most = this.#room()) {
      const botIds = [...this.#due.values().take(most)]
      // Taken out before the claim: a wake during it puts them back and is not lost.
      for (const botId of botIds) this.#due.delete(botId)
      await this.#claim(botIds, most)
    }
  }

  async #claim(botIds: readonly BotId[], most: number): Promise<void> {
    const failed = new Set(botIds)
    try {
      await isolating(
        botIds,
        async (some) => {
          const claim = { holder: this.holder, mostBytes: claimBodiesMaxBytes, nowMs: this.#clock.nowMs() }
          const room = Math.min(most, this.#window - this.#inFlight.size)
          // When bots are isolated, those before may have taken all the room: these then keep their turn.
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
    // Retried with the dispatcher's next watch, so that a failing bot does not hold up the others.
    for (const botId of failed) if (this.#bots.has(botId)) this.#failed.add(botId)
  }

  async #deliver(deliveries: readonly Delivery[]): Promise<void> {
    if (this.#state !== 'open') {
      // The session ended or drains since the claim began: nothing was sent, so no attempt is counted.
      const unsent = deliveries.map(({ delivery }) => delivery)
      await this.#queue.release(this.holder, unsent)
      return
    }
    for (const delivery of deliveries) {
      this.#inFlight.add(delivery.delivery)
      this.#receiver.deliver(delivery)
    }
  }
}

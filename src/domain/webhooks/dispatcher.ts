import { type Attempt, isolatedSteps, type OnFault, oneAtATime } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { Attachment, type Receiver } from './attachment.ts'
import type { DeliveryLeases, DeliveryWatch, Taken } from './delivery-queue.ts'

const watchEveryMs = 1_000

/**
 * Delivers events to the runtimes that host their bots: immediately after acceptance, and again when a retry is due,
 * when the lease has expired, or when the connection has been lost for ten seconds.
 */
export class Dispatcher {
  readonly #queue: DeliveryLeases & DeliveryWatch
  readonly #clock: Clock
  readonly #onFault: OnFault
  readonly #attempt: Attempt
  readonly #attached = new Map<string, Attachment>()
  readonly #byBot = new Map<BotId, Set<Attachment>>()
  /** The last claims of detached attachments, by holder. */
  readonly #lastClaims = new Map<string, Promise<unknown>>()
  /** Disconnected holders, and when each lost its connection. */
  readonly #lostSinceMs = new Map<string, number>()
  #watchedUntilMs: number
  readonly #watching = oneAtATime(() => this.#watch())
  #stops: (() => void)[] = []

  /** @param parts.onFault receives failures in background work. The affected events are redelivered. */
  constructor(parts: { queue: DeliveryLeases & DeliveryWatch; clock: Clock; onFault: OnFault }) {
    this.#queue = parts.queue
    this.#clock = parts.clock
    this.#onFault = parts.onFault
    this.#attempt = isolatedSteps(parts.onFault)
    this.#watchedUntilMs = parts.clock.nowMs()
  }

  get figures(): { runtimes: number; bots: number; inFlight: number } {
    const runtimes = [...this.#attached.values()].filter((attachment) => !attachment.isInternal)
    const bots = new Set(runtimes.flatMap(({ botIds }) => botIds)).size
    return { runtimes: runtimes.length, bots, inFlight: runtimes.reduce((sum, { inFlight }) => sum + inFlight, 0) }
  }

  /** Takes over leases of processes that are gone. Their holders have ten seconds from now to reconnect. */
  async start(): Promise<void> {
    await this.#adopt(this.#clock.nowMs())
    this.#stops = [
      this.#queue.onTaken((taken) => this.#onTaken(taken)),
      this.#queue.onDue((botId) => this.wake(botId)),
      this.#clock.every(watchEveryMs, this.#watching.run),
    ]
  }

  /** Resolves once the last poll has finished. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop()
    await this.#watching.running
  }

  /**
   * Evicts an older session of the same holder. Keeps the holder's leases listed in `working` and fails all others.
   * `lost` lists those in `working` that are not leased to the holder.
   *
   * @param asked.window maximum number of deliveries in flight.
   * @param asked.working deliveries from an earlier connection that the runtime is still processing.
   */
  async attach(receiver: Receiver, asked: { botIds: readonly BotId[]; window: number; working: readonly string[] }) {
    const { botIds, window, working } = asked
    const { holder } = receiver
    const attachment = new Attachment({ receiver, queue: this.#queue, clock: this.#clock, onFault: this.#onFault })
    const nowMs = this.#clock.nowMs()
    const failedAtMs = this.#lostSinceMs.get(holder) ?? nowMs
    const older = this.#attached.get(holder)
    if (older !== undefined) {
      this.#detach(older)
      older.evict()
    }
    this.#lostSinceMs.delete(holder)
    this.#attached.set(holder, attachment)
    try {
      // Otherwise, the events that they leased but could not send would count as failed.
      await this.#lastClaims.get(holder)
      // It may have been lost or evicted in the meantime.
      if (this.#attached.get(holder) !== attachment) return { attachment, kept: [], lost: [] }
      const { kept, lost } = await this.#queue.resume(holder, working, { nowMs, failedAtMs })
      attachment.setWindow(window)
      await this.host(attachment, botIds)
      return { attachment, kept, lost }
    } catch (error) {
      this.lose(attachment)
      throw error
    }
  }

  /** Hosts all of the bots at once. If it then rejects, the next poll finds their events. */
  async host(attachment: Attachment, botIds: readonly BotId[]): Promise<void> {
    for (const botId of botIds) this.#host(attachment, botId)
    for (const botId of await this.#queue.botsWithEvents(botIds)) if (attachment.hosts(botId)) attachment.wake(botId)
  }

  /** Deliveries in flight are not affected. */
  unhost(attachment: Attachment, botId: BotId): void {
    attachment.remove(botId)
    const hosts = this.#byBot.get(botId)
    hosts?.delete(attachment)
    if (hosts?.size === 0) this.#byBot.delete(botId)
  }

  /** The runtime keeps its leases for another ten seconds. */
  lose(attachment: Attachment): void {
    attachment.close()
    if (this.#attached.get(attachment.holder) !== attachment) return
    this.#detach(attachment)
    this.#lostSinceMs.set(attachment.holder, this.#clock.nowMs())
  }

  /**
   * Handles a runtime's `bye`: releases leases without counting attempts. Returns the bots left unhosted, and a promise
   * that resolves once the leases are released.
   */
  leave(attachment: Attachment): { unhosted: BotId[]; released: Promise<void> } {
    const { botIds } = attachment
    const inFlight = attachment.close()
    if (this.#attached.get(attachment.holder) === attachment) this.#detach(attachment)
    const released = this.#queue.release(attachment.holder, inFlight)
    return { unhosted: botIds.filter((botId) => !this.#byBot.has(botId)), released }
  }

  #host(attachment: Attachment, botId: BotId): void {
    // It may have been lost or evicted in the meantime.
    if (this.#attached.get(attachment.holder) !== attachment) return
    attachment.add(botId)
    this.#byBot.getOrInsertComputed(botId, () => new Set()).add(attachment)
  }

  #detach(attachment: Attachment): void {
    const { holder, claimed } = attachment
    this.#attached.delete(holder)
    for (const botId of attachment.botIds) this.unhost(attachment, botId)
    if (claimed === undefined) return
    const last = Promise.all([this.#lastClaims.get(holder), claimed]).then(() => {
      if (this.#lastClaims.get(holder) === last) this.#lastClaims.delete(holder)
    })
    this.#lastClaims.set(holder, last)
  }

  wake(botId: BotId): void {
    const hosts = this.#byBot.get(botId)
    if (hosts === undefined) return
    for (const attachment of hosts) attachment.wake(botId)
    // The first attachment gets the event if its window has room. The next event goes to another one.
    const [first] = hosts
    if (hosts.size < 2 || first === undefined) return
    hosts.delete(first)
    hosts.add(first)
  }

  /** Leases that the holder got here meanwhile are as if its connection was lost. */
  #onTaken({ holder, atMs }: Taken): void {
    const attachment = this.#attached.get(holder)
    // The holder may have connected here again since.
    if (attachment === undefined || attachment.sinceMs > atMs) return
    this.lose(attachment)
    attachment.evict()
  }

  async #adopt(nowMs: number): Promise<void> {
    for (const holder of await this.#queue.adoptOrphans())
      if (!this.#attached.has(holder)) this.#lostSinceMs.set(holder, nowMs)
  }

  async #watch(): Promise<void> {
    const attempt = this.#attempt
    const nowMs = this.#clock.nowMs()
    for (const [holder, sinceMs] of this.#lostSinceMs) {
      if (nowMs - sinceMs < limits.lostSocketGraceMs) continue
      await attempt('lease release', { holder }, () => this.#abandon(holder, sinceMs))
    }
    await attempt('lease expiry check', {}, () => this.#failExpired(nowMs))
    await attempt('retry check', {}, () => this.#wakeRetries(nowMs))
    await attempt('missed event check', {}, () => this.#wakeMissed(nowMs))
    await attempt('lease adoption', {}, () => this.#adopt(nowMs))
    for (const [holder, attachment] of this.#attached) {
      await attempt('delivery to a runtime', { holder }, () => attachment.retry())
    }
  }

  /** As of the loss of the connection, so that retry delays start from then. */
  async #abandon(holder: string, sinceMs: number): Promise<void> {
    await this.#queue.abandon(holder, sinceMs)
    if (this.#lostSinceMs.get(holder) === sinceMs) this.#lostSinceMs.delete(holder)
  }

  async #failExpired(nowMs: number): Promise<void> {
    for (const { holder, delivery } of await this.#queue.failExpired(nowMs))
      this.#attached.get(holder)?.lapsed(delivery)
  }

  async #wakeRetries(nowMs: number): Promise<void> {
    for (const botId of await this.#queue.botsWithRetriesDue(this.#watchedUntilMs, nowMs)) this.wake(botId)
    this.#watchedUntilMs = nowMs
  }

  async #wakeMissed(nowMs: number): Promise<void> {
    for (const botId of await this.#queue.botsWithMissedEvents([...this.#byBot.keys()], nowMs)) this.wake(botId)
  }
}

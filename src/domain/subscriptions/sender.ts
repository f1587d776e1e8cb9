import { type Attempt, isolatedSteps, type OnFault, oneAtATime } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import { type BotId, newId, outboxOf, type SubscriptionId, subscriptionOf, type UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { Attachment, Receiver } from '../webhooks/attachment.ts'
import type { Delivery, DeliveryWatch } from '../webhooks/delivery-queue.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import { sendingFailedError } from './outgoing-requests.ts'
import type { Post } from './posting.ts'
import { RequestSlots, type Slot, type SlotUser } from './request-slots.ts'
import type { Subscription, SubscriptionStore } from './subscription-store.ts'

const idsPerRead = 1_000

interface SenderParts {
  store: Pick<SubscriptionStore, 'find' | 'list'>
  queue: Pick<DeliveryWatch, 'onDue' | 'botsWithEvents'>
  dispatcher: Dispatcher
  post: Post
  clock: Clock
  onFault: OnFault
}

/**
 * To the dispatcher, each outbox looks like a bot hosted by a runtime of its own, whose window is the number of
 * concurrent requests to one subscription. An outbox takes slots for its requests before it claims events, so that no
 * lease waits for a slot. Runs on every node. Only outboxes with unfinished events take up memory.
 */
export class Sender {
  readonly #parts: SenderParts
  readonly #attempt: Attempt
  readonly #slots = new RequestSlots()
  readonly #stopping = new AbortController()
  readonly #outboxes = new Map<BotId, Promise<Outbox | undefined>>()
  readonly #sweeping = oneAtATime(() => this.#attempt('outbox sweep', {}, () => this.#sweep()))
  #stops: (() => void)[] = []

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#attempt = isolatedSteps(parts.onFault)
  }

  start(): void {
    this.#stops = [
      this.#parts.queue.onDue((botId) => {
        if (subscriptionOf(botId) !== undefined) this.#open(botId)
      }),
      this.#parts.clock.every(limits.outboxSweepMs, this.#sweeping.run),
    ]
    this.#sweeping.run()
  }

  /** Aborts the requests in flight and releases their leases, without counting an attempt. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#stopping.abort()
    await this.#sweeping.running
    const opened = [...this.#outboxes.values()]
    this.#outboxes.clear()
    for (const outbox of opened) await this.#attempt('outbox release', {}, async () => (await outbox)?.close())
  }

  #open(outbox: BotId): void {
    if (this.#outboxes.has(outbox) || this.#stopping.signal.aborted) return
    const opening = this.#attempt('outbox start', { outbox }, () => this.#attach(outbox))
    this.#outboxes.set(outbox, opening)
    opening.then((opened) => {
      // The next sweep tries again.
      if (opened === undefined) this.#outboxes.delete(outbox)
    })
  }

  async #attach(botId: BotId): Promise<Outbox> {
    const id = subscriptionOf(botId)
    const subscription = id && (await this.#parts.store.find(id, undefined))
    const outbox = new Outbox({ ...this.#parts, slots: this.#slots, stopping: this.#stopping.signal }, subscription)
    await outbox.open(botId)
    return outbox
  }

  /** Opens the outboxes that have unfinished events, for example left by another node. Closes the others. */
  async #sweep(): Promise<void> {
    const idle = new Set(this.#outboxes.keys())
    let after: SubscriptionId | undefined
    do {
      const subscriptions = await this.#parts.store.list(after, idsPerRead)
      const outboxes = subscriptions.map(({ id }) => outboxOf(id))
      for (const outbox of await this.#parts.queue.botsWithEvents(outboxes)) {
        idle.delete(outbox)
        this.#open(outbox)
      }
      after = subscriptions.length < idsPerRead ? undefined : subscriptions.at(-1)?.id
    } while (after !== undefined && !this.#stopping.signal.aborted)
    for (const botId of idle) {
      await this.#attempt('outbox release', { outbox: botId }, async () => {
        const outbox = await this.#outboxes.get(botId)
        // An event may have become due since the read.
        if (outbox === undefined || outbox.isSending) return
        this.#outboxes.delete(botId)
        await outbox.close()
      })
    }
  }
}

interface OutboxParts extends Pick<SenderParts, 'dispatcher' | 'post' | 'clock' | 'onFault'> {
  slots: RequestSlots
  stopping: AbortSignal
}

/**
 * One subscription's outbox, as a runtime to the dispatcher. An outbox of a chat sends one message at a time, with all
 * events that became due since the last one, and claims none until the next message may be sent.
 */
class Outbox implements Receiver, SlotUser {
  // A holder with the same name on another node would evict this one.
  readonly holder = `sender ${newId()}`
  readonly isInternal = true
  readonly owner: UserId | null
  host: string
  readonly #parts: OutboxParts
  #isChat: boolean
  /** Slots for the deliveries that are being claimed. */
  #taken: Slot[] = []
  /** The claimed events of the next message. */
  #message: Delivery[] = []
  /** Whether a message to a chat is being sent, or may not be sent yet. */
  #isPaused = false
  #stopPause = () => {}
  #attachment: Attachment | undefined

  /** @param subscription `undefined` if it was removed. */
  constructor(parts: OutboxParts, subscription: Subscription | undefined) {
    this.#parts = parts
    this.owner = subscription?.ownerId ?? null
    this.host = subscription === undefined ? '' : new URL(subscription.url).hostname
    this.#isChat = subscription !== undefined && subscription.format !== 'standard'
  }

  async open(botId: BotId): Promise<void> {
    const { attachment } = await this.#parts.dispatcher.attach(this, {
      botIds: [botId],
      window: this.#window,
      working: [],
    })
    this.#attachment = attachment
    attachment.open([])
  }

  get isSending(): boolean {
    return this.#attachment !== undefined && this.#attachment.inFlight > 0
  }

  pump(): void {
    this.#attachment?.pump()
  }

  get #window(): number {
    return this.#isChat ? limits.chatMessageEventsMax : limits.outgoingRequestsPerSubscription
  }

  room(most: number): number {
    if (this.#isChat && (this.#isPaused || this.#message.length > 0)) return 0
    if (this.#taken.length === 0) this.#taken = this.#parts.slots.take(this, this.#isChat ? 1 : most)
    return this.#isChat && this.#taken.length > 0 ? most : Math.min(most, this.#taken.length)
  }

  claimed(): void {
    const [first, ...others] = this.#message.splice(0)
    if (first !== undefined) {
      this.#isPaused = true
      this.#send([first, ...others])
    }
    for (const slot of this.#taken.splice(0)) this.#parts.slots.release(slot)
  }

  deliver(delivery: Delivery): void {
    if (this.#isChat) this.#message.push(delivery)
    else this.#send([delivery])
  }

  #send(deliveries: readonly [Delivery, ...Delivery[]]): void {
    const slot = this.#taken.pop()
    if (slot === undefined) throw new Error('more deliveries than slots')
    const isChat = this.#isChat
    let sentAtMs: number | undefined
    this.#parts
      .post(deliveries, isChat, this.#parts.stopping, (host) => {
        this.host = host
        if (host === slot.host) sentAtMs = this.#parts.clock.nowMs()
      })
      .then((posted) => {
        if (posted === 'other-format') return this.#claimAgain(deliveries, !isChat)
        const { outcomes, pauseMs } = posted
        if (isChat) this.#pause(Math.max(pauseMs, limits.chatMessageIntervalMs))
        for (const [at, { delivery }] of deliveries.entries()) {
          const outcome = outcomes[at]
          if (outcome?.kind === 'failed') this.#attachment?.fail({ delivery, ...outcome })
        }
        const delivered = deliveries.filter((_, at) => outcomes[at]?.kind === 'delivered')
        this.#attachment?.acknowledge(delivered.map(({ delivery }) => delivery))
      })
      .catch((error) => {
        if (isChat) this.#pause(limits.chatMessageIntervalMs)
        for (const { delivery, id } of deliveries) {
          this.#parts.onFault(error, 'outgoing event delivery', { event: id })
          // Frees the window at once, not only when the lease expires.
          this.#attachment?.fail({ delivery, error: sendingFailedError })
        }
      })
      .finally(() => this.#parts.slots.release(slot, sentAtMs && this.#parts.clock.nowMs() - sentAtMs))
  }

  /** Releases deliveries that were claimed for the other kind of format. */
  #claimAgain(deliveries: readonly Delivery[], isChat: boolean): void {
    this.#isChat = isChat
    // The message for which the outbox paused was not sent.
    if (!isChat) this.#isPaused = false
    this.#attachment?.setWindow(this.#window)
    this.#attachment?.release(deliveries.map(({ delivery }) => delivery))
  }

  #pause(ms: number): void {
    this.#stopPause()
    this.#stopPause = this.#parts.clock.every(ms, () => {
      this.#stopPause()
      this.#isPaused = false
      this.pump()
    })
  }

  evicted(): void {
    this.#attachment = undefined
  }

  async close(): Promise<void> {
    this.#stopPause()
    this.#parts.slots.forget(this)
    if (this.#attachment !== undefined) await this.#parts.dispatcher.leave(this.#attachment).released
  }
}

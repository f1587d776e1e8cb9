import { type Attempt, isolatedSteps, type OnFault } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { type BotId, newId, type SubscriptionId } from '../ids.ts'
import { outboxSweepMs, outgoingRequestsMax, outgoingRequestsPerSubscription } from '../limits/limits.ts'
import type { Attachment, Receiver } from '../webhooks/attachment.ts'
import type { Delivery, DeliveryWatch } from '../webhooks/delivery-queue.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import { sendingFailedError } from './outgoing-requests.ts'
import type { Posting } from './posting.ts'
import { outboxOf, type SubscriptionStore, subscriptionOf } from './subscription-store.ts'

const idsPerRead = 1_000

/**
 * Sends the events in the outboxes. To the dispatcher, each outbox looks like a bot hosted by a runtime of its own. The
 * runtime's window is the number of concurrent requests to one subscription, so a slow URL delays only its own events.
 *
 * Runs on every node. Only outboxes with unfinished events take up memory.
 */
export class Sender {
  readonly #store: Pick<SubscriptionStore, 'list'>
  readonly #queue: Pick<DeliveryWatch, 'onDue' | 'botsWithEvents'>
  readonly #dispatcher: Dispatcher
  readonly #posting: Posting
  readonly #clock: Clock
  readonly #onFault: OnFault
  readonly #attempt: Attempt
  readonly #requests = new ConcurrencyLimit(outgoingRequestsMax)
  readonly #stopping = new AbortController()
  readonly #outboxes = new Map<BotId, Promise<Outbox | undefined>>()
  /** Outboxes that wait for a free request slot. */
  readonly #waiting = new Set<Outbox>()
  #sweeping: Promise<void> | undefined
  #stops: (() => void)[] = []

  constructor(parts: {
    store: Pick<SubscriptionStore, 'list'>
    queue: Pick<DeliveryWatch, 'onDue' | 'botsWithEvents'>
    dispatcher: Dispatcher
    posting: Posting
    clock: Clock
    onFault: OnFault
  }) {
    this.#store = parts.store
    this.#queue = parts.queue
    this.#dispatcher = parts.dispatcher
    this.#posting = parts.posting
    this.#clock = parts.clock
    this.#onFault = parts.onFault
    this.#attempt = isolatedSteps(parts.onFault)
  }

  /** Starts sending events, including events queued before the start. */
  start(): void {
    this.#stops = [
      this.#queue.onDue((botId) => {
        if (subscriptionOf(botId) !== undefined) this.#open(botId)
      }),
      this.#clock.every(outboxSweepMs, () => this.#sweepOnce()),
    ]
    this.#sweepOnce()
  }

  /** Aborts the requests in flight and releases their leases, without counting an attempt. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#stopping.abort()
    await this.#sweeping
    const opened = [...this.#outboxes.values()]
    this.#outboxes.clear()
    for (const outbox of opened) await this.#attempt('outbox release', {}, async () => (await outbox)?.close())
  }

  #open(outbox: BotId): void {
    if (this.#outboxes.has(outbox) || this.#stopping.signal.aborted) return
    const opening = this.#attempt('outbox start', { outbox }, () => this.#attach(outbox))
    this.#outboxes.set(outbox, opening)
    opening.then((opened) => {
      // Forgets an outbox that could not be opened, so that the next sweep tries again.
      if (opened === undefined) this.#outboxes.delete(outbox)
    })
  }

  async #attach(botId: BotId): Promise<Outbox> {
    const outbox = new Outbox({
      dispatcher: this.#dispatcher,
      send: (delivery) => this.#requests.run(() => this.#posting.post(delivery, this.#stopping.signal)),
      mayStart: () => {
        if (!this.#requests.isFull) return true
        this.#waiting.add(outbox)
        return false
      },
      onSent: () => this.#pumpWaiting(),
      onFault: this.#onFault,
    })
    await outbox.open(botId)
    return outbox
  }

  #pumpWaiting(): void {
    for (const outbox of this.#waiting) {
      if (this.#requests.isFull) return
      this.#waiting.delete(outbox)
      outbox.pump()
    }
  }

  #sweepOnce(): Promise<void> {
    this.#sweeping ??= this.#attempt('outbox sweep', {}, () => this.#sweep()).finally(() => {
      this.#sweeping = undefined
    })
    return this.#sweeping
  }

  /** Opens the outboxes that have unfinished events, for example events left by another node. Closes the others. */
  async #sweep(): Promise<void> {
    const idle = new Set(this.#outboxes.keys())
    let after: SubscriptionId | undefined
    do {
      const subscriptions = await this.#store.list(after, idsPerRead)
      const outboxes = subscriptions.map(({ id }) => outboxOf(id))
      for (const outbox of await this.#queue.botsWithEvents(outboxes)) {
        idle.delete(outbox)
        this.#open(outbox)
      }
      after = subscriptions.length < idsPerRead ? undefined : subscriptions.at(-1)?.id
    } while (after !== undefined && !this.#stopping.signal.aborted)
    for (const botId of idle) {
      const outbox = this.#outboxes.get(botId)
      this.#outboxes.delete(botId)
      await this.#attempt('outbox release', { outbox: botId }, async () => (await outbox)?.close())
    }
  }
}

/** Represents one subscription's outbox to the dispatcher, as a runtime. */
class Outbox implements Receiver {
  // Unique, because a holder with the same name on another node would evict this holder.
  readonly holder = `sender ${newId()}`
  readonly isInternal = true
  readonly #dispatcher: Dispatcher
  readonly #send: (delivery: Delivery) => ReturnType<Posting['post']>
  readonly #onSent: () => void
  readonly #onFault: OnFault
  readonly writable: () => boolean
  #attachment: Attachment | undefined

  constructor(parts: {
    dispatcher: Dispatcher
    send: (delivery: Delivery) => ReturnType<Posting['post']>
    mayStart: () => boolean
    onSent: () => void
    onFault: OnFault
  }) {
    this.#dispatcher = parts.dispatcher
    this.#send = parts.send
    this.writable = parts.mayStart
    this.#onSent = parts.onSent
    this.#onFault = parts.onFault
  }

  async open(botId: BotId): Promise<void> {
    const { attachment } = await this.#dispatcher.attach(this, {
      botIds: [botId],
      window: outgoingRequestsPerSubscription,
      working: [],
    })
    this.#attachment = attachment
    attachment.open([])
  }

  pump(): void {
    this.#attachment?.pump()
  }

  deliver(delivery: Delivery): void {
    this.#send(delivery)
      .then((outcome) => {
        if (outcome.kind === 'delivered') this.#attachment?.acknowledge([delivery.delivery])
        else if (outcome.kind === 'failed') this.#attachment?.fail({ delivery: delivery.delivery, ...outcome })
      })
      .catch((error) => {
        this.#onFault(error, 'outgoing event delivery', { event: delivery.id })
        // Reports a failure to free the window at once. If another node handled the expired lease instead, this node
        // would never free the window.
        this.#attachment?.fail({ delivery: delivery.delivery, error: sendingFailedError })
      })
      .finally(() => this.#onSent())
  }

  evicted(): void {
    this.#attachment = undefined
  }

  async close(): Promise<void> {
    if (this.#attachment !== undefined) await this.#dispatcher.leave(this.#attachment)
  }
}

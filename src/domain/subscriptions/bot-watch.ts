import { type Attempt, isolatedSteps, type OnFault } from '../background-work.ts'
import type { BotStore } from '../bots/bot.ts'
import type { Snapshots } from '../bots/status/snapshots.ts'
import {
  type Announcement,
  createStatusWatch,
  type StatusAnnouncementStore,
  type StatusEvent,
  type StatusWatch,
} from '../bots/status/status-watch.ts'
import type { Clock } from '../clock.ts'
import { type BotId, newId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { BotLoad, QueueAlerts } from '../webhooks/delivery-queue.ts'
import { type EventType, eventIdOf, type OutgoingEvent } from './outgoing-event.ts'
import type { Publisher } from './publisher.ts'
import { type SubscriptionStore, subscriptionOf } from './subscription-store.ts'

/** Stores the last announcements, and how far the audit log was read. Each method is one transaction. */
export interface AnnouncementStore extends StatusAnnouncementStore {
  /** Returns the bots with an announcement on the subject. */
  announcedOf(subject: Announcement['subject']): Promise<BotId[]>
  withdraw(subject: Announcement['subject'], botIds: readonly BotId[]): Promise<void>
  /**
   * Deletes up to `most` announcements: those about deleted bots, and those about queues that no active subscription
   * covers.
   */
  prune(most: number): Promise<number>
  /** Returns the number of the last audit event that was read, or `undefined` if the audit log need not be read. */
  auditReadTo(): Promise<number | undefined>
  setAuditReadTo(number: number): Promise<void>
  /** Stops reading the audit log if no subscription is active. */
  stopAuditReader(): Promise<void>
}

/**
 * Finds out when bots go online or offline, or their queue is nearly full, and publishes that. A difference is stored as
 * announced only after publishing, so a crash loses none. The status pages list the changes of the connection, so bots
 * without subscriptions are compared too, though less often.
 */
export class BotWatch {
  readonly #subscriptions: Pick<SubscriptionStore, 'selectedTypes'>
  readonly #announcements: AnnouncementStore
  readonly #bots: Pick<BotStore, 'findBot'>
  readonly #status: StatusWatch
  readonly #queue: Pick<QueueAlerts, 'loadsFrom'>
  readonly #publisher: Publisher
  readonly #clock: Clock
  readonly #attempt: Attempt
  #everyoneDueAtMs = 0
  /**
   * IDs of events that aren't announced yet. Some outboxes may already have the event, so a repetition keeps its ID.
   */
  #queueEventIds: ReadonlyMap<BotId, string> = new Map()

  constructor(parts: {
    subscriptions: Pick<SubscriptionStore, 'selectedTypes'>
    announcements: AnnouncementStore
    bots: Pick<BotStore, 'findBot'>
    snapshots: Snapshots
    queue: Pick<QueueAlerts, 'loadsFrom'>
    publisher: Publisher
    idKey: Uint8Array
    clock: Clock
    onFault: OnFault
  }) {
    this.#subscriptions = parts.subscriptions
    this.#announcements = parts.announcements
    this.#bots = parts.bots
    this.#status = createStatusWatch({
      ...parts,
      publish: (event) => parts.publisher.publish(outgoing(event, parts.idKey)),
    })
    this.#queue = parts.queue
    this.#publisher = parts.publisher
    this.#clock = parts.clock
    this.#attempt = isolatedSteps(parts.onFault)
  }

  /** Compares all bots that subscriptions cover. Compares all other bots if their interval has passed. */
  async compare(): Promise<void> {
    const { platform, owners } = await this.#subscriptions.selectedTypes()
    const everyoneDue = this.#clock.nowMs() >= this.#everyoneDueAtMs
    const everyone = everyoneDue || platform.has('bot.online') || platform.has('bot.offline')
    if (everyone || owners.has('bot.online') || owners.has('bot.offline')) {
      if (everyone) this.#everyoneDueAtMs = this.#clock.nowMs() + limits.everyBotWatchMs
      await this.#attempt('bot connection watch', {}, () => this.#status.compare(everyone))
    }
    const type: EventType = 'queue.nearly_full'
    if (platform.has(type) || owners.has(type)) {
      await this.#attempt('bot queue watch', {}, () => this.#compareQueues())
    }
  }

  async #compareQueues(): Promise<void> {
    const loads = await this.#queue.loadsFrom(limits.queueRelaxedShare)
    const announced = new Set(await this.#announcements.announcedOf('queue'))
    const full = loads.filter((load) => shareOf(load) >= limits.queueNearlyFullShare && !announced.has(load.botId))
    const ids = new Map(full.map(({ botId }) => [botId, this.#queueEventIds.get(botId) ?? `msg_${newId()}`]))
    this.#queueEventIds = ids
    for (const load of full) {
      const { botId } = load
      await this.#attempt('bot queue event', { botId }, () => this.#announceQueue(load, ids.get(botId) as string))
    }
    const relaxed = announced.difference(new Set(loads.map(({ botId }) => botId)))
    if (relaxed.size > 0) await this.#announcements.withdraw('queue', [...relaxed])
  }

  async #announceQueue({ botId, ...load }: BotLoad, id: string): Promise<void> {
    const bot = subscriptionOf(botId) === undefined ? await this.#bots.findBot(botId) : undefined
    if (bot === undefined) return
    const nowMs = this.#clock.nowMs()
    await this.#publisher.publish({
      id,
      type: 'queue.nearly_full',
      ownerId: bot.ownerId,
      atMs: nowMs,
      data: { botId, botName: bot.name, ...load },
    })
    await this.#announcements.announce([
      { botId, subject: 'queue', previous: undefined, state: 'nearly-full', sinceMs: nowMs },
    ])
  }
}

function shareOf({ events, bytes, maxEvents, maxBytes }: BotLoad): number {
  return Math.max(events / maxEvents, bytes / maxBytes)
}

function outgoing(event: StatusEvent, idKey: Uint8Array): OutgoingEvent {
  const { is, bot, previousSinceMs, sinceMs, state, snapshot, atMs } = event
  return {
    id: eventIdOf(idKey, `${is} ${previousSinceMs} ${bot.id}`),
    type: `bot.${is}`,
    ownerId: bot.ownerId,
    atMs,
    data: {
      botId: bot.id,
      botName: bot.name,
      state,
      lastHeartbeatAt: snapshot === undefined ? null : new Date(snapshot.reportedAtMs).toISOString(),
      ...(is === 'online' && { offlineForMs: sinceMs - previousSinceMs }),
    },
  }
}

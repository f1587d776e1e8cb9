import { isolatedSteps, type OnFault } from '../background-work.ts'
import type { BotStore } from '../bots/bot.ts'
import type { Snapshots } from '../bots/status/snapshots.ts'
import type { StatusHistoryStore } from '../bots/status/status-history-store.ts'
import {
  type Announcement,
  createStatusWatch,
  type StatusAnnouncementStore,
  type StatusEvent,
} from '../bots/status/status-watch.ts'
import type { Clock } from '../clock.ts'
import { type BotId, newId, subscriptionOf } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { BotLoad, QueueAlerts } from '../webhooks/delivery-queue.ts'
import { type EventType, eventIdOf, type OutgoingEvent } from './outgoing-event.ts'
import type { Publisher } from './publisher.ts'
import type { SubscriptionStore } from './subscription-store.ts'

/** Each method is one transaction. */
export interface AnnouncementStore extends StatusAnnouncementStore {
  announcedOf(subject: Announcement['subject']): Promise<BotId[]>
  withdraw(subject: Announcement['subject'], botIds: readonly BotId[]): Promise<void>
  /** Deletes up to `most` announcements about deleted bots, and about queues that no active subscription covers. */
  prune(most: number): Promise<number>
  /** The last audit event that was read. `undefined` if the audit log need not be read. */
  auditReadTo(): Promise<number | undefined>
  setAuditReadTo(number: number): Promise<void>
  stopAuditReader(): Promise<void>
}

/**
 * Returns a function that finds out when bots go online or offline, or their queue is nearly full, and publishes that.
 * A difference is stored only after publishing, so a crash loses none. The status pages list the changes of the
 * connection, so bots without subscriptions are compared too, though less often.
 */
export function createBotWatch(parts: {
  subscriptions: Pick<SubscriptionStore, 'selectedTypes'>
  announcements: AnnouncementStore
  statusHistory: Pick<StatusHistoryStore, 'changesOf'>
  bots: Pick<BotStore, 'findBot'>
  snapshots: Snapshots
  queue: Pick<QueueAlerts, 'loadsFrom'>
  publisher: Publisher
  idKey: Uint8Array
  clock: Clock
  onFault: OnFault
}) {
  const { subscriptions, announcements, bots, queue, publisher, clock, idKey, onFault } = parts
  let everyoneDueAtMs = 0
  /** Some outboxes may already have an event that isn't announced yet, so a repetition keeps its ID. */
  let queueEventIds: ReadonlyMap<BotId, string> = new Map()
  const status = createStatusWatch({ ...parts, publish: (event) => publisher.publish(outgoing(event, idKey)) })
  const attempt = isolatedSteps(onFault)

  async function compareQueues(): Promise<void> {
    const loads = await queue.loadsFrom(limits.queueRelaxedShare)
    const announced = new Set(await announcements.announcedOf('queue'))
    const full = loads.filter((load) => shareOf(load) >= limits.queueNearlyFullShare && !announced.has(load.botId))
    const ids = new Map(full.map(({ botId }) => [botId, queueEventIds.get(botId) ?? `msg_${newId()}`]))
    queueEventIds = ids
    for (const load of full) {
      const { botId } = load
      await attempt('bot queue event', { botId }, () => announceQueue(load, ids.get(botId) as string))
    }
    const relaxed = announced.difference(new Set(loads.map(({ botId }) => botId)))
    if (relaxed.size > 0) await announcements.withdraw('queue', [...relaxed])
  }

  async function announceQueue({ botId, ...load }: BotLoad, id: string): Promise<void> {
    const bot = subscriptionOf(botId) === undefined ? await bots.findBot(botId) : undefined
    if (bot === undefined) return
    const nowMs = clock.nowMs()
    await publisher.publish({
      id,
      type: 'queue.nearly_full',
      ownerId: bot.ownerId,
      atMs: nowMs,
      data: { botId, botName: bot.name, ...load },
    })
    await announcements.announce([
      { botId, subject: 'queue', previous: undefined, state: 'nearly-full', sinceMs: nowMs },
    ])
  }

  return async (): Promise<void> => {
    const { platform, owners } = await subscriptions.selectedTypes()
    const everyoneDue = clock.nowMs() >= everyoneDueAtMs
    const everyone = everyoneDue || platform.has('bot.online') || platform.has('bot.offline')
    if (everyone || owners.has('bot.online') || owners.has('bot.offline')) {
      if (everyone) everyoneDueAtMs = clock.nowMs() + limits.everyBotWatchMs
      await attempt('bot connection watch', {}, () => status.compare(everyone))
    }
    const type: EventType = 'queue.nearly_full'
    if (platform.has(type) || owners.has(type)) await attempt('bot queue watch', {}, compareQueues)
  }
}

function shareOf({ events, bytes, maxEvents, maxBytes }: BotLoad): number {
  return Math.max(events / maxEvents, bytes / maxBytes)
}

function outgoing(event: StatusEvent, idKey: Uint8Array): OutgoingEvent {
  const { is, bot, previousSinceMs, offlineForMs, state, snapshot, atMs } = event
  return {
    id: eventIdOf(idKey, `${is} ${previousSinceMs ?? bot.createdAtMs} ${bot.id}`),
    type: `bot.${is}`,
    ownerId: bot.ownerId,
    atMs,
    data: {
      botId: bot.id,
      botName: bot.name,
      state,
      lastHeartbeatAt: snapshot === undefined ? null : new Date(snapshot.reportedAtMs).toISOString(),
      offlineForMs,
    },
  }
}

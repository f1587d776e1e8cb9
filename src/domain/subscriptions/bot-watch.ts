import { type Attempt, isolatedSteps, type OnFault, yieldToOthers } from '../background-work.ts'
import type { BotStore } from '../bots/bot.ts'
import { botState } from '../bots/status/bot-status.ts'
import { type ConnectionState, connectionState } from '../bots/status/incidents.ts'
import { type GatewaySnapshot, isFresh, type Snapshots } from '../bots/status/snapshots.ts'
import type { Clock } from '../clock.ts'
import { type BotId, newId, type UserId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { BotLoad, QueueAlerts } from '../webhooks/delivery-queue.ts'
import { type EventType, eventIdOf } from './outgoing-event.ts'
import type { Publisher } from './publisher.ts'
import { type SubscriptionStore, subscriptionOf } from './subscription-store.ts'

/** The subject of an announcement about a bot: whether it is online, or whether its queue is nearly full. */
type AnnouncedSubject = 'connection' | 'queue'

interface Announcement {
  botId: BotId
  subject: AnnouncedSubject
  /** The state announced before. `undefined` if no state was announced. */
  previous: string | undefined
  state: string
  sinceMs: number
}

/** A bot whose state is compared with the last announcement. */
export interface WatchedBot {
  id: BotId
  ownerId: UserId
  name: string
  hostingEnabled: boolean
  snapshot: GatewaySnapshot | undefined
  /** The connection state last announced. `undefined` if no state was announced. */
  announced: { state: string; sinceMs: number } | undefined
}

/** Stores the last announcements, and how far the audit log was read. Each method is one transaction. */
export interface AnnouncementStore {
  /**
   * Returns bots that aren't deleted, ordered by ID, starting after the given one.
   *
   * @param everyone whether to return all bots, or only the bots of owners with an active subscription.
   */
  watchedBots(everyone: boolean, after: BotId | undefined, most: number): Promise<WatchedBot[]>
  /**
   * Stores each announcement whose previous state is still the stored one. A change of connection is also added to the
   * bot's status changes.
   */
  announce(announcements: readonly Announcement[]): Promise<void>
  /** Returns the bots with an announcement on the subject. */
  announcedOf(subject: AnnouncedSubject): Promise<BotId[]>
  withdraw(subject: AnnouncedSubject, botIds: readonly BotId[]): Promise<void>
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
 * Compares bots with what was last announced about them, and publishes the differences: a bot went online or offline,
 * or its queue is nearly full. A difference is stored as announced only after publishing, so a crash loses none. The
 * status pages list the stored changes, so bots without subscriptions are compared too, though less often.
 */
export class BotWatch {
  readonly #subscriptions: Pick<SubscriptionStore, 'selectedTypes'>
  readonly #announcements: AnnouncementStore
  readonly #bots: Pick<BotStore, 'findBot'>
  readonly #snapshots: Snapshots
  readonly #queue: Pick<QueueAlerts, 'loadsFrom'>
  readonly #publisher: Publisher
  readonly #idKey: Uint8Array
  readonly #clock: Clock
  readonly #attempt: Attempt
  /** Time before which a bot without heartbeats isn't announced as offline, because its runtime may be reconnecting. */
  readonly #knowsFromMs: number
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
    this.#snapshots = parts.snapshots
    this.#queue = parts.queue
    this.#publisher = parts.publisher
    this.#idKey = parts.idKey
    this.#clock = parts.clock
    this.#attempt = isolatedSteps(parts.onFault)
    this.#knowsFromMs = parts.clock.nowMs() + limits.snapshotFreshForMs
  }

  /** Compares all bots that subscriptions cover. Compares all other bots if their interval has passed. */
  async compare(): Promise<void> {
    const { platform, owners } = await this.#subscriptions.selectedTypes()
    const everyoneDue = this.#clock.nowMs() >= this.#everyoneDueAtMs
    const everyone = everyoneDue || platform.has('bot.online') || platform.has('bot.offline')
    if (everyone || owners.has('bot.online') || owners.has('bot.offline')) {
      await this.#attempt('bot connection watch', {}, () => this.#compareConnections(everyone))
    }
    const type: EventType = 'queue.nearly_full'
    if (platform.has(type) || owners.has(type)) {
      await this.#attempt('bot queue watch', {}, () => this.#compareQueues())
    }
  }

  async #compareConnections(everyone: boolean): Promise<void> {
    if (everyone) this.#everyoneDueAtMs = this.#clock.nowMs() + limits.everyBotWatchMs
    let after: BotId | undefined
    do {
      const over = this.#snapshots.overlay()
      const bots = await this.#announcements.watchedBots(everyone, after, limits.botsPerWatchRead)
      const announced: Announcement[] = []
      for (const bot of bots) {
        const snapshot = over(bot.id, bot.snapshot)
        const missed = this.#missedOnline(bot, snapshot)
        const seen = missed === undefined ? bot : { ...bot, announced: missed }
        const change = await this.#attempt('bot connection event', { botId: bot.id }, () =>
          this.#changeOf(seen, snapshot),
        )
        if (change !== undefined) announced.push(...(missed === undefined ? [] : [missed]), change)
      }
      if (announced.length > 0) await this.#announcements.announce(announced)
      after = bots.length < limits.botsPerWatchRead ? undefined : bots.at(-1)?.id
      await yieldToOthers()
    } while (after !== undefined)
  }

  /**
   * Returns an announcement that the bot was online, if it went silent before it was first compared. This only happens
   * if the database was slow or unavailable for a while. Without it, nobody would be told about the bot's outage.
   */
  #missedOnline({ id: botId, announced }: WatchedBot, snapshot: GatewaySnapshot | undefined): Announcement | undefined {
    if (announced !== undefined || snapshot === undefined || !snapshot.ready || snapshot.hasLeft) return undefined
    const { reportedAtMs: sinceMs } = snapshot
    // From a heartbeat before this process started, the bot may have been silent for long.
    const startedAtMs = this.#knowsFromMs - limits.snapshotFreshForMs
    if (sinceMs < startedAtMs || isFresh(snapshot, this.#clock.nowMs())) return undefined
    return { botId, subject: 'connection', previous: undefined, state: 'online', sinceMs }
  }

  /**
   * Publishes a change of the bot's connection. Returns the announcement to store, or `undefined` if nothing changed.
   */
  async #changeOf(bot: WatchedBot, snapshot: GatewaySnapshot | undefined): Promise<Announcement | undefined> {
    const nowMs = this.#clock.nowMs()
    const state = botState(bot, snapshot, nowMs)
    const connection = connectionState(state)
    const previous = bot.announced?.state
    if (previous === connection || (state === 'offline' && nowMs < this.#knowsFromMs)) return undefined
    const sinceMs = Math.max(this.#beganAtMs(bot, snapshot, { connection, nowMs }), (bot.announced?.sinceMs ?? 0) + 1)
    const announcement: Announcement = { botId: bot.id, subject: 'connection', previous, state: connection, sinceMs }
    // Nothing is published when a bot is seen for the first time, or when it changes between offline and hosting off,
    // which subscriptions don't distinguish.
    if (bot.announced === undefined || (previous !== 'online' && connection !== 'online')) return announcement
    const event = connection === 'online' ? 'online' : 'offline'
    await this.#publisher.publish({
      id: eventIdOf(this.#idKey, `${event} ${bot.announced.sinceMs} ${bot.id}`),
      type: `bot.${event}`,
      ownerId: bot.ownerId,
      atMs: nowMs,
      data: {
        botId: bot.id,
        botName: bot.name,
        state,
        lastHeartbeatAt: snapshot === undefined ? null : new Date(snapshot.reportedAtMs).toISOString(),
      },
    })
    return announcement
  }

  /**
   * Returns when the bot's new state began. For a bot that stopped sending heartbeats, that is when its last heartbeat
   * expired.
   */
  #beganAtMs(
    { announced }: WatchedBot,
    snapshot: GatewaySnapshot | undefined,
    { connection, nowMs }: { connection: ConnectionState; nowMs: number },
  ): number {
    if (snapshot === undefined) return nowMs
    if (connection === 'online') return snapshot.reportedAtMs
    const wentSilent = connection === 'offline' && announced?.state === 'online' && snapshot.ready && !snapshot.hasLeft
    return wentSilent ? Math.max(snapshot.reportedAtMs + limits.snapshotFreshForMs, this.#knowsFromMs) : nowMs
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

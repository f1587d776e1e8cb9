import type { Audit, AuditKind } from '../audit/audit.ts'
import type { Actor, BotAccess } from '../bots/bot-access.ts'
import type { Clock } from '../clock.ts'
import type { BotId, FlowId, UserId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import { type BodyPreview, previewBody } from './delivery-list.ts'
import type { EventInterventions } from './delivery-queue.ts'
import { type BulkFilter, type BulkOutcome, DeliveryLogRefusal, type EventActions } from './event-actions.ts'
import type {
  DeadLetterCount,
  EventFilter,
  EventLog,
  EventPage,
  EventRecord,
  EventSummary,
  EventsWaitedFor,
  HourlyCount,
} from './event-log.ts'

/** An event as shown on its page. */
export type ShownEvent = Omit<EventRecord, 'body'> & {
  preview: BodyPreview
  /** The flow's first unfinished event, if strict order makes this event wait for it. */
  behind: EventSummary | undefined
}

/**
 * The delivery log of a bot, for its owner and collaborators: viewing, replaying, retrying and discarding events.
 *
 * Each method first checks that the user is allowed to perform the action on the bot. Each change is recorded in the
 * audit log.
 *
 * @throws BotRefusal `bot-unknown`, `not-allowed` (every method).
 */
export class DeliveryLog {
  readonly #access: BotAccess
  readonly #log: EventLog
  readonly #queue: EventInterventions
  readonly #actions: EventActions
  readonly #audit: Audit
  readonly #clock: Clock

  constructor(parts: {
    access: BotAccess
    log: EventLog
    queue: EventInterventions
    actions: EventActions
    audit: Audit
    clock: Clock
  }) {
    this.#access = parts.access
    this.#log = parts.log
    this.#queue = parts.queue
    this.#actions = parts.actions
    this.#audit = parts.audit
    this.#clock = parts.clock
  }

  /**
   * Returns events, newest first. A page may contain fewer than `at.most` events even if it isn't the last one.
   *
   * @param at.before the `next` of the previous page.
   */
  async page(
    actor: UserId,
    botId: BotId,
    filter: EventFilter,
    at: { before?: string | undefined; most: number },
  ): Promise<EventPage & { behind: EventsWaitedFor }> {
    await this.#access.demand(actor, botId, 'read-deliveries')
    const page = await this.#log.page(botId, filter, { ...at, most: Math.min(at.most, limits.eventsPerPageMax) })
    return { ...page, behind: await this.#log.waitedFor(botId, page.events) }
  }

  /**
   * Returns an event with its attempts, its headers and a preview of its body.
   *
   * @throws DeliveryLogRefusal `event-unknown`.
   */
  async event(actor: UserId, botId: BotId, id: string): Promise<ShownEvent> {
    const { body, ...event } = await this.#read(actor, botId, id)
    const behind = (await this.#log.waitedFor(botId, [event])).get(event.id)
    return { ...event, preview: previewBody(body, limits.bodyPreviewMaxBytes), behind }
  }

  /**
   * Returns an event with its attempts, its headers and its whole body.
   *
   * @throws DeliveryLogRefusal `event-unknown`.
   */
  whole(actor: UserId, botId: BotId, id: string): Promise<EventRecord> {
    return this.#read(actor, botId, id)
  }

  /**
   * Returns the event's whole body, byte for byte.
   *
   * @throws DeliveryLogRefusal `event-unknown`.
   */
  async body(actor: UserId, botId: BotId, id: string): Promise<Uint8Array> {
    return (await this.#read(actor, botId, id)).body
  }

  /**
   * Returns the event counts for each of the last `hours` hours, oldest first and without gaps, ending with the current
   * hour.
   *
   * @param flowId `undefined` means every flow.
   */
  async counts(actor: UserId, botId: BotId, flowId: FlowId | undefined, hours: number): Promise<HourlyCount[]> {
    await this.#access.demand(actor, botId, 'read-deliveries')
    const presentMs = Math.floor(this.#clock.nowMs() / hourMs) * hourMs
    const sinceMs = presentMs - (hours - 1) * hourMs
    const counted = new Map((await this.#log.counts(botId, flowId, sinceMs)).map((count) => [count.hourMs, count]))
    return Array.from({ length: hours }, (_, hour) => {
      const atMs = sinceMs + hour * hourMs
      return counted.get(atMs) ?? { hourMs: atMs, accepted: 0, delivered: 0, failed: 0, dead: 0 }
    })
  }

  /**
   * Returns how many events of these bots have become dead letters in the last `hours` hours, per flow. A flow can have
   * several entries, which add up. The caller must have checked that the user may see the bots.
   */
  deadLetters(botIds: readonly BotId[], hours: number): Promise<DeadLetterCount[]> {
    return this.#log.deadLetters(botIds, this.#clock.nowMs() - (hours - 1) * hourMs)
  }

  /**
   * Returns the number of unfinished events of each of these bots. Bots without unfinished events may be omitted. The
   * caller must have checked that the user may see the bots.
   */
  unfinishedOf(botIds: readonly BotId[]): Promise<ReadonlyMap<BotId, number>> {
    return this.#log.unfinishedOf(botIds)
  }

  /**
   * Replays the event: accepts it again as a new event with its own ID. The new event's `replayOf` is the ID of the
   * original. Each call creates another replay.
   *
   * Resolves with the new ID.
   *
   * @throws DeliveryLogRefusal `event-unknown`, `queue-full`, `gateway-unavailable`.
   */
  async replay(by: Actor, botId: BotId, id: string): Promise<string> {
    await this.#access.demand(by.userId, botId, 'replay')
    const replay = await this.#actions.replay(botId, id)
    await this.#record('events-replayed', by, botId, { events: '1', event: id })
    return replay
  }

  /**
   * Replays the matching events that have not been replayed before, oldest first, up to `eventsPerBulk` per call.
   * Repeating the call therefore replays only the remaining events.
   *
   * @param from the `next` of the previous call.
   */
  async replayAll(by: Actor, botId: BotId, filter: BulkFilter, from?: string): Promise<BulkOutcome> {
    await this.#access.demand(by.userId, botId, 'replay')
    const outcome = await this.#actions.replayAll(botId, filter, from)
    await this.#recordBulk('events-replayed', by, botId, filter, outcome)
    return outcome
  }

  /**
   * Makes the event's scheduled retry due now. The number of attempts stays the same. Does nothing if the event is
   * already due or leased.
   *
   * @throws DeliveryLogRefusal `event-unknown`, `finished`, `behind-another`.
   */
  async tryNow(by: Actor, botId: BotId, id: string): Promise<'due' | 'in-process'> {
    await this.#access.demand(by.userId, botId, 'replay')
    const event = await this.#log.find(botId, id)
    const detail = `bot ${botId}`
    if (event === undefined) throw new DeliveryLogRefusal('event-unknown', { detail })
    if (event.state === 'leased') return 'in-process'
    if (event.state !== 'ready') throw new DeliveryLogRefusal('finished', { detail })
    if ((await this.#log.waitedFor(botId, [event])).size > 0) throw new DeliveryLogRefusal('behind-another', { detail })
    if (await this.#queue.tryNow(botId, id, this.#clock.nowMs())) {
      await this.#record('events-tried-now', by, botId, { events: '1', event: id })
    }
    return 'due'
  }

  /**
   * Removes a waiting event or a dead letter. A removed waiting event is never delivered. Resolves with the state of
   * the removed event.
   *
   * @throws DeliveryLogRefusal `event-unknown`, `in-process`, `finished`.
   */
  async discard(by: Actor, botId: BotId, id: string): Promise<'ready' | 'dead'> {
    await this.#access.demand(by.userId, botId, 'replay')
    const was = await this.#actions.discard(botId, id)
    await this.#record('events-discarded', by, botId, { events: '1', event: id })
    return was
  }

  /** Removes the matching dead letters, oldest first, up to `eventsPerBulk` per call. */
  async discardAll(by: Actor, botId: BotId, filter: Omit<EventFilter, 'state'>, from?: string): Promise<BulkOutcome> {
    await this.#access.demand(by.userId, botId, 'replay')
    const outcome = await this.#actions.discardAll(botId, filter, from)
    await this.#recordBulk('events-discarded', by, botId, filter, outcome)
    return outcome
  }

  /**
   * Records a change in the audit log, after the change was made and before the response. The queue and the audit log
   * can be in different databases, so they can't share a transaction (decision 0018).
   */
  #record(kind: AuditKind, by: Actor, botId: BotId, detail: Record<string, string>): Promise<void> {
    const { userId, origin } = by
    return this.#audit.record({ kind, actor: 'user', origin, userId, botId, detail })
  }

  async #recordBulk(
    kind: AuditKind,
    by: Actor,
    botId: BotId,
    { flowId }: Pick<EventFilter, 'flowId'>,
    { events }: BulkOutcome,
  ): Promise<void> {
    if (events === 0) return
    await this.#record(kind, by, botId, { events: String(events), ...(flowId !== undefined && { flow: flowId }) })
  }

  async #read(actor: UserId, botId: BotId, id: string): Promise<EventRecord> {
    await this.#access.demand(actor, botId, 'read-bodies')
    const event = await this.#log.find(botId, id)
    if (event === undefined) throw new DeliveryLogRefusal('event-unknown', { detail: `bot ${botId}` })
    return event
  }
}

const hourMs = 3_600_000

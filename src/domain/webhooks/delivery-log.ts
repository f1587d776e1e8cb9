import type { Audit } from '../audit/audit.ts'
import type { AuditKind } from '../audit/audit-event.ts'
import type { BotAccess, By } from '../bots/bot-access.ts'
import type { Clock } from '../clock.ts'
import type { BotId, FlowId, UserId } from '../ids.ts'
import { bodyPreviewMaxBytes, eventsPerBulk, eventsPerPageMax } from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'
import { type BodyPreview, previewBody } from './body-preview.ts'
import type { EventInterventions } from './delivery-queue.ts'
import type { EventFilter, EventLog, EventPage, EventRecord, EventSummary, HourlyCount } from './event-log.ts'

export type DeliveryLogRefusalReason =
  | 'event-unknown'
  /** A runtime holds the event. */
  | 'in-process'
  /** The event is done, or a dead letter. */
  | 'finished'
  /** The flow has strict order, and an earlier event of it is unfinished. */
  | 'behind-another'
  | 'queue-full'
  | 'gateway-unavailable'

export class DeliveryLogRefusal extends Refusal<DeliveryLogRefusalReason> {}

/** An event as its page shows it. */
export type ShownEvent = Omit<EventRecord, 'body'> & {
  preview: BodyPreview
  /** The head of its flow's line, if the event waits for it. */
  behind: EventSummary | undefined
}

/** Maps the ID of each event that waits for another one to the head of its flow's line. */
export type LineHeads = ReadonlyMap<string, EventSummary>

/** Which finished events are meant. */
export type BulkFilter = EventFilter & { state: 'done' | 'dead' }

export interface BulkOutcome {
  /** How many events were replayed, or discarded. */
  events: number
  /** Goes into the next call, which goes on from there; undefined when all were seen. */
  next: string | undefined
  /** The queue is full or takes nothing now, so the work stopped early; `next` goes on at the event concerned. */
  stopped?: 'queue-full' | 'gateway-unavailable'
}

const batchEvents = 100

/**
 * What became of a bot's webhooks, and what can still be made of them. Everybody acts for themselves: each function asks
 * first whether the user may do that with the bot. What changes something is recorded.
 *
 * @throws BotRefusal `bot-unknown`, `not-allowed` (every function).
 */
export class DeliveryLog {
  readonly #access: BotAccess
  readonly #log: EventLog
  readonly #queue: EventInterventions
  readonly #audit: Audit
  readonly #clock: Clock

  constructor(parts: {
    access: BotAccess
    log: EventLog
    queue: EventInterventions
    audit: Audit
    clock: Clock
  }) {
    this.#access = parts.access
    this.#log = parts.log
    this.#queue = parts.queue
    this.#audit = parts.audit
    this.#clock = parts.clock
  }

  /** Newest first. @param at.before the `next` of the page before. A page may be short although there is more. */
  async page(
    actor: UserId,
    botId: BotId,
    filter: EventFilter,
    at: { before?: string | undefined; most: number },
  ): Promise<EventPage & { behind: LineHeads }> {
    await this.#access.demand(actor, botId, 'read-deliveries')
    const page = await this.#log.page(botId, filter, { ...at, most: Math.min(at.most, eventsPerPageMax) })
    return { ...page, behind: await this.#lineHeads(botId, page.events) }
  }

  /** One event with its attempts, headers and what can be read of its body. @throws DeliveryLogRefusal `event-unknown`. */
  async event(actor: UserId, botId: BotId, id: string): Promise<ShownEvent> {
    const { body, ...event } = await this.#read(actor, botId, id)
    const behind = (await this.#lineHeads(botId, [event])).get(event.id)
    return { ...event, preview: previewBody(body, bodyPreviewMaxBytes), behind }
  }

  /** The whole body, byte for byte. @throws DeliveryLogRefusal `event-unknown`. */
  async body(actor: UserId, botId: BotId, id: string): Promise<Uint8Array> {
    return (await this.#read(actor, botId, id)).body
  }

  /** What happened in each of the last hours, oldest first and without gaps, up to the present one. Of one flow, or of all. */
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
   * Accepts the event anew: a new event with an id of its own, last in its order, which says what it is a replay of.
   * Twice asked is twice replayed. Resolves with the new id.
   *
   * @throws DeliveryLogRefusal `event-unknown`, `queue-full`, `gateway-unavailable`.
   */
  async replay(by: By, botId: BotId, id: string): Promise<string> {
    await this.#access.demand(by.userId, botId, 'replay')
    const outcome = await this.#queue.replay(botId, id, this.#clock.nowMs())
    switch (outcome.kind) {
      case 'replayed':
        await this.#record('events-replayed', by, botId, { events: '1', event: id })
        return outcome.id
      case 'unknown':
        throw new DeliveryLogRefusal('event-unknown', { detail: `bot ${botId}` })
      case 'full':
        throw new DeliveryLogRefusal('queue-full', { detail: `bot ${botId}` })
      case 'unavailable':
        throw new DeliveryLogRefusal('gateway-unavailable', { cause: outcome.cause })
    }
  }

  /**
   * Replays, oldest first, the events that the filter names, without those that were replayed already: asked again, it
   * does what is left. One call does up to `eventsPerBulk`.
   *
   * @param from the `next` of the call before.
   */
  async replayAll(by: By, botId: BotId, filter: BulkFilter, from?: string): Promise<BulkOutcome> {
    await this.#access.demand(by.userId, botId, 'replay')
    const outcome = await this.#each(botId, filter, from, async (ids) => {
      for (const [at, id] of ids.entries()) {
        const { kind } = await this.#queue.replay(botId, id, this.#clock.nowMs())
        if (kind === 'full') return { done: at, stopped: 'queue-full' }
        if (kind === 'unavailable') return { done: at, stopped: 'gateway-unavailable' }
      }
      return { done: ids.length }
    })
    await this.#recordBulk('events-replayed', by, botId, filter, outcome)
    return outcome
  }

  /**
   * Makes the event's scheduled retry due now. The number of attempts stays the same. Does nothing when the event is
   * already due, or when a runtime holds it.
   *
   * @throws DeliveryLogRefusal `event-unknown`, `finished`, `behind-another`.
   */
  async tryNow(by: By, botId: BotId, id: string): Promise<'due' | 'in-process'> {
    await this.#access.demand(by.userId, botId, 'replay')
    const event = await this.#log.find(botId, id)
    const detail = `bot ${botId}`
    if (event === undefined) throw new DeliveryLogRefusal('event-unknown', { detail })
    if (event.state === 'leased') return 'in-process'
    if (event.state !== 'ready') throw new DeliveryLogRefusal('finished', { detail })
    if ((await this.#lineHeads(botId, [event])).size > 0) throw new DeliveryLogRefusal('behind-another', { detail })
    if (await this.#queue.tryNow(botId, id, this.#clock.nowMs())) {
      await this.#record('events-tried-now', by, botId, { events: '1', event: id })
    }
    return 'due'
  }

  /**
   * Removes a waiting event, so that it is never delivered, or a dead letter. Resolves with the state the event was in.
   *
   * @throws DeliveryLogRefusal `event-unknown`, `in-process`, `finished`.
   */
  async discard(by: By, botId: BotId, id: string): Promise<'ready' | 'dead'> {
    await this.#access.demand(by.userId, botId, 'replay')
    const was = await this.#discard(botId, id)
    await this.#record('events-discarded', by, botId, { events: '1', event: id })
    return was
  }

  /** Removes the dead letters that the filter names, oldest first, up to `eventsPerBulk` in one call. */
  async discardAll(by: By, botId: BotId, filter: Omit<EventFilter, 'state'>, from?: string): Promise<BulkOutcome> {
    await this.#access.demand(by.userId, botId, 'replay')
    const outcome = await this.#each(botId, { ...filter, state: 'dead', replayedToo: true }, from, async (ids) => {
      await this.#queue.discardDead(botId, ids)
      return { done: ids.length }
    })
    await this.#recordBulk('events-discarded', by, botId, filter, outcome)
    return outcome
  }

  async #discard(botId: BotId, id: string): Promise<'ready' | 'dead'> {
    if (await this.#queue.discardWaiting(botId, id)) return 'ready'
    if ((await this.#queue.discardDead(botId, [id])) === 1) return 'dead'
    const event = await this.#log.find(botId, id)
    const reason = event === undefined ? 'event-unknown' : event.state === 'done' ? 'finished' : 'in-process'
    throw new DeliveryLogRefusal(reason, { detail: `bot ${botId}` })
  }

  async #lineHeads(botId: BotId, events: readonly EventSummary[]): Promise<LineHeads> {
    const inLine = events.filter(({ ordered, state }) => ordered && state === 'ready')
    const flowIds = [...new Set(inLine.map(({ flowId }) => flowId))]
    if (flowIds.length === 0) return new Map()
    const heads = new Map((await this.#log.lineHeads(botId, flowIds)).map((head) => [head.flowId, head]))
    return new Map(
      inLine.flatMap(({ id, flowId }) => {
        const head = heads.get(flowId)
        return head === undefined || head.id === id ? [] : [[id, head] as const]
      }),
    )
  }

  /** After the work and before its answer: queue and audit need not share a database (decision 0035). */
  #record(kind: AuditKind, by: By, botId: BotId, detail: Record<string, string>): Promise<void> {
    const { userId, origin } = by
    return this.#audit.record({ kind, actor: 'user', origin, userId, botId, detail })
  }

  async #recordBulk(
    kind: AuditKind,
    by: By,
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

  /** Brings the events to `act`, in batches. What is accepted after the first call is not among them. */
  async #each(
    botId: BotId,
    filter: BulkFilter & { replayedToo?: boolean },
    from: string | undefined,
    act: (ids: string[]) => Promise<{ done: number; stopped?: 'queue-full' | 'gateway-unavailable' }>,
  ): Promise<BulkOutcome> {
    const { after: start, untilMs: begunMs } = readPlace(from) ?? { after: undefined, untilMs: this.#clock.nowMs() }
    const untilMs = Math.min(filter.untilMs ?? begunMs, begunMs)
    let after = start
    let events = 0
    while (events < eventsPerBulk) {
      const batch = await this.#log.finished(botId, { ...filter, untilMs }, { after, most: batchEvents })
      const wanted = batch.filter(({ replayedAs }) => filter.replayedToo === true || replayedAs === undefined)
      const ids = wanted.map(({ id }) => id)
      const { done, stopped } = await act(ids)
      events += done
      // Where it stopped, the last that was done is the place to go on from.
      if (stopped !== undefined) return { events, next: place(ids[done - 1] ?? after ?? '', begunMs), stopped }
      after = batch.at(-1)?.id ?? after
      if (batch.length < batchEvents) return { events, next: undefined }
    }
    return { events, next: place(after ?? '', begunMs) }
  }
}

const hourMs = 3_600_000

/** How far a piece of work in bulk has come, and when it began, as text that goes through a form. */
function place(after: string, untilMs: number): string {
  return `${untilMs}.${after}`
}

function readPlace(text: string | undefined): { after: string | undefined; untilMs: number } | undefined {
  const [, untilMs, after] = /^(\d{1,15})\.([A-Za-z0-9_-]*)$/.exec(text ?? '') ?? []
  return untilMs === undefined ? undefined : { untilMs: Number(untilMs), after: after || undefined }
}

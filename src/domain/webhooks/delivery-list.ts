import { yieldToOthers } from '../background-work.ts'
import { type BotAccess, mayDo } from '../bots/bot-access.ts'
import type { BotId, UserId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { EventFilter, EventLog, EventState, EventSummary, StateCount } from './event-log.ts'

/** Beginning of each event's body, by event ID, on one line: text, or bytes in hexadecimal. */
export type BodyStarts = ReadonlyMap<string, string>

export interface SearchOutcome {
  /** Matching events, newest first. */
  events: EventSummary[]
  /** Number of events examined by this call. */
  examined: number
  /** Acceptance time of the oldest event examined. `undefined` if no event was examined. */
  backToMs: number | undefined
  /** Value of `before` for the next call. `undefined` if no older event matches the filter. */
  next: string | undefined
}

/** A short summary of a bot's events. */
export interface DeliveryGlance {
  unfinished: number
  /** The bot's newest event. */
  latest: EventSummary | undefined
  /** The newest undelivered event with a failed attempt, among the newest dead letter and the newest waiting events. */
  failed: EventSummary | undefined
}

const searchBatch = 50
const waitingExamined = 50

/**
 * Searches, counts and exports a bot's events for its owner and collaborators.
 *
 * @throws BotRefusal `bot-unknown`, `not-allowed` (every method).
 */
export class DeliveryList {
  readonly #access: BotAccess
  readonly #log: EventLog

  constructor({ access, log }: { access: BotAccess; log: EventLog }) {
    this.#access = access
    this.#log = log
  }

  /** Counts the matching events in each state, up to `eventsCountedMax` per state. */
  async countStates(
    actor: UserId,
    botId: BotId,
    filter: Omit<EventFilter, 'state'>,
  ): Promise<Record<EventState, StateCount>> {
    await this.#access.demand(actor, botId, 'read-deliveries')
    return this.#log.countStates(botId, filter, limits.eventsCountedMax)
  }

  /** Summarizes the bot's events. Reads a bounded number of events, however many the bot has. */
  async glance(actor: UserId, botId: BotId): Promise<DeliveryGlance> {
    await this.#access.demand(actor, botId, 'read-deliveries')
    const newest = async (state: EventState | undefined, most: number) =>
      (await this.#log.page(botId, { state }, { most })).events
    const [unfinished, [latest], dead, waiting] = await Promise.all([
      this.#log.unfinishedOf([botId]),
      newest(undefined, 1),
      newest('dead', 1),
      newest('ready', waitingExamined),
    ])
    const failed = [...dead, ...waiting.filter(({ lastError }) => lastError !== undefined)]
    failed.sort((one, other) => other.acceptedAtMs - one.acceptedAtMs)
    return { unfinished: unfinished.get(botId) ?? 0, latest, failed: failed[0] }
  }

  /** Returns the beginnings of the events' bodies. Returns an empty map if the user may not read bodies. */
  async bodyStarts(actor: UserId, botId: BotId, events: readonly EventSummary[]): Promise<BodyStarts> {
    if (!mayDo(await this.#access.demand(actor, botId, 'read-deliveries'), 'read-bodies')) return new Map()
    const ids = events.map(({ id }) => id)
    // Reads one byte more than is shown, to detect whether the body was cut.
    const starts = await this.#log.bodyStarts(botId, ids, limits.bodyStartMaxBytes + 1)
    return new Map([...starts].map(([id, start]) => [id, lineOf(start)]))
  }

  /** Returns the event with this ID, or `undefined` if the bot has no such event. */
  async withId(actor: UserId, botId: BotId, id: string): Promise<EventSummary | undefined> {
    await this.#access.demand(actor, botId, 'read-deliveries')
    return this.#log.find(botId, id)
  }

  /**
   * Returns which of these bots has the event, if the user may open it. Never throws, because the ID may be anything
   * that a user typed.
   */
  async botOf(actor: UserId, botIds: readonly BotId[], id: string): Promise<BotId | undefined> {
    const botId = await this.#log.botOf(botIds, id)
    return botId !== undefined && (await this.#access.may(actor, botId, 'read-bodies')) ? botId : undefined
  }

  /**
   * Searches the bodies of matching events for a text, newest event first, ignoring case. Stops after `most` matches or
   * at the limits in `searchedPerRequest`, so that no call reads a bot's whole history. Only the first `bytesPerBody`
   * bytes of each body are searched.
   *
   * @param at.before the `next` of the previous call.
   */
  async search(
    actor: UserId,
    botId: BotId,
    filter: EventFilter,
    text: string,
    at: { before?: string | undefined; most: number },
  ): Promise<SearchOutcome> {
    await this.#access.demand(actor, botId, 'read-bodies')
    const wanted = text.toLowerCase()
    const found: EventSummary[] = []
    let { before } = at
    let [examined, bytes] = [0, 0]
    let backToMs: number | undefined
    // The loop is limited by pages rather than by events, because a page can be empty although older events match the
    // filter.
    for (let pages = 0; pages < limits.searchedPerRequest.events / searchBatch; pages += 1) {
      const page = await this.#log.page(botId, filter, { before, most: searchBatch })
      const ids = page.events.map(({ id }) => id)
      const starts = await this.#log.bodyStarts(botId, ids, limits.searchedPerRequest.bytesPerBody)
      for (const event of page.events) {
        const start = starts.get(event.id)
        examined += 1
        bytes += start?.length ?? 0
        backToMs = event.acceptedAtMs
        before = event.id
        if (start !== undefined && Buffer.from(start).toString().toLowerCase().includes(wanted)) found.push(event)
        const isLast = event === page.events.at(-1) && page.next === undefined
        if (found.length === at.most && !isLast) return { events: found, examined, backToMs, next: before }
      }
      if (page.next === undefined) return { events: found, examined, backToMs, next: undefined }
      before = page.next
      if (bytes >= limits.searchedPerRequest.bytes) break
      await yieldToOthers()
    }
    return { events: found, examined, backToMs, next: before }
  }

  /** Returns the IDs of the matching events that were accepted right after and right before the given event. */
  async neighbours(
    actor: UserId,
    botId: BotId,
    filter: EventFilter,
    id: string,
  ): Promise<{ newer: string | undefined; older: string | undefined }> {
    await this.#access.demand(actor, botId, 'read-bodies')
    const [newer, before] = await Promise.all([
      this.#log.following(botId, filter, id),
      this.#log.page(botId, filter, { before: id, most: 1 }),
    ])
    return { newer, older: before.events[0]?.id }
  }

  /**
   * Yields the matching events in batches, newest first, up to `eventsExportedMax` events. If there are more, the last
   * batch has the `before` with which the next export continues.
   */
  async *export(
    actor: UserId,
    botId: BotId,
    filter: EventFilter,
    start: string | undefined,
  ): AsyncGenerator<{ events: readonly EventSummary[]; continuesBefore: string | undefined }> {
    let left = limits.eventsExportedMax
    let before = start
    do {
      await this.#access.demand(actor, botId, 'read-deliveries')
      const page = await this.#log.page(botId, filter, { before, most: Math.min(left, limits.eventsPerPageMax) })
      left -= page.events.length
      before = page.next
      yield { events: page.events, continuesBefore: left > 0 ? undefined : before }
    } while (before !== undefined && left > 0)
  }
}

/** The beginning of a webhook's body, formatted for display on a page. */
export interface BodyPreview {
  /** Whether the body is shown as text or in hexadecimal. Depends on its bytes, not on the `Content-Type` header. */
  form: 'text' | 'hex'
  /** The preview: text, or bytes in hexadecimal, separated by spaces. */
  shown: string
  bytes: number
  /** Whether the body is longer than the preview. */
  cut: boolean
}

/**
 * Returns the beginning of a body. Shows it as text if it is UTF-8 without control characters other than tabs and line
 * breaks, otherwise in hexadecimal.
 *
 * @param mostBytes maximum number of bytes to examine and show.
 */
export function previewBody(body: Uint8Array, mostBytes: number): BodyPreview {
  const cut = body.length > mostBytes
  const start = body.subarray(0, mostBytes)
  const text = readable(start, cut)
  const shown = text ?? (Buffer.from(start).toString('hex').match(/../g) ?? []).join(' ')
  return { form: text === undefined ? 'hex' : 'text', shown, bytes: body.length, cut }
}

/**
 * Returns the bytes as text, or `undefined` if they aren't readable text.
 *
 * @param cut whether `bytes` is only the beginning of the body, so that the last character may be incomplete.
 */
function readable(bytes: Uint8Array, cut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut })
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

function lineOf(start: Uint8Array): string {
  const { shown } = previewBody(start, limits.bodyStartMaxBytes)
  return shown.replace(/\s+/g, ' ').slice(0, limits.bodyStartMaxBytes)
}

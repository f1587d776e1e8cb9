import type { BotId, FlowId } from '../ids.ts'
import type { DeadLetterCauses } from './dead-letter-causes.ts'
import type { ForwardedHeaders } from './request-headers.ts'
import type { DeadReason } from './retry.ts'

/**
 * States of an event. `ready`: waiting for its due time, an earlier event, or a runtime. `leased`: being processed by a
 * runtime. `done`: acknowledged. `dead`: a dead letter.
 */
export const eventStates = ['ready', 'leased', 'done', 'dead'] as const
export type EventState = (typeof eventStates)[number]

export interface EventSummary {
  id: string
  flowId: FlowId
  path: string
  /** Set if a user sent it with the tester, past the flow's key and signature. */
  test?: true
  state: EventState
  /** Number of attempts started. Released attempts are not counted. */
  attempts: number
  acceptedAtMs: number
  /** When the event can next be claimed. `undefined` unless the state is `ready`. */
  dueAtMs: number | undefined
  finishedAtMs: number | undefined
  bodyBytes: number
  lastError: string | undefined
  deadBecause: DeadReason | undefined
  /** ID of the event that this event replays. `undefined` if it is not a replay. */
  replayOf: string | undefined
  replayedAs: string | undefined
}

/** Maps the ID of each event that waits because of strict order to the first unfinished event in its flow. */
export type EventsWaitedFor = ReadonlyMap<string, EventSummary>

export interface Attempt {
  /** Number of the attempt, starting at 1. */
  attempt: number
  beganAtMs: number
  /** When the attempt ended. `undefined` while the attempt is in progress. */
  endedAtMs: number | undefined
  outcome: 'acknowledged' | 'failed' | 'under-way'
  error: string | undefined
}

export interface EventRecord extends EventSummary {
  headers: ForwardedHeaders
  clientIp: string
  body: Uint8Array
  /** The event's attempts, oldest first. Released attempts are excluded. */
  history: Attempt[]
}

/** Selects a bot's events. An omitted field matches all events. */
export interface EventFilter {
  flowId?: FlowId | undefined
  state?: EventState | undefined
  /** Selects only events accepted at or after this time. */
  sinceMs?: number | undefined
  /** Selects only events accepted before this time. */
  untilMs?: number | undefined
}

export interface EventPage {
  events: EventSummary[]
  /** Value of `before` for the next page. `undefined` on the last page. */
  next: string | undefined
}

/** Number of events counted in one state. `more` is true if there may be more than were counted. */
export interface StateCount {
  events: number
  more: boolean
}

/** A batch of events, in the order in which they were accepted. */
export interface FollowedEvents {
  events: EventSummary[]
  /** Opaque position after these events, to pass to the next call. */
  cursor: string
}

/** A bot's unfinished events, and the total size of their bodies. */
export interface QueueDepth {
  botId: BotId
  events: number
  bytes: number
}

/** Numbers of events and attempts in one hour. */
export interface HourlyCount {
  /** Start of the hour, in milliseconds since the epoch. */
  hourMs: number
  accepted: number
  delivered: number
  failed: number
  dead: number
}

export interface DeadLetterCount {
  botId: BotId
  flowId: FlowId
  dead: number
}

/** Adds up dead letters per bot or per flow. */
export function deadLettersBy<Key extends 'botId' | 'flowId'>(
  key: Key,
  counts: readonly DeadLetterCount[],
): Map<DeadLetterCount[Key], number> {
  const sums = new Map<DeadLetterCount[Key], number>()
  for (const count of counts) sums.set(count[key], (sums.get(count[key]) ?? 0) + count.dead)
  return sums
}

/** Reads the history of a bot's events. Reading never blocks acceptance for long. */
export interface EventLog {
  /**
   * Returns events, most recently accepted first. A page may contain fewer than `at.most` events even if it isn't the
   * last one.
   *
   * @param at.before the `next` of the previous page; `undefined` for the first.
   */
  page(botId: BotId, filter: EventFilter, at: { before?: string | undefined; most: number }): Promise<EventPage>
  /**
   * Returns the ID of the first matching event that was accepted after the given one, or `undefined` if there is none.
   */
  following(botId: BotId, filter: EventFilter, id: string): Promise<string | undefined>
  /** Returns the first `mostBytes` bytes of these events' bodies, by event ID. Unknown events are omitted. */
  bodyStarts(botId: BotId, ids: readonly string[], mostBytes: number): Promise<ReadonlyMap<string, Uint8Array>>
  /** Counts the matching events in each state. Examines only about the newest `most` events per state. */
  countStates(botId: BotId, filter: Omit<EventFilter, 'state'>, most: number): Promise<Record<EventState, StateCount>>
  /** Groups the matching dead letters by cause. Examines only about the newest `most` dead letters. */
  deadLetterCauses(botId: BotId, filter: Omit<EventFilter, 'state'>, most: number): Promise<DeadLetterCauses>
  botOf(botIds: readonly BotId[], id: string): Promise<BotId | undefined>
  find(botId: BotId, id: string): Promise<EventRecord | undefined>
  /**
   * Returns finished events, oldest first, for bulk operations.
   *
   * @param at.after the last ID in the previous batch.
   */
  finished(
    botId: BotId,
    filter: EventFilter & { state: 'done' | 'dead' },
    at: { after?: string | undefined; most: number },
  ): Promise<EventSummary[]>
  /** Returns which of these events wait because of their flow's strict order, and for which event. */
  waitedFor(botId: BotId, events: readonly EventSummary[]): Promise<EventsWaitedFor>
  /**
   * Returns the bot's next events in any state, in the order in which they were accepted. Returns each event once.
   *
   * @param cursor from the previous call. `undefined` starts after the newest event and returns no events.
   */
  follow(botId: BotId, cursor: string | undefined, most: number): Promise<FollowedEvents>
  /** Returns the number of unfinished events of each of these bots. Bots without unfinished events may be omitted. */
  unfinishedOf(botIds: readonly BotId[]): Promise<ReadonlyMap<BotId, number>>
  /**
   * Returns the bots with the most unfinished events, the fullest queue first. Omits bots without unfinished events.
   */
  fullest(most: number): Promise<QueueDepth[]>
  /**
   * Returns the counts of the hours with events, oldest first, starting with the hour that contains `sinceMs`.
   *
   * @param flowId `undefined` means every flow.
   */
  counts(botId: BotId, flowId: FlowId | undefined, sinceMs: number): Promise<HourlyCount[]>
  /**
   * Returns how many events of these bots have become dead letters since the start of the hour that contains `sinceMs`.
   * A flow can have several entries, which add up.
   */
  deadLetters(botIds: readonly BotId[], sinceMs: number): Promise<DeadLetterCount[]>
}

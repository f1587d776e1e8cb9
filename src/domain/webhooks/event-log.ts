import type { BotId, FlowId } from '../ids-and-secrets.ts'
import type { DeadLetterCauses } from './dead-letter-causes.ts'
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
  /** A user sent it with the tester, past the flow's key and signature. */
  test?: true
  state: EventState
  /** Attempts started. Released ones are not counted. */
  attempts: number
  acceptedAtMs: number
  /** `undefined` unless the state is `ready`. */
  dueAtMs: number | undefined
  finishedAtMs: number | undefined
  bodyBytes: number
  lastError: string | undefined
  deadBecause: DeadReason | undefined
  /** ID of the event that this event replays. */
  replayOf: string | undefined
  replayedAs: string | undefined
}

/** By the ID of each event that waits because of strict order: the first unfinished event in its flow. */
export type EventsWaitedFor = ReadonlyMap<string, EventSummary>

export interface Attempt {
  attempt: number
  beganAtMs: number
  /** `undefined` while the attempt is in progress. */
  endedAtMs: number | undefined
  outcome: 'acknowledged' | 'failed' | 'under-way'
  error: string | undefined
}

/** Forwarded to the runtime unchanged. */
export interface ForwardedHeaders {
  contentType: string | undefined
  userAgent: string | undefined
  forwardedFor: string | undefined
  requestId: string | undefined
}

export interface EventRecord extends EventSummary {
  headers: ForwardedHeaders
  clientIp: string
  body: Uint8Array
  /** Oldest first. Released attempts are excluded. */
  history: Attempt[]
}

export interface EventFilter {
  flowId?: FlowId | undefined
  state?: EventState | undefined
  sinceMs?: number | undefined
  untilMs?: number | undefined
}

export interface EventPage {
  events: EventSummary[]
  /** Value of `before` for the next page. */
  next: string | undefined
}

/** `more` is true if there may be more than were counted. */
export interface StateCount {
  events: number
  more: boolean
}

/** In the order in which they were accepted. */
export interface FollowedEvents {
  events: EventSummary[]
  /** Opaque, to pass to the next call. */
  cursor: string
}

export interface QueueDepth {
  botId: BotId
  events: number
  bytes: number
}

export interface HourlyCount {
  /** Start of the hour. */
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

export function deadLettersBy<Key extends 'botId' | 'flowId'>(
  key: Key,
  counts: readonly DeadLetterCount[],
): Map<DeadLetterCount[Key], number> {
  const sums = new Map<DeadLetterCount[Key], number>()
  for (const count of counts) sums.set(count[key], (sums.get(count[key]) ?? 0) + count.dead)
  return sums
}

/** Reading never blocks acceptance for long. */
export interface EventLog {
  /** Newest first. A short page needn't be the last one. `at.before` is the `next` of the previous page. */
  page(botId: BotId, filter: EventFilter, at: { before?: string | undefined; most: number }): Promise<EventPage>
  /**
   * Oldest first. Fewer than `at.most` events are all that are left, if the filter names the state of finished ones.
   *
   * @param at.after an event that was accepted before these.
   */
  pageAfter(
    botId: BotId,
    filter: EventFilter,
    at: { after?: string | undefined; most: number },
  ): Promise<EventSummary[]>
  /** By event ID, `mostBytes` of each. Unknown events are omitted. */
  bodyStarts(botId: BotId, ids: readonly string[], mostBytes: number): Promise<ReadonlyMap<string, Uint8Array>>
  /** Examines only about the newest `most` events per state. */
  countStates(botId: BotId, filter: Omit<EventFilter, 'state'>, most: number): Promise<Record<EventState, StateCount>>
  /** Examines only about the newest `most` dead letters. */
  deadLetterCauses(botId: BotId, filter: Omit<EventFilter, 'state'>, most: number): Promise<DeadLetterCauses>
  botOf(botIds: readonly BotId[], id: string): Promise<BotId | undefined>
  find(botId: BotId, id: string): Promise<EventRecord | undefined>
  /** Returns which of these events wait because of strict order. */
  waitedFor(botId: BotId, events: readonly EventSummary[]): Promise<EventsWaitedFor>
  /** Returns events in any state after `cursor`, as accepted, each once. `undefined` returns none, only a cursor. */
  follow(botId: BotId, cursor: string | undefined, most: number): Promise<FollowedEvents>
  /** May omit bots without unfinished events. */
  unfinishedOf(botIds: readonly BotId[]): Promise<ReadonlyMap<BotId, number>>
  /** The fullest queue first. Omits bots without unfinished events. */
  fullest(most: number): Promise<QueueDepth[]>
  /** Returns the hours with events, oldest first, starting with the one that contains `sinceMs`. */
  counts(botId: BotId, flowId: FlowId | undefined, sinceMs: number): Promise<HourlyCount[]>
  /** Counts from the start of the hour that contains `sinceMs`. A flow can have several entries, which add up. */
  deadLetters(botIds: readonly BotId[], sinceMs: number): Promise<DeadLetterCount[]>
}

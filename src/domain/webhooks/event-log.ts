import type { BotId, FlowId } from '../ids.ts'
import type { ForwardedHeaders } from './request-headers.ts'
import type { DeadReason } from './retry.ts'

/** `ready`: waits for its turn, a retry, or a runtime. `leased`: a runtime works on it. */
export const eventStates = ['ready', 'leased', 'done', 'dead'] as const
export type EventState = (typeof eventStates)[number]

/** An event as a list shows it. */
export interface EventSummary {
  id: string
  flowId: FlowId
  path: string
  /** Delivered only after the earlier ordered events of its flow. */
  ordered: boolean
  state: EventState
  /** Attempts begun, without those given back. */
  attempts: number
  acceptedAtMs: number
  /** When it may be handed out next; undefined unless it is ready. */
  dueAtMs: number | undefined
  finishedAtMs: number | undefined
  bodyBytes: number
  /** Of the latest failed attempt. */
  lastError: string | undefined
  deadBecause: DeadReason | undefined
  /** The event of which this one is a replay. */
  replayOf: string | undefined
  /** The latest replay of this one. */
  replayedAs: string | undefined
}

export interface Attempt {
  /** 1 for the first. */
  attempt: number
  beganAtMs: number
  /** Undefined: it is under way. */
  endedAtMs: number | undefined
  outcome: 'acknowledged' | 'failed' | 'under-way'
  error: string | undefined
}

export interface EventRecord extends EventSummary {
  headers: ForwardedHeaders
  clientIp: string
  body: Uint8Array
  /** Oldest first. Those that were given back uncounted are not among them. */
  history: Attempt[]
}

/** Which events of a bot. An absent member is no condition. */
export interface EventFilter {
  flowId?: FlowId | undefined
  state?: EventState | undefined
  /** Accepted then or later. */
  sinceMs?: number | undefined
  /** Accepted before then. */
  untilMs?: number | undefined
}

export interface EventPage {
  events: EventSummary[]
  /** Goes into `before` for the next page; undefined at the end. */
  next: string | undefined
}

/** Events in the order accepted. */
export interface FollowedEvents {
  events: EventSummary[]
  /** Opaque. Goes into the next call, which continues after these events. */
  place: string
}

/** What happened in an hour. */
export interface HourlyCount {
  /** Its beginning, in milliseconds since the epoch. */
  hourMs: number
  accepted: number
  delivered: number
  /** Attempts that failed. */
  failed: number
  /** Events that became dead letters. */
  dead: number
}

/** What is on record of a bot's events. Reading holds up no acceptance for long. */
export interface EventLog {
  /**
   * Newest first, by acceptance. A page may hold fewer than `most` although there are more.
   *
   * @param at.before the `next` of the page before; undefined for the first.
   */
  page(botId: BotId, filter: EventFilter, at: { before?: string | undefined; most: number }): Promise<EventPage>
  /** The bot's event with everything about it; undefined when it has no such event. */
  find(botId: BotId, id: string): Promise<EventRecord | undefined>
  /**
   * Finished events, oldest first, for work on many of them.
   *
   * @param at.after the last id of the batch before.
   */
  finished(
    botId: BotId,
    filter: EventFilter & { state: 'done' | 'dead' },
    at: { after?: string | undefined; most: number },
  ): Promise<EventSummary[]>
  /**
   * Returns the first unfinished ordered event of each of these flows, for which later ones wait. Omits flows without
   * one.
   */
  lineHeads(botId: BotId, flowIds: readonly FlowId[]): Promise<EventSummary[]>
  /**
   * Reads on in the bot's events, whatever their state: at most `most`, each once, in the order accepted.
   *
   * @param place of the call before; `undefined` starts after the newest event and returns none.
   */
  follow(botId: BotId, place: string | undefined, most: number): Promise<FollowedEvents>
  /** The hours in which something happened, oldest first, from that of `sinceMs` on; of one flow, or of all. */
  counts(botId: BotId, flowId: FlowId | undefined, sinceMs: number): Promise<HourlyCount[]>
}

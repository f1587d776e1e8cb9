import type { Durations } from '../durations.ts'
import type { BotId, FlowId } from '../ids.ts'
import type { DedupeMark } from './dedupe-mark.ts'

/** The four request headers that reach a runtime, as received; undefined when not sent. */
export interface ForwardedHeaders {
  contentType: string | undefined
  userAgent: string | undefined
  forwardedFor: string | undefined
  requestId: string | undefined
}

/** A webhook on its way into the queue. */
export interface NewEvent {
  botId: BotId
  flowId: FlowId
  path: string
  headers: ForwardedHeaders
  clientIp: string
  body: Uint8Array
  acceptedAtMs: number
  /** Not handed out while an earlier event of its flow that was accepted so is unfinished. */
  ordered: boolean
}

/** What may be in the queue at once: unfinished events, and bytes of their bodies. */
export interface QueueLimits {
  maxEventsPerBot: number
  maxBytesPerBot: number
  maxEvents: number
  maxBytes: number
}

export type AcceptOutcome =
  /** It survives `kill -9` and loss of power from here on. */
  | { kind: 'accepted' }
  /** Its mark was there: an earlier one is durable. */
  | { kind: 'repeated' }
  /** As many events, or bytes of bodies, are waiting as may: of the bot, or over all bots. */
  | { kind: 'full'; of: 'bot' | 'queue' }
  /** Nothing can be made durable now; `cause` is for the log. */
  | { kind: 'unavailable'; cause: unknown }

/** One attempt to hand an event to a runtime. */
export interface Delivery extends NewEvent {
  /** This attempt. Fences: what is said about an earlier one is ignored. */
  delivery: string
  /** The event, the same over all attempts. */
  id: string
  /** 1 for the first. */
  attempt: number
  /** The event of which this one is a replay. */
  replayOf: string | undefined
}

export interface Claim {
  /** Who gets the leases: one instance of one runtime. Outlives its connections and our restarts. */
  holder: string
  botIds: readonly BotId[]
  most: number
  mostBytes: number
  nowMs: number
}

export interface Claimed {
  deliveries: Delivery[]
  /** Those of the claimed bots that may have further events due. */
  more: BotId[]
}

/** What a runtime, or our own watch over it, says of an attempt that came to nothing. */
export interface Failure {
  delivery: string
  failedAtMs: number
  error?: string | undefined
  retryMs?: number | undefined
  dead?: boolean | undefined
}

/** For a monitoring system: what is there now, and what was counted since the start of the process. */
export interface QueueFigures {
  /** Unfinished events now, and the bytes of their bodies. */
  waitingEvents: number
  waitingBytes: number
  /** Those of them that a runtime works on. */
  leasedEvents: number
  /** When the oldest of them was accepted; undefined when there is none. */
  oldestAcceptedAtMs: number | undefined
  accepted: number
  /** Not taken because a bot's queue, or that of all, was full. */
  refusedBotFull: number
  refusedQueueFull: number
  /** Not taken because the disk did not. */
  refusedUnavailable: number
  delivered: number
  failedAttempts: number
  deadLetters: number
  /** From acceptance to the acknowledgement. */
  deliveryTimes: Durations
}

export type ReplayOutcome =
  | { kind: 'replayed'; id: string }
  | { kind: 'unknown' }
  | Exclude<AcceptOutcome, { kind: 'accepted' | 'repeated' }>

/**
 * Accepted events, one record each, from acceptance to retention's end. Delivery is at least once: an event
 * leaves only when the holder of its lease acknowledges it, or as a dead letter. Looking at them is `EventLog`'s part.
 *
 * A lease lasts `leaseMs` from claim or renewal. What follows a failure is decided by `afterFailure`.
 * Reports about leases that the holder does not hold (any more) change nothing.
 */
export interface DeliveryQueue {
  /** Told of a holder whose leases another process took over, since the runtime went on there. Returns how to stop. */
  onTaken(listener: (holder: string) => void): () => void

  /**
   * Calls the listener with each bot that may have an event due, because one was accepted, replayed, released, failed
   * or tried now. Returns a function that unsubscribes.
   */
  onDue(listener: (botId: BotId) => void): () => void

  /**
   * Resolves once the event is durable, or with why it is not taken.
   *
   * @param mark when it is there already for the bot and its time is not over, nothing is added. Else it is stored
   * with the event, both or neither; of two at once with one mark, one is an event.
   */
  accept(event: NewEvent, mark?: DedupeMark): Promise<AcceptOutcome>

  /**
   * Leases due events to the holder, in turn over the bots given; of one bot by due time, and first attempts
   * in the order accepted; of a flow with strict order one at a time. The leases are durable when it resolves.
   */
  claim(claim: Claim): Promise<Claimed>
  /** The bots, of those given, that have events not yet finished. */
  botsWithEvents(botIds: Iterable<BotId>): Promise<BotId[]>
  /** The bots that have a retry which came due after `sinceMs`. */
  botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]>

  /** The bots, of those given, that have something due of which `onDue` may not have told: another process took it. */
  botsOverlooked(botIds: readonly BotId[], nowMs: number): Promise<BotId[]>

  /** Done for good. */
  acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void>
  fail(holder: string, failures: readonly Failure[]): Promise<void>
  /** Gives leases back as if they had not been claimed: no attempt is counted, the event is due at once. */
  release(holder: string, deliveries: readonly string[]): Promise<void>
  /** Resolves with those that the holder does not hold (any more). */
  renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]>
  /**
   * The runtime is connected here from now on: renews the leases listed; every other one of the holder failed at
   * `failedAtMs`, whichever process it was held through.
   */
  resume(
    holder: string,
    listed: readonly string[],
    at: { nowMs: number; failedAtMs: number },
  ): Promise<{ kept: string[]; lost: string[] }>
  /** Every lease that the holder holds through this process failed then; those that it took along to another stand. */
  abandon(holder: string, failedAtMs: number): Promise<void>
  /** Fails the leases that ran out, and tells whose they were. */
  lapse(nowMs: number): Promise<{ holder: string; delivery: string }[]>
  /** Those who hold leases through a process that is gone. They are this one's from now on, and told once. */
  orphans(): Promise<string[]>

  /** Writes, as an acceptance would, and resolves once that is durable. @throws when it can't be. */
  probe(): Promise<void>

  /** Accepts the event anew, with an id of its own. The old record stays, and tells of its replay. One transaction. */
  replay(botId: BotId, id: string, nowMs: number): Promise<ReplayOutcome>
  /** Removes those that are dead letters of the bot. Resolves with how many were. */
  discardDead(botId: BotId, ids: readonly string[]): Promise<number>
  /**
   * Removes a waiting event of the bot, with or without earlier attempts. The next event in its flow's line becomes
   * due. Its deduplication mark stays, so the sender's retries still count as duplicates.
   *
   * @returns false, without changing anything, when the event is unknown, leased or finished.
   */
  discardWaiting(botId: BotId, id: string): Promise<boolean>
  /**
   * Makes an event's scheduled retry due at `nowMs`. The number of attempts stays the same.
   *
   * @returns false, without changing anything, when the event has no retry that is due later.
   */
  tryNow(botId: BotId, id: string, nowMs: number): Promise<boolean>

  /** The bot was deleted: its events are removed, those in flight excepted, and its marks. */
  discard(botId: BotId): Promise<void>
  /**
   * Looks at up to `most` of the oldest events: gives up what is past the age limit, removes what is past its retention.
   * Resolves with at how many it looked: fewer than `most` when there is nothing more to do for now.
   */
  prune(nowMs: number, most: number): Promise<number>
  /** Stores the hourly counts that were only noted in memory so far. */
  flushCounts(): Promise<void>
  figures(): Promise<QueueFigures>
  /** Removes up to `most` marks of which the time is over, and resolves with how many. */
  pruneMarks(nowMs: number, most: number): Promise<number>
}

import type { Durations } from '../durations.ts'
import type { BotId, FlowId } from '../ids.ts'
import type { DedupeMark } from './dedupe-mark.ts'
import type { EventLog } from './event-log.ts'
import type { ForwardedHeaders } from './request-headers.ts'

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

/** Takes webhooks into the queue. */
export interface WebhookIntake {
  /**
   * Resolves once the event is durable, or with why it is not taken.
   *
   * @param mark when the bot has it already and it has not expired, nothing is added. Otherwise it is stored with the
   * event in one transaction; of two concurrent events with one mark, one is stored.
   */
  accept(event: NewEvent, mark?: DedupeMark): Promise<AcceptOutcome>
  /** Writes, as an acceptance would, and resolves once that is durable. @throws when it can't be. */
  probe(): Promise<void>
}

/**
 * Leases events to one holder and records what became of them. A lease lasts `leaseMs` from claim or renewal.
 * `afterFailure` decides what follows a failure. Reports about leases that the holder does not hold (any more) change
 * nothing.
 */
export interface DeliveryLeases {
  /**
   * Leases due events to the holder, in turn over the bots given; of one bot by due time, and first attempts
   * in the order accepted; of a flow with strict order one at a time. The leases are durable when it resolves.
   */
  claim(claim: Claim): Promise<Claimed>
  /** Finishes the events for good. */
  acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void>
  fail(holder: string, failures: readonly Failure[]): Promise<void>
  /** Gives leases back as if they had not been claimed: no attempt is counted, the event is due at once. */
  release(holder: string, deliveries: readonly string[]): Promise<void>
  /** Resolves with those that the holder does not hold (any more). */
  renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]>
}

/** Tells which bots have something to deliver, and follows the leases of all holders. */
export interface DeliveryWatch {
  /**
   * Calls the listener with each bot that may have an event due, because one was accepted, replayed, released, failed
   * or tried now. Returns a function that unsubscribes.
   */
  onDue(listener: (botId: BotId) => void): () => void
  /**
   * Calls the listener with each holder whose leases another process took over, since the runtime went on there.
   * Returns a function that unsubscribes.
   */
  onTaken(listener: (holder: string) => void): () => void
  /** The bots, of those given, that have events not yet finished. */
  botsWithEvents(botIds: Iterable<BotId>): Promise<BotId[]>
  /** The bots that have a retry which came due after `sinceMs`. */
  botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]>
  /** The bots, of those given, that have something due of which `onDue` may not have told: another process took it. */
  botsOverlooked(botIds: readonly BotId[], nowMs: number): Promise<BotId[]>
  /**
   * The runtime is connected here from now on: renews the leases listed; every other one of the holder failed at
   * `failedAtMs`, whichever process it was held through.
   */
  resume(
    holder: string,
    listed: readonly string[],
    at: { nowMs: number; failedAtMs: number },
  ): Promise<{ kept: string[]; lost: string[] }>
  /** Fails every lease that the holder holds through this process; those that it took along to another stand. */
  abandon(holder: string, failedAtMs: number): Promise<void>
  /** Fails the expired leases, and returns them with their holders. */
  lapse(nowMs: number): Promise<{ holder: string; delivery: string }[]>
  /** Takes over the leases held through a process that is gone, and returns their holders once. */
  orphans(): Promise<string[]>
}

/** What a bot's owner does with single events. */
export interface EventInterventions {
  /** Accepts the event anew, with an ID of its own. The old record stays and names its replay. One transaction. */
  replay(botId: BotId, id: string, nowMs: number): Promise<ReplayOutcome>
  /** Removes those of the events that are dead letters of the bot. Resolves with how many were. */
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
}

/** Keeps the queue bounded. */
export interface QueueRetention {
  /** Removes the events of a deleted bot, except those in flight, and its marks. */
  discard(botId: BotId): Promise<void>
  /**
   * Looks at up to `most` of the oldest events: gives up what is past the age limit, removes what is past its retention.
   * Resolves with at how many it looked: fewer than `most` when there is nothing more to do for now.
   */
  prune(nowMs: number, most: number): Promise<number>
  /** Removes up to `most` expired marks, and resolves with how many. */
  pruneMarks(nowMs: number, most: number): Promise<number>
  /** Stores the hourly counts that are only in memory so far. */
  flushCounts(): Promise<void>
}

/**
 * Accepted events, one record each, from acceptance to retention's end. Delivery is at least once: an event leaves only
 * when the holder of its lease acknowledges it, when its owner removes it, or as a dead letter.
 */
export interface DeliveryQueue
  extends WebhookIntake,
    DeliveryLeases,
    DeliveryWatch,
    EventInterventions,
    QueueRetention {
  /** The same events, as their bot's owner sees them. */
  readonly log: EventLog
  figures(): Promise<QueueFigures>
}

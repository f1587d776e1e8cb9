import type { BotEvents } from '../bots/deleted-bots.ts'
import type { DurationHistogram } from '../durations.ts'
import type { BotId, FlowId } from '../ids.ts'
import type { DedupeMark } from './dedupe-mark.ts'
import type { EventLog, QueueDepth } from './event-log.ts'
import type { ForwardedHeaders } from './request-headers.ts'
import type { DeadReason } from './retry.ts'

export interface ReceivedWebhook {
  botId: BotId
  flowId: FlowId
  path: string
  headers: ForwardedHeaders
  clientIp: string
  body: Uint8Array
  acceptedAtMs: number
  /** Set if a user sent it with the tester, past the flow's key and signature. */
  test?: true
}

export interface NewEvent extends ReceivedWebhook {
  /** Whether the flow has strict order, as far as the accepting node knows. {@link StrictFlow} decides at each claim. */
  ordered: boolean
}

/** A flow that has strict order now: an event isn't claimed while an earlier event in the flow is unfinished. */
export interface StrictFlow {
  botId: BotId
  flowId: FlowId
  /**
   * Number of the bot's last event before the flow was created. Events up to it are from a removed flow with the same
   * ID. They are claimed without order, and no event waits for them.
   */
  eventsBefore: number
}

export type AcceptOutcome =
  /** The event is durable: it survives `kill -9` and a power loss. */
  | { kind: 'accepted' }
  /** A duplicate of an earlier webhook whose mark has not expired. The earlier webhook's event is durable. */
  | { kind: 'repeated' }
  /** The bot or the whole queue has reached its limit on waiting events or on their total body size. */
  | { kind: 'full'; of: 'bot' | 'queue' }
  /** The event can't be made durable at the moment. `cause` is for the log. */
  | { kind: 'unavailable'; cause: unknown }

/** One attempt to deliver an event to a runtime. */
export interface Delivery extends ReceivedWebhook {
  /** ID of this attempt. Serves as a fencing token: reports on earlier attempts are ignored. */
  delivery: string
  /** ID of the event, the same for all attempts. */
  id: string
  /** Number of this attempt, starting at 1. */
  attempt: number
  /** ID of the event that this event replays. `undefined` if it is not a replay. */
  replayOf: string | undefined
}

export interface Claim {
  /** The runtime instance that gets the leases. A holder outlives its connections and service restarts. */
  holder: string
  botIds: readonly BotId[]
  most: number
  mostBytes: number
  nowMs: number
}

export interface Claimed {
  deliveries: Delivery[]
  /** Bots from the claim's `botIds` that may have more due events. */
  more: BotId[]
}

/** A failed attempt, as reported by the runtime or detected by the service. */
export interface Failure {
  delivery: string
  failedAtMs: number
  error?: string | undefined
  retryMs?: number | undefined
  dead?: boolean | undefined
}

/** Metrics of the queue: the current state, and counts since the start of the process. */
export interface QueueFigures {
  waitingEvents: number
  waitingBytes: number
  leasedEvents: number
  /** Acceptance time of the oldest unfinished event. `undefined` if all events are finished. */
  oldestAcceptedAtMs: number | undefined
  accepted: number
  /**
   * Number of webhooks rejected because the bot's queue was full. `refusedQueueFull` counts webhooks rejected because
   * the whole queue was full.
   */
  refusedBotFull: number
  refusedQueueFull: number
  /** Number of webhooks rejected because they could not be made durable. */
  refusedUnavailable: number
  delivered: number
  failedAttempts: number
  deadLetters: number
  deliveryTimes: DurationHistogram
}

export type ReplayOutcome =
  | { kind: 'replayed'; id: string }
  | { kind: 'unknown' }
  | Exclude<AcceptOutcome, { kind: 'accepted' | 'repeated' }>

export type EnqueueOutcome =
  | { kind: 'accepted'; id: string }
  | Exclude<AcceptOutcome, { kind: 'accepted' | 'repeated' }>

export interface WebhookIntake {
  /**
   * Resolves once the event is durable, or with the reason for rejecting it.
   *
   * @param mark if the bot already has this mark and it has not expired, no event is added. Otherwise, the mark and the
   * event are stored in one transaction. If two concurrent events have the same mark, only one is stored.
   */
  accept(event: NewEvent, mark?: DedupeMark): Promise<AcceptOutcome>
  /** Like `accept` without a mark, but also resolves with the ID of the new event. */
  enqueue(event: NewEvent): Promise<EnqueueOutcome>
  /**
   * Performs a test write on the same path as acceptance, and resolves once the write is durable. Rejects if the write
   * fails.
   */
  probe(): Promise<void>
}

/**
 * Leases events to holders and records the outcomes.
 *
 * A lease lasts `leaseMs` from claim or renewal. `afterFailure` decides what happens after a failed attempt. Reports on
 * deliveries that are not leased to the holder are ignored.
 */
export interface DeliveryLeases {
  /**
   * Leases due events to the holder, round-robin across the given bots. The leases are durable when the promise
   * resolves.
   *
   * Each bot's events are leased in order of their due time, and first attempts in order of acceptance. A flow's strict
   * order counts as it is set at the time of the claim.
   */
  claim(claim: Claim): Promise<Claimed>
  acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void>
  fail(holder: string, failures: readonly Failure[]): Promise<void>
  /** Releases the claim on these deliveries: no attempt is counted, and the events are due immediately. */
  release(holder: string, deliveries: readonly string[]): Promise<void>
  /** Renews the leases. Resolves with the deliveries that are not leased to the holder. */
  renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]>
}

/** Finds bots with due events, and tracks the leases of all holders. */
export interface DeliveryWatch {
  /**
   * Calls the listener with each bot that may have a due event, because an event was accepted, replayed, released or
   * rescheduled by `tryNow`, or an attempt failed. Returns a function that unsubscribes.
   */
  onDue(listener: (botId: BotId) => void): () => void
  /**
   * Calls the listener with each holder whose leases another process took over because the runtime reconnected to that
   * process. Returns a function that unsubscribes.
   */
  onTaken(listener: (holder: string) => void): () => void
  /** Returns the given bots that have unfinished events. */
  botsWithEvents(botIds: Iterable<BotId>): Promise<BotId[]>
  /**
   * Returns the bots with a retry that came due between `sinceMs` and `nowMs`. May include bots whose retry came due
   * earlier.
   */
  botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]>
  /** Returns the given bots with due events that `onDue` may have missed because another process accepted them. */
  botsWithMissedEvents(botIds: readonly BotId[], nowMs: number): Promise<BotId[]>
  /** Applies changed settings of the bot's flows to its waiting events. Must be called on each process. */
  applyFlowSettings(botId: BotId): Promise<void>
  /**
   * Takes over the holder's leases when the holder connects to this process. Renews the leases of the `listed`
   * deliveries, and fails all other leases of the holder as of `failedAtMs`, even leases acquired through other
   * processes.
   */
  resume(
    holder: string,
    listed: readonly string[],
    at: { nowMs: number; failedAtMs: number },
  ): Promise<{ kept: string[]; lost: string[] }>
  /** Fails the holder's leases that this process was the last to grant, renew or take over. Other leases are kept. */
  abandon(holder: string, failedAtMs: number): Promise<void>
  failExpired(nowMs: number): Promise<{ holder: string; delivery: string }[]>
  /**
   * Takes over the leases of processes that are gone, each lease exactly once. Resolves with the holders of these
   * leases.
   */
  adoptOrphans(): Promise<string[]>
}

/** Actions that users can take on individual events. */
export interface EventInterventions {
  /**
   * Accepts the event again with a new ID. The original event is kept and records the replay's ID. Runs as one
   * transaction.
   */
  replay(botId: BotId, id: string, nowMs: number): Promise<ReplayOutcome>
  /** Removes the given events that are dead letters of this bot. Resolves with the number removed. */
  discardDead(botId: BotId, ids: readonly string[]): Promise<number>
  /**
   * Removes one of the bot's waiting events, whether or not it was attempted before. If the flow has strict order, the
   * flow's next event can become due. The deduplication mark stays, so retries by the sender still count as duplicates.
   *
   * @returns false, without changing anything, if the event is unknown, leased or finished.
   */
  discardWaiting(botId: BotId, id: string): Promise<boolean>
  /**
   * Makes an event's scheduled retry due at `nowMs`. The number of attempts stays the same.
   *
   * @returns false, without changing anything, if the event has no retry scheduled for later.
   */
  tryNow(botId: BotId, id: string, nowMs: number): Promise<boolean>
}

export interface DeadLetter {
  botId: BotId
  flowId: FlowId
  id: string
  because: DeadReason
}

/** Number and size of a bot's unfinished events, with the limits on them. */
export interface BotLoad extends QueueDepth {
  maxEvents: number
  maxBytes: number
}

/** Finds conditions that owners should be alerted to: dead letters and nearly full queues. */
export interface QueueAlerts {
  /**
   * Calls the listener with each event that becomes a dead letter through this process, after the change is committed.
   * Returns a function that unsubscribes.
   */
  onDead(listener: (dead: DeadLetter) => void): () => void
  /** Returns the bots that use at least this share of one of their limits. */
  loadsFrom(share: number): Promise<BotLoad[]>
}

/** Keeps the size of the queue bounded. */
interface QueueRetention extends BotEvents {
  /**
   * Examines up to `most` of the oldest events. Dead-letters events past the age limit and removes events past their
   * retention period. Removes finished events beyond the limits: of the bots that exceed theirs, then of the bots that
   * keep the most, until the totals fit. The oldest events of a bot are removed first.
   *
   * Resolves with the number of events examined: fewer than `most` when nothing is left to do.
   */
  prune(nowMs: number, most: number): Promise<number>
  /** Removes up to `most` expired deduplication marks. Resolves with the number removed. */
  pruneMarks(nowMs: number, most: number): Promise<number>
  /** Stores the hourly counts that exist only in memory. */
  flushCounts(): Promise<void>
}

/**
 * Holds accepted events, one record per event, from acceptance to the end of their retention period.
 *
 * Delivery is at least once. An event is delivered again until the lease holder acknowledges it, it becomes a dead
 * letter, a user removes it, or its bot is deleted.
 */
export interface DeliveryQueue
  extends WebhookIntake,
    DeliveryLeases,
    DeliveryWatch,
    EventInterventions,
    QueueAlerts,
    QueueRetention {
  /** History of the accepted events, for the delivery log of a bot's owner and collaborators. */
  readonly log: EventLog
  figures(): Promise<QueueFigures>
}

/** Traces delivery attempts. Present only if the operator has configured a trace collector. */
export interface DeliveryTracing {
  /** Starts a span for the attempt. Returns the trace context for the runtime (W3C Trace Context, `traceparent`). */
  dispatched(delivery: Delivery): string
  /**
   * Ends the attempt's span.
   *
   * @param error the error from the runtime; `undefined` on success.
   */
  ended(delivery: string, error: string | undefined): void
}

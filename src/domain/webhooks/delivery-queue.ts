import type { DurationHistogram } from '../background-work.ts'
import type { BotEvents } from '../bots/deleted-bots.ts'
import type { BotId, FlowId } from '../ids-and-secrets.ts'
import type { DedupeMark } from './dedupe-mark.ts'
import type { EventLog, ForwardedHeaders, QueueDepth } from './event-log.ts'
import type { DeadReason } from './retry.ts'

export interface ReceivedWebhook {
  botId: BotId
  flowId: FlowId
  path: string
  headers: ForwardedHeaders
  clientIp: string
  body: Uint8Array
  acceptedAtMs: number
  /** A user sent it with the tester, past the flow's key and signature. */
  test?: true
}

export interface NewEvent extends ReceivedWebhook {
  /** Whether the flow has strict order, as far as this node knows. {@link StrictFlow} decides at each claim. */
  ordered: boolean
}

/** A flow whose events aren't claimed while an earlier one of the flow is unfinished. */
export interface StrictFlow {
  botId: BotId
  flowId: FlowId
  /**
   * Number of the bot's last event before the flow was created. Events up to it are from a removed flow with the same
   * ID: they are claimed without order, and no event waits for them.
   */
  eventsBefore: number
}

export type AcceptOutcome =
  /** Durable: it survives `kill -9` and a power loss. */
  | { kind: 'accepted' }
  /** A duplicate of a webhook whose event is durable and whose mark has not expired. */
  | { kind: 'repeated' }
  /** The limit on waiting events or on their total body size is reached. */
  | { kind: 'full'; of: 'bot' | 'queue' }
  /** The event can't be made durable at the moment. `cause` is for the log. */
  | { kind: 'unavailable'; cause: unknown }

export interface Delivery extends ReceivedWebhook {
  /** ID of this attempt, and a fencing token: reports on earlier attempts are ignored. */
  delivery: string
  id: string
  attempt: number
  /** ID of the event that this event replays. */
  replayOf: string | undefined
}

export interface Claim {
  /** The runtime instance that gets the leases. Outlives its connections and service restarts. */
  holder: string
  botIds: readonly BotId[]
  most: number
  mostBytes: number
  nowMs: number
}

export interface Claimed {
  deliveries: Delivery[]
  /** Bots of the claim that may have more due events. */
  more: BotId[]
}

export interface Failure {
  delivery: string
  failedAtMs: number
  error?: string | undefined
  retryMs?: number | undefined
  dead?: boolean | undefined
}

/** The current state, and counts since the start of the process. */
export interface QueueFigures {
  waitingEvents: number
  waitingBytes: number
  leasedEvents: number
  /** `undefined` if all events are finished. */
  oldestAcceptedAtMs: number | undefined
  accepted: number
  /** Rejected because the bot's queue was full. `refusedQueueFull` counts those for the whole queue. */
  refusedBotFull: number
  refusedQueueFull: number
  refusedUnavailable: number
  delivered: number
  failedAttempts: number
  deadLetters: number
  deliveryTimes: DurationHistogram
}

export type EnqueueOutcome =
  | { kind: 'accepted'; id: string }
  | Exclude<AcceptOutcome, { kind: 'accepted' | 'repeated' }>
export type ReplayOutcome = EnqueueOutcome | { kind: 'unknown' }

export interface Replay {
  /** Number of the original event, which belongs to the same bot. */
  of: number
  /** Whether the replay is stored only if the original event was not replayed before. */
  once: boolean
}

export interface WebhookIntake {
  /**
   * Resolves once the event is durable, or with the reason for rejecting it.
   *
   * @param mark if the bot already has this mark and it has not expired, no event is added. Otherwise, mark and event
   * are stored in one transaction. Of concurrent events with the same mark, only one is stored.
   */
  accept(event: NewEvent, mark?: DedupeMark): Promise<AcceptOutcome>
  /** Like `accept` without a mark. */
  enqueue(event: NewEvent): Promise<EnqueueOutcome>
  /** Performs a durable test write on the same path as acceptance. Rejects if the write fails. */
  probe(): Promise<void>
}

/** A lease lasts `leaseMs` from claim or renewal. Reports on deliveries that the holder doesn't lease are ignored. */
export interface DeliveryLeases {
  /**
   * Leases due events, round-robin across the bots. The leases are durable when the promise resolves.
   *
   * Each bot's events are leased in order of their due time, and first attempts in order of acceptance. A flow's strict
   * order counts as it is set at the time of the claim.
   */
  claim(claim: Claim): Promise<Claimed>
  acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void>
  fail(holder: string, failures: readonly Failure[]): Promise<void>
  /** No attempt is counted, and the events are due immediately. */
  release(holder: string, deliveries: readonly string[]): Promise<void>
  /** Resolves with the deliveries that are not leased to the holder. */
  renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]>
}

export interface Taken {
  holder: string
  /** When the runtime connected there. */
  atMs: number
}

export interface DeliveryWatch {
  /** Calls the listener with each bot that may have a due event now. Returns a function that unsubscribes. */
  onDue(listener: (botId: BotId) => void): () => void
  /** Calls the listener with each holder whose leases another process took over, as the runtime connected there. */
  onTaken(listener: (taken: Taken) => void): () => void
  botsWithEvents(botIds: Iterable<BotId>): Promise<BotId[]>
  /** Returns the bots with a retry that came due since `sinceMs`, or possibly earlier. */
  botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]>
  /** Returns those with due events that `onDue` may have missed because another process accepted them. */
  botsWithMissedEvents(botIds: readonly BotId[], nowMs: number): Promise<BotId[]>
  /**
   * Takes over the holder's leases when it connects to this process. Renews those of the `listed` deliveries, and fails
   * all others as of `failedAtMs`, even those acquired through other processes.
   */
  resume(
    holder: string,
    listed: readonly string[],
    at: { nowMs: number; failedAtMs: number },
  ): Promise<{ kept: string[]; lost: string[] }>
  /** Fails the holder's leases that this process was the last to grant, renew or take over. */
  abandon(holder: string, failedAtMs: number): Promise<void>
  failExpired(nowMs: number): Promise<{ holder: string; delivery: string }[]>
  /** Takes over the leases of processes that are gone, each exactly once. Resolves with their holders. */
  adoptOrphans(): Promise<string[]>
}

export interface EventInterventions {
  /**
   * Accepts the event again with a new ID, which the original event records. One transaction.
   *
   * @param once whether an event that was replayed before counts as unknown. Of concurrent calls, one is then accepted.
   */
  replay(botId: BotId, id: string, nowMs: number, once?: boolean): Promise<ReplayOutcome>
  discardDead(botId: BotId, ids: readonly string[]): Promise<number>
  /**
   * Removes a waiting event, attempted before or not. The flow's next event in strict order can become due. The
   * deduplication mark stays, so retries by the sender still count as duplicates.
   *
   * @returns false, without changing anything, if the event is unknown, leased or finished.
   */
  discardWaiting(botId: BotId, id: string): Promise<boolean>
  /** Makes a scheduled retry due at `nowMs`, with the same number of attempts. Returns false if none is scheduled. */
  tryNow(botId: BotId, id: string, nowMs: number): Promise<boolean>
}

export interface DeadLetter {
  botId: BotId
  flowId: FlowId
  id: string
  because: DeadReason
}

export interface BotLoad extends QueueDepth {
  maxEvents: number
  maxBytes: number
}

export interface QueueAlerts {
  /** Calls the listener after this process has dead-lettered an event. Returns a function that unsubscribes. */
  onDead(listener: (dead: DeadLetter) => void): () => void
  /** Returns the bots that use at least this share of one of their limits. */
  loadsFrom(share: number): Promise<BotLoad[]>
}

interface QueueRetention extends BotEvents {
  /**
   * Examines up to `most` of the oldest events. Dead-letters events past the age limit and removes events past their
   * retention period. Removes finished events beyond the limits: of the bots that exceed theirs, then of the bots that
   * keep the most, until the totals fit. The oldest events of a bot are removed first.
   *
   * Resolves with the number examined: fewer than `most` when nothing is left to do.
   */
  prune(nowMs: number, most: number): Promise<number>
  /** Removes expired deduplication marks. Resolves with the number removed. */
  pruneMarks(nowMs: number, most: number): Promise<number>
  /** Stores the hourly counts that exist only in memory. */
  flushCounts(): Promise<void>
}

/**
 * Holds accepted events, one record per event, to the end of their retention period. Delivery is at least once: until
 * the lease holder acknowledges the event, it becomes a dead letter, a user removes it, or its bot is deleted.
 */
export interface DeliveryQueue
  extends WebhookIntake,
    DeliveryLeases,
    DeliveryWatch,
    EventInterventions,
    QueueAlerts,
    QueueRetention {
  readonly log: EventLog
  figures(): Promise<QueueFigures>
}

/** Present only if the operator has configured a trace collector. */
export interface DeliveryTracing {
  /** Starts a span. Returns the trace context for the runtime (W3C Trace Context, `traceparent`). */
  dispatched(delivery: Delivery): string
  /** @param error `undefined` on success. */
  ended(delivery: string, error: string | undefined): void
}

import type { Audit, ShownEvent } from '../audit/audit.ts'
import type { Bots } from '../bots/bots.ts'
import { logLevels, type NumberedLogEntry } from '../bots/runtimes/runtime-logs.ts'
import type { Clock } from '../clock.ts'
import type { ApplicationId, BotId, RuntimeId, SubscriptionId, UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { EventLog, EventSummary } from '../webhooks/event-log.ts'

export type RemovePersonOutcome =
  | { kind: 'removed'; botIds: BotId[]; runtimeIds: RuntimeId[]; subscriptionIds: SubscriptionId[] }
  | { kind: 'unknown' }
  /** Nothing was changed, because the user owns these. */
  | { kind: 'owner'; applicationIds: ApplicationId[]; botIds: BotId[] }

/** Without secrets or hashes. Names of timestamps in milliseconds end in `AtMs` or `UntilMs`. */
export type PersonalRecord = Readonly<Record<string, unknown>>

/** Everything about a person that isn't read page by page, by its name in the export; `user` is a single record. */
export type PersonalRecords = Readonly<Record<string, readonly PersonalRecord[]>>

/** Everything that the identity database keeps about a person, whichever domain folder owns the data. */
export interface PersonStore {
  /**
   * Deletes the user and everything that belongs to the user, in one transaction. Audit events stay.
   *
   * @param owned `delete` also deletes the user's applications and bots. `refuse` deletes nothing if the user owns any.
   */
  remove(userId: UserId, owned: 'delete' | 'refuse', nowMs: number): Promise<RemovePersonOutcome>
  /** In one consistent snapshot. */
  read(userId: UserId): Promise<PersonalRecords | undefined>
}

/** Limits memory use and keeps each query short. */
const recordsPerRead = 500

export type People = ReturnType<typeof createPeople>

export function createPeople(parts: {
  people: PersonStore
  audit: Audit
  bots: Pick<Bots, 'records' | 'runtimes' | 'logs'>
  events: EventLog
  subscriptions: Pick<Subscriptions, 'applyRemoval'>
  clock: Clock
}) {
  const { people: store, audit, bots, events, subscriptions, clock } = parts

  /** Disconnects runtimes and drops the events of subscriptions whose removal is already stored. */
  async function applyRemoval(removed: {
    runtimeIds: readonly RuntimeId[]
    subscriptionIds: readonly SubscriptionId[]
  }): Promise<void> {
    for (const id of removed.runtimeIds) bots.runtimes.applyRemoval(id)
    for (const id of removed.subscriptionIds) await subscriptions.applyRemoval(id)
  }

  return {
    applyRemoval,

    /** From then on, every node rejects the user's sessions and tokens, and the user's runtimes are disconnected. */
    async remove(userId: UserId, owned: 'delete' | 'refuse'): Promise<RemovePersonOutcome> {
      const outcome = await store.remove(userId, owned, clock.nowMs())
      if (outcome.kind === 'removed') {
        for (const botId of outcome.botIds) bots.records.applyRemoval(botId)
        await applyRemoval(outcome)
      }
      return outcome
    },

    /** Returns everything except the records that the methods below read. */
    read: (userId: UserId) => store.read(userId),

    /** Newest first. Hides the operators' addresses. */
    activity: (userId: UserId) =>
      batches<ShownEvent>((last) => audit.ofUser(userId, { before: last?.number, atMost: recordsPerRead })),

    /** Newest first. */
    logs: (botId: BotId) =>
      batches<NumberedLogEntry>((after) => bots.logs.page(botId, { levels: logLevels, after, most: recordsPerRead })),

    /** Newest first, without headers and bodies. */
    async *deliveries(botId: BotId): AsyncGenerator<readonly EventSummary[]> {
      let before: string | undefined
      do {
        const page = await events.page(botId, {}, { before, most: limits.eventsPerPageMax })
        yield page.events
        before = page.next
      } while (before !== undefined)
    },
  }
}

/** @param read returns the records after the last one that has been read. */
async function* batches<Item>(
  read: (last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  let last: Item | undefined
  for (;;) {
    const items = await read(last)
    yield items
    if (items.length < recordsPerRead) return
    last = items.at(-1)
  }
}

import type { BotId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { EventLog } from './event-log.ts'
import type { RefusalLog, RefusedWebhooks } from './refusal-log.ts'

export type EventCopies = Awaited<ReturnType<typeof beginCopies>>

/** Begins with the next event or refusal. Takes no leases, so the bot's runtimes still receive every event. */
export async function beginCopies(events: EventLog, refusals: Pick<RefusalLog, 'latest'>, botId: BotId, nowMs: number) {
  let { cursor } = await events.follow(botId, undefined, 0)
  let refusedFromMs = nowMs
  /** Times of the refusals in the last read, keyed by what similar refusals share. */
  let refusedAtMs: ReadonlyMap<string, number> = new Map()

  return {
    /** Returns the IDs of up to {@link copiesPerRead} new events, in the order in which they were accepted. */
    async newIds(): Promise<string[]> {
      const followed = await events.follow(botId, cursor, limits.copiesPerRead)
      cursor = followed.cursor
      return followed.events.map(({ id }) => id)
    },

    /** Oldest first. If several similar ones came between two reads, only the last. */
    async refusals(): Promise<RefusedWebhooks[]> {
      const latest = await refusals.latest(botId, undefined, limits.refusedWebhooksKept)
      // Newest first: of a stored and a collected row about similar refusals, the newer one counts.
      const newest = new Map<string, RefusedWebhooks>()
      for (const refused of latest) newest.getOrInsert(keyOf(refused), refused)
      const added = [...newest].filter(([key, { lastAtMs }]) => lastAtMs > (refusedAtMs.get(key) ?? refusedFromMs))
      refusedAtMs = new Map([...newest].map(([key, { lastAtMs }]) => [key, lastAtMs]))
      // A full list omits refusals older than its last entry.
      const oldest = latest.length < limits.refusedWebhooksKept ? undefined : latest.at(-1)
      if (oldest !== undefined) refusedFromMs = Math.max(refusedFromMs, oldest.lastAtMs)
      return added.map(([, refused]) => refused).reverse()
    },
  }
}

function keyOf({ flowId, cause, address, path }: RefusedWebhooks): string {
  return JSON.stringify([flowId, cause, address, path])
}

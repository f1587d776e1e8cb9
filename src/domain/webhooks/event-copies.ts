import type { BotId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { EventLog, EventRecord } from './event-log.ts'
import type { RefusalLog, RefusedWebhooks } from './refusal-log.ts'

interface Logs {
  events: EventLog
  refusals: Pick<RefusalLog, 'latest'>
}

/** Takes no leases and counts no attempts, so the bot's runtimes still receive every event. */
export class EventCopies {
  readonly #logs: Logs
  readonly #botId: BotId
  #cursor: string
  #refusedFromMs: number
  /** Times of the refusals in the last read, keyed by what similar refusals share. */
  #refusedAtMs: ReadonlyMap<string, number> = new Map()

  private constructor(logs: Logs, botId: BotId, from: { cursor: string; nowMs: number }) {
    this.#logs = logs
    this.#botId = botId
    this.#cursor = from.cursor
    this.#refusedFromMs = from.nowMs
  }

  /** Begins with the next event that is accepted and the next webhook that is refused. */
  static async begin(logs: Logs, botId: BotId, nowMs: number): Promise<EventCopies> {
    const { cursor } = await logs.events.follow(botId, undefined, 0)
    return new EventCopies(logs, botId, { cursor, nowMs })
  }

  /** Returns the IDs of up to {@link copiesPerRead} new events, in the order in which they were accepted. */
  async newIds(): Promise<string[]> {
    const { events, cursor } = await this.#logs.events.follow(this.#botId, this.#cursor, limits.copiesPerRead)
    this.#cursor = cursor
    return events.map(({ id }) => id)
  }

  /** Returns `undefined` if the event has been removed since. */
  event(id: string): Promise<EventRecord | undefined> {
    return this.#logs.events.find(this.#botId, id)
  }

  /** Oldest first. If several similar ones came between two reads, only the last. */
  async refusals(): Promise<RefusedWebhooks[]> {
    const latest = await this.#logs.refusals.latest(this.#botId, undefined, limits.refusedWebhooksKept)
    // Newest first: of a stored and a collected row about similar refusals, the newer one counts.
    const newest = new Map<string, RefusedWebhooks>()
    for (const refused of latest) {
      const key = keyOf(refused)
      if (!newest.has(key)) newest.set(key, refused)
    }
    const fromMs = this.#refusedFromMs
    const added = [...newest].filter(([key, { lastAtMs }]) => lastAtMs > (this.#refusedAtMs.get(key) ?? fromMs))
    this.#refusedAtMs = new Map([...newest].map(([key, { lastAtMs }]) => [key, lastAtMs]))
    // A full list omits refusals older than its last entry.
    const oldest = latest.length < limits.refusedWebhooksKept ? undefined : latest.at(-1)
    if (oldest !== undefined) this.#refusedFromMs = Math.max(fromMs, oldest.lastAtMs)
    return added.map(([, refused]) => refused).reverse()
  }
}

function keyOf({ flowId, cause, address, path }: RefusedWebhooks): string {
  return JSON.stringify([flowId, cause, address, path])
}

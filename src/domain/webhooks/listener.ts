import type { DedupeSetting } from '../bots/flows/dedupe-setting.ts'
import type { SignatureColumns } from '../bots/flows/stored-signature.ts'
import type { Clock } from '../clock.ts'
import type { BotId, FlowId, SecretDigest } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'

export interface Listener extends SignatureColumns {
  botId: BotId
  flowId: FlowId
  /** Number of the bot's last event before the flow was created. Tells the flow from a removed one with the same ID. */
  eventsBefore: number
  /** The current key first. `undefined` if the flow requires no key. */
  keys: readonly ListenerKey[] | undefined
  ordered: boolean
  /** `null` if webhooks aren't deduplicated. */
  dedupe: DedupeSetting | null
}

interface ListenerKey {
  number: number
  digest: SecretDigest
  /** `null` for the current key. */
  endsAtMs: number | null
}

export type FoundListener = Listener | 'path-unknown' | 'bot-unknown'

export interface ListenerStore {
  /** Finds the flow even if the bot's hosting is off. Deleted bots are unknown. */
  findListener(botId: BotId, path: string): Promise<FoundListener>
  /** @param lastUsedAtMs by key number. Numbers of removed keys are ignored. */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}

/**
 * Caches listeners for at most five seconds, but never their absence. Call `forget` after each change made on this
 * node; others take effect within five seconds. A cached listener may accept a webhook; a rejection re-reads the store.
 */
export class ListenerCache {
  readonly #listeners: ListenerStore
  readonly #clock: Clock
  /** By bot ID and path, oldest first. */
  readonly #readings = new Map<string, { listener: Listener; readAtMs: number }>()
  /** Number of `forget` calls. What was read since before such a call may be stale, so it isn't cached. */
  #forgotten = 0

  constructor({ listeners, clock }: { listeners: ListenerStore; clock: Clock }) {
    this.#listeners = listeners
    this.#clock = clock
  }

  recall(botId: BotId, path: string): Listener | undefined {
    const reading = this.#readings.get(`${botId}/${path}`)
    if (reading === undefined) return undefined
    const ageMs = this.#clock.nowMs() - reading.readAtMs
    // The age is negative if the clock was set back to before the read.
    return ageMs >= 0 && ageMs < limits.listenerCacheMs ? reading.listener : undefined
  }

  /** Bypasses the cache, and caches the result. */
  async read(botId: BotId, path: string): Promise<FoundListener> {
    const readAtMs = this.#clock.nowMs()
    const forgotten = this.#forgotten
    const found = await this.#listeners.findListener(botId, path)
    const key = `${botId}/${path}`
    this.#readings.delete(key)
    if (typeof found === 'object' && forgotten === this.#forgotten) {
      this.#readings.set(key, { listener: found, readAtMs })
      const [oldest = key] = this.#readings.keys()
      if (this.#readings.size > limits.webhookListenersCachedMax) this.#readings.delete(oldest)
    }
    return found
  }

  forget(botId: BotId): void {
    this.#forgotten += 1
    const prefix = `${botId}/`
    for (const key of this.#readings.keys()) if (key.startsWith(prefix)) this.#readings.delete(key)
  }
}

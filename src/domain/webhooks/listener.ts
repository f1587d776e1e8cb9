import type { DedupeSetting } from '../bots/flows/dedupe-setting.ts'
import type { SignatureSetting } from '../bots/flows/signature-setting.ts'
import type { Clock } from '../clock.ts'
import type { BotId, FlowId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { SecretDigest } from '../secret.ts'

/** The event flow that listens for webhooks on one of a bot's paths. */
export interface Listener {
  botId: BotId
  flowId: FlowId
  /** Number of the bot's last event before the flow was created. Tells the flow from a removed one with the same ID. */
  eventsBefore: number
  /** Keys that the flow accepts, the current key first. `undefined` if the flow requires no key. */
  keys: readonly ListenerKey[] | undefined
  /** Whether the flow has strict order: its events are delivered one at a time. */
  ordered: boolean
  /** How to check signatures. `undefined` if signatures aren't checked. */
  signature: ListenerSignature | undefined
  /** How to detect duplicates. `undefined` if webhooks aren't deduplicated. */
  dedupe: DedupeSetting | undefined
}

export interface ListenerSignature {
  setting: SignatureSetting
  /** Encrypted signing secret. `undefined` if the setting uses no secret. */
  sealedSecret: Uint8Array | undefined
  /** The encrypted secret that was replaced last, which may have expired. */
  previous: { sealedSecret: Uint8Array; endsAtMs: number } | undefined
}

interface ListenerKey {
  number: number
  digest: SecretDigest
  /** When the previous key expires. `null` for the current key. */
  endsAtMs: number | null
}

export type FoundListener = Listener | 'path-unknown' | 'bot-unknown'

export interface ListenerStore {
  /** Returns the flow that listens on the path, even if the bot's hosting is off. Deleted bots are unknown. */
  findListener(botId: BotId, path: string): Promise<FoundListener>
  /**
   * Stores when keys were last used.
   *
   * @param lastUsedAtMs last-use times by key number. Numbers of removed keys are ignored.
   */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}

interface Reading {
  listener: Listener
  readAtMs: number
}

/**
 * Caches listeners for at most five seconds. The absence of a listener is never cached, so a new listener works on the
 * next request.
 *
 * Call `forget` after each change made on this node. Changes made on other nodes take effect within five seconds. A
 * cached listener may accept a webhook; a rejection always re-reads the store.
 */
export class ListenerCache {
  readonly #listeners: ListenerStore
  readonly #clock: Clock
  readonly #bots = new Map<BotId, Map<string, Reading>>()
  /** All cache entries, in the order in which they were added, so that the oldest is evicted first. */
  readonly #readings = new Map<Reading, { botId: BotId; path: string }>()
  /** Number of `forget` calls. A read that started before such a call may be stale, so its result isn't cached. */
  #forgotten = 0

  constructor({ listeners, clock }: { listeners: ListenerStore; clock: Clock }) {
    this.#listeners = listeners
    this.#clock = clock
  }

  /** Returns the cached listener if it is still fresh, without reading the store. */
  recall(botId: BotId, path: string): Listener | undefined {
    const reading = this.#bots.get(botId)?.get(path)
    if (reading === undefined) return undefined
    const ageMs = this.#clock.nowMs() - reading.readAtMs
    // If the clock was set back to before the read, the age is negative and the entry isn't used. If the clock was set
    // back by less, the entry stays valid that much longer.
    return ageMs >= 0 && ageMs < limits.listenerCacheMs ? reading.listener : undefined
  }

  /** Reads the listener from the store, bypassing the cache, and caches the result. */
  async read(botId: BotId, path: string): Promise<FoundListener> {
    const readAtMs = this.#clock.nowMs()
    const forgotten = this.#forgotten
    const found = await this.#listeners.findListener(botId, path)
    this.#drop(botId, path)
    if (typeof found === 'object' && forgotten === this.#forgotten) {
      this.#keep({ listener: found, readAtMs }, botId, path)
    }
    return found
  }

  forget(botId: BotId): void {
    this.#forgotten += 1
    for (const reading of this.#bots.get(botId)?.values() ?? []) this.#readings.delete(reading)
    this.#bots.delete(botId)
  }

  #keep(reading: Reading, botId: BotId, path: string): void {
    let paths = this.#bots.get(botId)
    if (paths === undefined) {
      paths = new Map()
      this.#bots.set(botId, paths)
    }
    paths.set(path, reading)
    this.#readings.set(reading, { botId, path })
    if (this.#readings.size > limits.webhookListenersCachedMax) {
      const [oldest] = this.#readings.values()
      if (oldest !== undefined) this.#drop(oldest.botId, oldest.path)
    }
  }

  #drop(botId: BotId, path: string): void {
    const paths = this.#bots.get(botId)
    const reading = paths?.get(path)
    if (paths === undefined || reading === undefined) return
    paths.delete(path)
    if (paths.size === 0) this.#bots.delete(botId)
    this.#readings.delete(reading)
  }
}

import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../domain/clock.ts'
import type { Language } from '../../domain/language.ts'
import {
  statusStreamBacklogMaxBytes,
  statusStreamLookEveryMs,
  statusStreamStillEveryMs,
  statusStreamsMax,
  statusStreamsPerAddress,
} from '../../domain/limits/limits.ts'
import { addressBlock } from '../../http/client-address.ts'

/** What a page shows, part by part, as markup. */
export type ShownParts = Record<string, string>

/** A look at one bot. */
export interface Look {
  /** Of each part: differs when it may show something else. */
  versions: Record<string, string>
  /** Makes the parts of these names. Undefined: the bot left meanwhile. */
  parts(names: readonly string[], language: Language): Promise<ShownParts | undefined>
}

/** Why a stream is not opened: the whole service has as many as it takes, or that address does. */
export type StreamRefusal = 'service-full' | 'address-full'

/** One bot in one language, which all pages share that show it so. */
interface Watch {
  botRef: string
  language: Language
  listeners: Set<ServerResponse>
  versions: Record<string, string>
  parts: ShownParts
}

/**
 * The streams of all open status pages (server-sent events). One timer looks at each bot that is watched, once for
 * each language however many watch it, and sends what changed. Bounded in all and per client address; a reader that does not keep up is
 * cut off and comes back by itself.
 */
export class StatusStreams {
  readonly #look: (botRef: string) => Promise<Look | undefined>
  readonly #onFault: (error: unknown) => void
  readonly #clock: Clock
  /** By bot and language, as {@link watchKey} puts them together. */
  readonly #watches = new Map<string, Watch>()
  readonly #perAddress = new Map<string, number>()
  readonly #stopLooking: () => void
  #count = 0
  #looking = false
  #closed = false
  #stillSaidAtMs: number

  /** @param look undefined: there is no status to see (any more). */
  constructor(parts: {
    look: (botRef: string) => Promise<Look | undefined>
    clock: Clock
    onFault: (error: unknown) => void
  }) {
    this.#look = parts.look
    this.#onFault = parts.onFault
    this.#clock = parts.clock
    this.#stillSaidAtMs = parts.clock.nowMs()
    this.#stopLooking = parts.clock.every(statusStreamLookEveryMs, () => this.#lookAtAll())
  }

  /** Whether one more may be opened from the address. */
  refusal(address: string): StreamRefusal | undefined {
    if (this.#count >= statusStreamsMax) return 'service-full'
    return (this.#perAddress.get(addressBlock(address)) ?? 0) >= statusStreamsPerAddress ? 'address-full' : undefined
  }

  /** Answers with a stream in the page's language that ends when the reader leaves, the bot's status does, or the service. */
  async open(botRef: string, language: Language, address: string, response: ServerResponse): Promise<void> {
    const leave = this.#countIn(addressBlock(address))
    response.once('close', leave)
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Proxies that gather answers would hold the events back.
      'x-accel-buffering': 'no',
      connection: 'close',
    })
    // Not all at once: after a restart every page in the world comes back.
    response.write(`retry: ${randomInt(2_000, 8_000)}\n\n`)
    try {
      await this.#join(botRef, language, response)
    } catch (error) {
      this.#onFault(error)
      response.end()
    }
  }

  /** Ends all streams; their readers come back to whoever then listens. */
  close(): void {
    this.#stopLooking()
    this.#closed = true
    for (const { listeners } of this.#watches.values()) for (const response of listeners) response.end()
    this.#watches.clear()
  }

  async #join(botRef: string, language: Language, response: ServerResponse): Promise<void> {
    const key = watchKey(botRef, language)
    let watch = this.#watches.get(key)
    if (watch === undefined) {
      const look = await this.#look(botRef)
      const parts = await look?.parts(Object.keys(look.versions), language)
      if (look === undefined || parts === undefined) {
        response.end(goneFrame)
        return
      }
      if (this.#closed) {
        response.end()
        return
      }
      watch = this.#watches.get(key) ?? { botRef, language, listeners: new Set(), versions: look.versions, parts }
      this.#watches.set(key, watch)
    }
    if (response.destroyed) {
      this.#leave(watch, response)
      return
    }
    watch.listeners.add(response)
    const joined = watch
    response.once('close', () => this.#leave(joined, response))
    send(response, frame('parts', watch.parts))
  }

  #leave(watch: Watch, response: ServerResponse): void {
    watch.listeners.delete(response)
    const key = watchKey(watch.botRef, watch.language)
    if (watch.listeners.size === 0 && this.#watches.get(key) === watch) this.#watches.delete(key)
  }

  #countIn(block: string): () => void {
    this.#count += 1
    this.#perAddress.set(block, (this.#perAddress.get(block) ?? 0) + 1)
    return () => {
      this.#count -= 1
      const left = (this.#perAddress.get(block) ?? 1) - 1
      if (left === 0) this.#perAddress.delete(block)
      else this.#perAddress.set(block, left)
    }
  }

  #lookAtAll(): void {
    const still = this.#clock.nowMs() - this.#stillSaidAtMs >= statusStreamStillEveryMs
    if (still) {
      this.#stillSaidAtMs = this.#clock.nowMs()
      for (const { listeners } of this.#watches.values()) for (const response of listeners) send(response, stillFrame)
    }
    if (this.#looking) return
    this.#looking = true
    const looks = [...this.#watches.values()].map((watch) => this.#lookAt(watch).catch(this.#onFault))
    Promise.all(looks).finally(() => {
      this.#looking = false
    })
  }

  async #lookAt(watch: Watch): Promise<void> {
    const { botRef, language } = watch
    const look = await this.#look(botRef)
    if (look === undefined) {
      for (const response of watch.listeners) response.end(goneFrame)
      this.#watches.delete(watchKey(botRef, language))
      return
    }
    const outdated = Object.keys(look.versions).filter((name) => look.versions[name] !== watch.versions[name])
    if (outdated.length === 0) return
    const parts = await look.parts(outdated, language)
    if (parts === undefined) return
    const changed = Object.fromEntries(Object.entries(parts).filter(([name, markup]) => watch.parts[name] !== markup))
    watch.versions = look.versions
    watch.parts = { ...watch.parts, ...parts }
    if (Object.keys(changed).length === 0) return
    const sent = frame('parts', changed)
    for (const response of watch.listeners) send(response, sent)
  }
}

function watchKey(botRef: string, language: Language): string {
  return `${language} ${botRef}`
}

function frame(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Proves that the stream is there, also through whatever gathers answers on the way. */
const stillFrame = frame('still', {})
/** There is nothing to see any more; the page says so when it is loaded again. */
const goneFrame = frame('gone', {})

function send(response: ServerResponse, sent: string): void {
  if (response.writableLength > statusStreamBacklogMaxBytes) response.destroy()
  else response.write(sent)
}

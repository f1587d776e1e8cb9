import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../domain/clock.ts'
import type { Language } from '../../domain/language.ts'
import {
  statusStreamBacklogMaxBytes,
  statusStreamKeepAliveMs,
  statusStreamPollMs,
  statusStreamsMax,
  statusStreamsPerAddress,
} from '../../domain/limits/limits.ts'
import { addressBlock } from '../../http/client-address.ts'

/** The page's parts as markup. */
export type ShownParts = Record<string, string>

/** The current state of a bot's status page. */
export interface Look {
  /** A version for each part. A changed version means that the part may have changed. */
  versions: Record<string, string>
  /** Renders these parts. Resolves with `undefined` if the bot no longer exists. */
  parts(names: readonly string[], language: Language): Promise<ShownParts | undefined>
}

/** Why no stream can be opened: too many in total, or too many from this address. */
export type StreamRefusal = 'service-full' | 'address-full'

/** A bot and a language, shared by all open pages that show this bot in this language. */
interface Watch {
  botRef: string
  language: Language
  listeners: Set<ServerResponse>
  versions: Record<string, string>
  parts: ShownParts
}

/**
 * Server-sent events for all open status pages.
 *
 * A timer polls each watched bot once per language and sends the changes. The number of streams is limited in total and
 * per client address. A reader that falls behind is disconnected and then reconnects.
 */
export class StatusStreams {
  readonly #look: (botRef: string) => Promise<Look | undefined>
  readonly #onFault: (error: unknown) => void
  readonly #clock: Clock
  /** Keyed by {@link watchKey}. */
  readonly #watches = new Map<string, Watch>()
  readonly #perAddress = new Map<string, number>()
  readonly #stopPolling: () => void
  #count = 0
  #polling = false
  #closed = false
  #keepAliveSentAtMs: number

  /** @param parts.look resolves with `undefined` if there is no public status. */
  constructor(parts: {
    look: (botRef: string) => Promise<Look | undefined>
    clock: Clock
    onFault: (error: unknown) => void
  }) {
    this.#look = parts.look
    this.#onFault = parts.onFault
    this.#clock = parts.clock
    this.#keepAliveSentAtMs = parts.clock.nowMs()
    this.#stopPolling = parts.clock.every(statusStreamPollMs, () => this.#pollAll())
  }

  /** Returns why no further stream can be opened from this address, or `undefined` if one can. */
  refusal(address: string): StreamRefusal | undefined {
    if (this.#count >= statusStreamsMax) return 'service-full'
    return (this.#perAddress.get(addressBlock(address)) ?? 0) >= statusStreamsPerAddress ? 'address-full' : undefined
  }

  /**
   * Responds with a stream in the page's language. The stream ends when the reader disconnects, when the status is no
   * longer public, or when the service stops.
   */
  async open(botRef: string, language: Language, address: string, response: ServerResponse): Promise<void> {
    const leave = this.#countIn(addressBlock(address))
    response.once('close', leave)
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Keeps proxies from buffering the events.
      'x-accel-buffering': 'no',
      connection: 'close',
    })
    // Random, so that the pages don't all reconnect at the same time after a restart.
    response.write(`retry: ${randomInt(2_000, 8_000)}\n\n`)
    try {
      await this.#join(botRef, language, response)
    } catch (error) {
      this.#onFault(error)
      response.end()
    }
  }

  /** Ends all streams. The pages then reconnect. */
  close(): void {
    this.#stopPolling()
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

  #pollAll(): void {
    const keepAliveDue = this.#clock.nowMs() - this.#keepAliveSentAtMs >= statusStreamKeepAliveMs
    if (keepAliveDue) {
      this.#keepAliveSentAtMs = this.#clock.nowMs()
      for (const { listeners } of this.#watches.values())
        for (const response of listeners) send(response, keepAliveFrame)
    }
    if (this.#polling) return
    this.#polling = true
    const polls = [...this.#watches.values()].map((watch) => this.#poll(watch).catch(this.#onFault))
    Promise.all(polls).finally(() => {
      this.#polling = false
    })
  }

  async #poll(watch: Watch): Promise<void> {
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

/** Keep-alive. The page's script measures how long it has received no event, to detect proxies that buffer. */
const keepAliveFrame = frame('still', {})
/** Sent when the status is no longer public. The page then reloads and shows that. */
const goneFrame = frame('gone', {})

function send(response: ServerResponse, sent: string): void {
  if (response.writableLength > statusStreamBacklogMaxBytes) response.destroy()
  else response.write(sent)
}

import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../domain/clock.ts'
import {
  statusStreamBacklogMaxBytes,
  statusStreamLookEveryMs,
  statusStreamStillEveryMs,
  statusStreamsMax,
  statusStreamsPerAddress,
} from '../../domain/limits.ts'
import { addressBlock } from '../../http/client-address.ts'

/** What a page shows, part by part, as markup. */
export type ShownParts = Record<string, string>

/** A look at one bot. */
export interface Look {
  /** Of each part: differs when it may show something else. */
  versions: Record<string, string>
  /** Makes the parts of these names. Undefined: the bot left meanwhile. */
  parts(names: readonly string[]): Promise<ShownParts | undefined>
}

/** Why a stream is not opened: the whole service has as many as it takes, or that address does. */
export type StreamRefusal = 'service-full' | 'address-full'

interface Watch {
  listeners: Set<ServerResponse>
  versions: Record<string, string>
  parts: ShownParts
}

/**
 * The streams of all open status pages (server-sent events). One timer looks at each bot that is watched, however
 * many watch it, and sends what changed. Bounded in all and per client address; a reader that does not keep up is
 * cut off and comes back by itself.
 */
export class StatusStreams {
  readonly #look: (botRef: string) => Promise<Look | undefined>
  readonly #onFault: (error: unknown) => void
  readonly #clock: Clock
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

  /** Answers with a stream that ends when the reader leaves, the bot's status does, or the service. */
  async open(botRef: string, address: string, response: ServerResponse): Promise<void> {
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
      await this.#join(botRef, response)
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

  async #join(botRef: string, response: ServerResponse): Promise<void> {
    let watch = this.#watches.get(botRef)
    if (watch === undefined) {
      const look = await this.#look(botRef)
      const parts = await look?.parts(Object.keys(look.versions))
      if (look === undefined || parts === undefined) {
        response.end(goneFrame)
        return
      }
      if (this.#closed) {
        response.end()
        return
      }
      watch = this.#watches.get(botRef) ?? { listeners: new Set(), versions: look.versions, parts }
      this.#watches.set(botRef, watch)
    }
    if (response.destroyed) {
      this.#leave(botRef, watch, response)
      return
    }
    watch.listeners.add(response)
    const joined = watch
    response.once('close', () => this.#leave(botRef, joined, response))
    send(response, frame('parts', watch.parts))
  }

  #leave(botRef: string, watch: Watch, response: ServerResponse): void {
    watch.listeners.delete(response)
    if (watch.listeners.size === 0 && this.#watches.get(botRef) === watch) this.#watches.delete(botRef)
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
    Promise.all([...this.#watches].map(([botRef, watch]) => this.#lookAt(botRef, watch)))
      .catch(this.#onFault)
      .finally(() => {
        this.#looking = false
      })
  }

  async #lookAt(botRef: string, watch: Watch): Promise<void> {
    const look = await this.#look(botRef)
    if (look === undefined) {
      for (const response of watch.listeners) response.end(goneFrame)
      this.#watches.delete(botRef)
      return
    }
    const outdated = Object.keys(look.versions).filter((name) => look.versions[name] !== watch.versions[name])
    if (outdated.length === 0) return
    const parts = await look.parts(outdated)
    if (parts === undefined) return
    const changed = Object.fromEntries(Object.entries(parts).filter(([name, markup]) => watch.parts[name] !== markup))
    watch.versions = look.versions
    watch.parts = { ...watch.parts, ...parts }
    if (Object.keys(changed).length === 0) return
    const sent = frame('parts', changed)
    for (const response of watch.listeners) send(response, sent)
  }
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

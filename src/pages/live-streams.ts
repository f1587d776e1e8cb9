import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import type { Language } from '../domain/language.ts'
import * as limits from '../domain/limits/limits.ts'
import { StreamShares } from '../http/stream-shares.ts'

export type ShownParts = Record<string, string>

export interface Look {
  /** A version for each part. A changed version means that the part may have changed. */
  versions: Record<string, string>
  /** Renders the named parts. Resolves with `undefined` if the page no longer exists. */
  parts(names: readonly string[], language: Language): Promise<ShownParts | undefined>
}

interface LivePage {
  /** Pages with the same key share their polls, so they must look the same to all readers. */
  key: string
  /** Returns the page's current state, or `undefined` if the reader can no longer open the page. */
  look(): Promise<Look | undefined>
}

/** The open streams for one page in one language, and the parts last sent to them. */
interface Watch extends LivePage {
  language: Language
  listeners: Set<ServerResponse>
  versions: Record<string, string>
  parts: ShownParts
}

/**
 * Server-sent events for open pages of one kind, for `live.js`. Polls each watched page once per language. Streams are
 * limited in total and per address. A reader that falls behind is disconnected, and reconnects.
 *
 * @param app closes the streams when it closes. The pages then reconnect.
 */
export function liveStreams(
  app: FastifyInstance,
  parts: { most: { total: number; address: number }; pollMs: number; clock: Clock; fault: string },
) {
  const { clock } = parts
  const shares = new StreamShares(parts.most)
  const onFault = (error: unknown) => app.log.error({ err: error }, parts.fault)
  /** Open streams, by {@link watchKey}. */
  const watches = new Map<string, Watch>()
  let polling = false
  let closed = false
  let keepAliveSentAtMs = clock.nowMs()
  const stopPolling = clock.every(parts.pollMs, pollAll)
  app.addHook('preClose', (done) => {
    stopPolling()
    closed = true
    for (const { listeners } of watches.values()) for (const response of listeners) response.end()
    watches.clear()
    done()
  })

  async function join(page: LivePage, language: Language, response: ServerResponse): Promise<void> {
    const key = watchKey(page, language)
    let watch = watches.get(key)
    if (watch === undefined) {
      const look = await page.look()
      const parts = await look?.parts(Object.keys(look.versions), language)
      if (look === undefined || parts === undefined) {
        response.end(goneFrame)
        return
      }
      if (closed) {
        response.end()
        return
      }
      watch = watches.get(key) ?? { ...page, language, listeners: new Set(), versions: look.versions, parts }
      watches.set(key, watch)
    }
    if (response.destroyed) {
      leave(watch, response)
      return
    }
    watch.listeners.add(response)
    const joined = watch
    response.once('close', () => leave(joined, response))
    send(response, frame('parts', watch.parts))
  }

  function leave(watch: Watch, response: ServerResponse): void {
    watch.listeners.delete(response)
    const key = watchKey(watch, watch.language)
    if (watch.listeners.size === 0 && watches.get(key) === watch) watches.delete(key)
  }

  async function pollAll(): Promise<void> {
    const keepAliveDue = clock.nowMs() - keepAliveSentAtMs >= limits.liveStreamKeepAliveMs
    if (keepAliveDue) {
      keepAliveSentAtMs = clock.nowMs()
      for (const { listeners } of watches.values()) for (const response of listeners) send(response, keepAliveFrame)
    }
    if (polling) return
    polling = true
    await Promise.all([...watches.values()].map((watch) => poll(watch).catch(onFault)))
    polling = false
  }

  async function poll(watch: Watch): Promise<void> {
    const { language } = watch
    const look = await watch.look()
    if (look === undefined) {
      for (const response of watch.listeners) response.end(goneFrame)
      watches.delete(watchKey(watch, language))
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

  return {
    /** Returns what no further stream fits into, if any. Call `open` without awaiting anything in between. */
    refusal(address: string): 'total' | 'address' | 'owner' | undefined {
      return shares.refusal({ address })
    },

    /** Responds with a stream, until the reader leaves or may no longer open the page, or the service stops. */
    async open(page: LivePage, language: Language, address: string, response: ServerResponse): Promise<void> {
      // A reader who has left sends no further 'close', so their place would stay taken.
      if (response.destroyed) return
      response.once('close', shares.add({ address }))
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
        await join(page, language, response)
      } catch (error) {
        onFault(error)
        response.end()
      }
    },
  }
}

function watchKey({ key }: LivePage, language: Language): string {
  return `${language} ${key}`
}

function frame(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Keep-alive. If no event arrives for a while, the page's script assumes a buffering proxy and polls instead. */
const keepAliveFrame = frame('still', {})
/** Sent if the reader can no longer open the page. The page's script then reloads the page. */
const goneFrame = frame('gone', {})

function send(response: ServerResponse, sent: string): void {
  if (response.writableLength > limits.liveStreamBacklogMaxBytes) response.destroy()
  else response.write(sent)
}

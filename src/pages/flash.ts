import { createHash, createHmac } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import * as limits from '../domain/limits/limits.ts'
import { sameDigest } from '../domain/secret.ts'
import { type CookieJar, pathOf } from '../http/request-origin.ts'
import { notice, type Tone } from './components/elements.ts'
import type { Html, Text } from './html.ts'

/** A notice about a change, shown once on the next page. */
export interface Done {
  message: string
}

/** Every notice, by the key that travels in the cookie. The key is derived from the English text, so all nodes know it. */
const notices = new Map<string, (...figures: number[]) => Html>()

/** Declares a notice about a change. */
export function done(body: Text, tone: Tone = 'good'): Done {
  return doneWith(() => notice({ tone, body }))()
}

/** Declares a notice about a change that contains figures. */
export function doneWith(show: (...figures: number[]) => Html): (...figures: number[]) => Done {
  const key = createHash('sha256').update(show(0, 0).in('en')).digest('hex').slice(0, 16)
  notices.set(key, show)
  return (...figures) => ({ message: [key, ...figures].join('-') })
}

/**
 * Messages that a page shows once after a form post, such as "Password changed."
 *
 * They travel in a signed cookie rather than in the URL, so that no link can make a page claim something that didn't
 * happen. Each path has its own cookie, so that tabs don't consume each other's messages.
 */
export class Flash {
  readonly #keys: readonly Uint8Array[]
  readonly #cookies: CookieJar

  /** @param keys the keys of the cookie's signature. The first one signs; all of them verify. */
  constructor(keys: readonly Uint8Array[], cookies: CookieJar) {
    this.#keys = keys
    this.#cookies = cookies
  }

  /** Redirects to a page after a form post. That page then shows the message. */
  redirect(reply: FastifyReply, address: string, message: string | Done): FastifyReply {
    this.leave(reply, address, message)
    return reply.redirect(address, 303)
  }

  /** Stores a message for the page at this URL, for callers that redirect by other means. */
  leave(reply: FastifyReply, address: string, said: string | Done): void {
    const message = typeof said === 'string' ? said : said.message
    const path = pathOf(address)
    const signature = this.#signature(this.#keys[0] as Uint8Array, path, message)
    this.#cookies.set(
      reply,
      cookieOf(path),
      `${message}.${signature.toString('base64url')}`,
      limits.flashLifetimeSeconds,
    )
  }

  /** Returns and deletes the message for the requested page, so that it isn't shown again after a reload. */
  take(reply: FastifyReply): string | undefined {
    const { request } = reply
    if (request.method !== 'GET') return undefined
    const path = pathOf(request.url)
    const kept = request.cookies[this.#cookies.name(cookieOf(path))]
    if (kept === undefined) return undefined
    this.#cookies.clear(reply, cookieOf(path))
    const [, message = '', signature = ''] = /^([a-z0-9-]{1,64})\.([\w-]{43})$/.exec(kept) ?? []
    const presented = Buffer.from(signature, 'base64url')
    const ours = this.#keys.some((key) => sameDigest(presented, this.#signature(key, path, message)))
    return ours ? message : undefined
  }

  /** Like {@link take}, but returns the notice that was declared with {@link done} or {@link doneWith}. */
  notice(reply: FastifyReply): Html | undefined {
    const [key = '', ...figures] = this.take(reply)?.split('-') ?? []
    return notices.get(key)?.(...figures.map(Number))
  }

  #signature(key: Uint8Array, path: string, message: string): Buffer {
    return createHmac('sha256', key).update(`${path}\n${message}`).digest()
  }
}

/** The path is hashed, because cookie names can't contain slashes and paths may be long. */
function cookieOf(path: string): string {
  return `flash-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
}

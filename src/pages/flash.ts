import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as limits from '../domain/limits/limits.ts'
import type { CookieJar } from '../http/cookies.ts'

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
  redirect(reply: FastifyReply, address: string, message: string): FastifyReply {
    this.leave(reply, address, message)
    return reply.redirect(address, 303)
  }

  /** Stores a message for the page at this URL, for callers that redirect by other means. */
  leave(reply: FastifyReply, address: string, message: string): void {
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
  take(request: FastifyRequest, reply: FastifyReply): string | undefined {
    if (request.method !== 'GET') return undefined
    const path = pathOf(request.url)
    const kept = request.cookies[this.#cookies.name(cookieOf(path))]
    if (kept === undefined) return undefined
    this.#cookies.clear(reply, cookieOf(path))
    const [, message = '', signature = ''] = /^([a-z0-9-]{1,64})\.([\w-]{43})$/.exec(kept) ?? []
    const presented = Buffer.from(signature, 'base64url')
    const ours = this.#keys.some((key) => {
      const expected = this.#signature(key, path, message)
      return presented.length === expected.length && timingSafeEqual(presented, expected)
    })
    return ours ? message : undefined
  }

  #signature(key: Uint8Array, path: string, message: string): Buffer {
    return createHmac('sha256', key).update(`${path}\n${message}`).digest()
  }
}

/** The path is hashed, because cookie names can't contain slashes and paths may be long. */
function cookieOf(path: string): string {
  return `flash-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
}

function pathOf(address: string): string {
  return address.split(/[?#]/, 1)[0] ?? '/'
}

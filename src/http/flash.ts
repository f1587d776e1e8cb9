import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { flashLifetimeSeconds } from '../domain/limits.ts'
import type { CookieJar } from './cookies.ts'

/**
 * Messages that a page shows once, after the form post that caused them: "Password changed." They travel in a signed cookie and
 * never in an address, so that no link can make a page claim what did not happen. Each page has a cookie of its own, so that
 * tabs don't take each other's messages.
 */
export class Flash {
  readonly #keys: readonly Uint8Array[]
  readonly #cookies: CookieJar

  /** @param keys the first signs; any of them verifies. */
  constructor(keys: readonly Uint8Array[], cookies: CookieJar) {
    this.#keys = keys
    this.#cookies = cookies
  }

  /** Redirects after a form post; the page there shows the message. */
  redirect(reply: FastifyReply, address: string, message: string): FastifyReply {
    this.leave(reply, address, message)
    return reply.redirect(address, 303)
  }

  /** Leaves a message for the page at this address, where something else leads there. */
  leave(reply: FastifyReply, address: string, message: string): void {
    const path = pathOf(address)
    const signature = this.#signature(this.#keys[0] as Uint8Array, path, message)
    this.#cookies.set(reply, cookieOf(path), `${message}.${signature.toString('base64url')}`, flashLifetimeSeconds)
  }

  /** Takes the message that was left for the page asked for; a reload finds none. */
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

/** A cookie's name takes no slashes, and a path may be long. */
function cookieOf(path: string): string {
  return `flash-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
}

function pathOf(address: string): string {
  return address.split(/[?#]/, 1)[0] ?? '/'
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../domain/refusal.ts'
import type { CookieJar } from './cookies.ts'

export class FormRefusal extends Refusal<'form-token-invalid' | 'form-from-elsewhere'> {}

/**
 * Guards form posts against forgery: each browser holds a random cookie, and each form carries that
 * cookie's HMAC in the hidden field `form_token`. Posts that the browser itself marks as coming from
 * another site are refused before that.
 */
export class FormTokens {
  readonly #key: Uint8Array
  readonly #cookies: CookieJar
  readonly #origin: string

  constructor(key: Uint8Array, cookies: CookieJar, surfaceUrl: string) {
    this.#key = key
    this.#cookies = cookies
    this.#origin = new URL(surfaceUrl).origin
  }

  /** The value for the hidden field; gives the browser its cookie when it has none. */
  issue(request: FastifyRequest, reply: FastifyReply): string {
    let browser = request.cookies[this.#cookies.name('browser')]
    if (browser === undefined || !/^[A-Za-z0-9_-]{43}$/.test(browser)) {
      browser = randomBytes(32).toString('base64url')
      this.#cookies.set(reply, 'browser', browser)
      // A second form on the same page must get the same token.
      request.cookies[this.#cookies.name('browser')] = browser
    }
    return this.#tokenFor(browser)
  }

  /** @throws FormRefusal when the post comes from elsewhere or its token is not this browser's. */
  check(request: FastifyRequest): void {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new FormRefusal('form-from-elsewhere')
    if (origin !== undefined && origin !== 'null' && origin !== this.#origin)
      throw new FormRefusal('form-from-elsewhere')
    const browser = request.cookies[this.#cookies.name('browser')] ?? ''
    const given = (request.body as Record<string, unknown> | undefined)?.form_token
    const expected = Buffer.from(this.#tokenFor(browser))
    const presented = Buffer.from(typeof given === 'string' ? given : '')
    if (browser === '' || presented.length !== expected.length || !timingSafeEqual(presented, expected)) {
      throw new FormRefusal('form-token-invalid')
    }
  }

  #tokenFor(browser: string): string {
    return createHmac('sha256', this.#key).update(browser).digest('base64url')
  }
}

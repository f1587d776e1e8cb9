import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../domain/refusal.ts'
import type { CookieJar } from '../http/cookies.ts'

/** Makes this plugin's routes accept form posts and no other content type. */
export async function takeForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(formbody)
}

/** Returns a field from a form post. Returns '' if it is missing or repeated. */
export function formText(request: FastifyRequest, name: string): string {
  const form = request.body as Record<string, unknown> | undefined
  const value = form?.[name]
  return typeof value === 'string' ? value : ''
}

/** Returns all values of a field in a form post, such as checked boxes. */
export function formTexts(request: FastifyRequest, name: string): string[] {
  const form = request.body as Record<string, unknown> | undefined
  const value = form?.[name]
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string')
}

export class FormRefusal extends Refusal<'form-token-invalid' | 'form-from-elsewhere'> {}

/**
 * Protects form posts against cross-site request forgery (CSRF). Each browser has a random cookie, and each form has
 * the cookie's HMAC in the hidden field `form_token`. Posts that the browser marks as cross-site are rejected, too.
 * `PageGuard` performs the check.
 */
export class FormTokens {
  readonly #keys: readonly Uint8Array[]
  readonly #cookies: CookieJar
  readonly #origin: string

  /** @param keys the HMAC keys. The first one signs; all of them verify. */
  constructor(keys: readonly Uint8Array[], cookies: CookieJar, surfaceUrl: string) {
    this.#keys = keys
    this.#cookies = cookies
    this.#origin = new URL(surfaceUrl).origin
  }

  /** Returns the hidden field's value. Sets the browser's cookie if it is missing. */
  issue(request: FastifyRequest, reply: FastifyReply): string {
    let browser = request.cookies[this.#cookies.name('browser')]
    if (browser === undefined || !/^[A-Za-z0-9_-]{43}$/.test(browser)) {
      browser = randomBytes(32).toString('base64url')
      this.#cookies.set(reply, 'browser', browser)
      // Ensures that a second form on the same page gets the same token.
      request.cookies[this.#cookies.name('browser')] = browser
    }
    return tokenFor(browser, this.#keys[0] as Uint8Array)
  }

  /** @throws FormRefusal if the POST came from another site, or if its token belongs to another browser. */
  check(request: FastifyRequest): void {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new FormRefusal('form-from-elsewhere')
    if (origin !== undefined && origin !== 'null' && origin !== this.#origin)
      throw new FormRefusal('form-from-elsewhere')
    const browser = request.cookies[this.#cookies.name('browser')] ?? ''
    const given = (request.body as Record<string, unknown> | undefined)?.form_token
    const presented = Buffer.from(typeof given === 'string' ? given : '')
    const right = this.#keys.some((key) => {
      const expected = Buffer.from(tokenFor(browser, key))
      return presented.length === expected.length && timingSafeEqual(presented, expected)
    })
    if (browser === '' || !right) throw new FormRefusal('form-token-invalid')
  }
}

function tokenFor(browser: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(browser).digest('base64url')
}

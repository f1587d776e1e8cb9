import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { portalApplication, portalClientId } from '../../domain/applications/portal-application.ts'
import { sameDigest } from '../../domain/secret.ts'
import type { CookieJar } from '../../http/cookies.ts'
import { ownPath } from '../../http/own-host.ts'

const cookie = 'sign-in'
/** Longer than an authorization attempt's lifetime, so that the cookie doesn't expire during a sign-in. */
const cookieLifetimeSeconds = 3_600

/** A sign-in whose `state` was verified when the browser came back from the authorization endpoint. */
export interface ReturnedSignIn {
  /** A path on the portal. */
  returnTo: string
  clearTextVerifier: string
}

/**
 * Signs users in to the portal through the authorization endpoint, with `state` (RFC 6749 section 10.12) and PKCE.
 *
 * Stores nothing on the server. The state contains the return path and is signed for one browser, which a short-lived
 * cookie identifies. The code verifier is derived from the cookie and a nonce in the state. Several tabs can sign in at
 * the same time.
 */
export class PortalSignIn {
  readonly #key: Uint8Array
  readonly #cookies: CookieJar
  readonly #consentAddress: string
  readonly redirectUri: string

  constructor(parts: { key: Uint8Array; cookies: CookieJar; baseUrl: string; portalUrl: string }) {
    this.#key = parts.key
    this.#cookies = parts.cookies
    this.#consentAddress = `${parts.baseUrl}/auth/consent`
    this.redirectUri = portalApplication(parts.portalUrl).redirectUris[0]
  }

  /** Starts a sign-in. Sets the cookie and returns the authorization URL. */
  begin(request: FastifyRequest, reply: FastifyReply, returnTo: string): string {
    const browser = this.#browser(request) ?? randomBytes(32).toString('base64url')
    this.#cookies.set(reply, cookie, browser, cookieLifetimeSeconds)
    const nonce = randomBytes(16).toString('base64url')
    const path = ownPath(returnTo) ?? '/'
    const carried = `${nonce}.${Buffer.from(path).toString('base64url')}`
    const query = new URLSearchParams({
      client_id: portalClientId,
      redirect_uri: this.redirectUri,
      response_type: 'code',
      scope: 'user.identify',
      state: `${carried}.${this.#sign(browser, 'state', carried)}`,
      code_challenge: createHash('sha256')
        .update(this.#sign(browser, 'verifier', nonce))
        .digest('base64url'),
      code_challenge_method: 'S256',
    })
    return `${this.#consentAddress}?${query}`
  }

  /**
   * Verifies the returned state. Returns `undefined` if this browser didn't start the sign-in or its cookie has
   * expired.
   */
  finish(request: FastifyRequest, state: string): ReturnedSignIn | undefined {
    const browser = this.#browser(request)
    const [, carried, nonce, path, signature] = /^(([\w-]+)\.([\w-]*))\.([\w-]+)$/.exec(state) ?? []
    if (browser === undefined || carried === undefined || nonce === undefined || signature === undefined) {
      return undefined
    }
    const expected = Buffer.from(this.#sign(browser, 'state', carried))
    const presented = Buffer.from(signature)
    if (!sameDigest(presented, expected)) return undefined
    return {
      returnTo: ownPath(Buffer.from(path ?? '', 'base64url').toString()) ?? '/',
      clearTextVerifier: this.#sign(browser, 'verifier', nonce),
    }
  }

  #browser(request: FastifyRequest): string | undefined {
    const browser = request.cookies[this.#cookies.name(cookie)]
    return browser !== undefined && /^[\w-]{43}$/.test(browser) ? browser : undefined
  }

  #sign(browser: string, purpose: 'state' | 'verifier', text: string): string {
    return createHmac('sha256', this.#key).update(`${browser}\n${purpose}\n${text}`).digest('base64url')
  }
}

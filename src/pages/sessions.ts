import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts, Session, StartedSession } from '../domain/accounts/accounts.ts'
import type { UserId } from '../domain/ids.ts'
import * as limits from '../domain/limits/limits.ts'
import { browserInfo, type CookieJar } from '../http/request-origin.ts'

const cookie = 'session'
const deviceCookie = 'device'

/** Finds, starts and ends browser sessions on one surface, using their cookies. */
export class BrowserSessions {
  readonly #accounts: Pick<Accounts, 'sessions' | 'passwords'>
  readonly #cookies: CookieJar
  readonly #surface: 'identity' | 'portal'
  // The session is read once per request and shared by all hooks and handlers.
  readonly #read = new WeakMap<FastifyRequest, Promise<Session | undefined>>()

  constructor(parts: {
    accounts: Pick<Accounts, 'sessions' | 'passwords'>
    cookies: CookieJar
    surface: 'identity' | 'portal'
  }) {
    this.#accounts = parts.accounts
    this.#cookies = parts.cookies
    this.#surface = parts.surface
  }

  /** Returns the session of the browser that sent this request. Reads it only once per request. */
  current(request: FastifyRequest): Promise<Session | undefined> {
    let session = this.#read.get(request)
    if (session === undefined) {
      session = this.currentAgain(request)
      this.#read.set(request, session)
    }
    return session
  }

  /** Reads the session from the store again, for responses during which the session can end. */
  currentAgain(request: FastifyRequest): Promise<Session | undefined> {
    const clearText = request.cookies[this.#cookies.name(cookie)]
    return this.#accounts.sessions.authenticate(clearText, this.#surface, browserInfo(request))
  }

  /** Starts the browser's new session and ends its old one. This prevents session fixation. */
  async replace(reply: FastifyReply, started: StartedSession): Promise<void> {
    const old = await this.current(reply.request)
    if (old !== undefined) await this.#accounts.sessions.end(old)
    this.#cookies.set(reply, cookie, started.clearText, limits.sessionLifetimeMs / 1_000)
    await this.markDevice(reply, started.session.userId)
  }

  /** Returns the cookie that proves earlier sign-ins in this browser; see `KnownDevices`. */
  deviceMark(request: FastifyRequest): string | undefined {
    return request.cookies[this.#cookies.name(deviceCookie)]
  }

  /** Marks this browser as known once the user has signed in or set a password in it. */
  async markDevice(reply: FastifyReply, userId: UserId): Promise<void> {
    // Only the base surface accepts passwords.
    if (this.#surface !== 'identity') return
    const mark = await this.#accounts.passwords.markDevice(this.deviceMark(reply.request), userId)
    if (mark !== undefined) this.#cookies.set(reply, deviceCookie, mark, limits.knownDeviceForMs / 1_000)
  }

  /** Ends the browser's session, if any, and clears its cookie. */
  async end(reply: FastifyReply): Promise<void> {
    const session = await this.current(reply.request)
    if (session !== undefined) await this.#accounts.sessions.end(session)
    this.#cookies.clear(reply, cookie)
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts, Session, StartedSession } from '../domain/accounts/accounts.ts'
import { sessionLifetimeMs } from '../domain/limits.ts'
import { browserInfo } from './browser-info.ts'
import type { CookieJar } from './cookies.ts'

const cookie = 'session'

/** Ties a browser's cookie to its session, for one surface. */
export class BrowserSessions {
  readonly #accounts: Accounts
  readonly #cookies: CookieJar
  readonly #surface: 'identity' | 'portal'
  // A request's session is read once, however many of its hooks and handlers ask.
  readonly #read = new WeakMap<FastifyRequest, Promise<Session | undefined>>()

  constructor({
    accounts,
    cookies,
    surface,
  }: {
    accounts: Accounts
    cookies: CookieJar
    surface: 'identity' | 'portal'
  }) {
    this.#accounts = accounts
    this.#cookies = cookies
    this.#surface = surface
  }

  /** The session of the browser that sent this request, as it was when first asked for. */
  current(request: FastifyRequest): Promise<Session | undefined> {
    let session = this.#read.get(request)
    if (session === undefined) {
      const clearText = request.cookies[this.#cookies.name(cookie)]
      session = this.#accounts.authenticateSession(clearText, this.#surface, browserInfo(request))
      this.#read.set(request, session)
    }
    return session
  }

  /** Gives the browser its new session and ends the one it had: whoever knew that gets nothing of this one. */
  async replace(request: FastifyRequest, reply: FastifyReply, started: StartedSession): Promise<void> {
    const old = await this.current(request)
    if (old !== undefined) await this.#accounts.endSession(old)
    this.start(reply, started)
  }

  /** Gives the browser its session. One that it had before lives on: see {@link replace}. */
  start(reply: FastifyReply, started: StartedSession): void {
    this.#cookies.set(reply, cookie, started.clearText, sessionLifetimeMs / 1_000)
  }

  /** Ends the browser's session, when it has one, and takes its cookie back. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = await this.current(request)
    if (session !== undefined) await this.#accounts.endSession(session)
    this.#cookies.clear(reply, cookie)
  }
}

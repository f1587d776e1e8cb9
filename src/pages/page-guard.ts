import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../domain/accounts/accounts.ts'
import type { KeptForms } from '../domain/accounts/kept-forms.ts'
import type { FormTokens } from './form-posts.ts'
import { keptInputOf, type ReturnOptions, returnUrlOf } from './kept-form.ts'
import type { Person } from './page.ts'
import type { Sites } from './places.ts'
import type { BrowserSessions } from './sessions.ts'

/** A signed-in user's request. For a POST, the form token has been verified. */
export interface SignedInRequest {
  session: Session
  /** The user as shown in the page header, with the token for the page's forms. */
  person: Person & { sites: Sites }
  request: FastifyRequest
  reply: FastifyReply
}

export interface SignedInOptions extends ReturnOptions {
  /** Returns where to sign in. `undefined` means the listener's own sign-in page. */
  signInAddress?: (request: FastifyRequest) => Promise<string | undefined>
}

/** HTTP methods that change nothing (RFC 9110 section 9.2.1). */
const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Guards one listener's pages. The form token of every POST is checked before the handler runs, with or without a
 * session. Therefore, no page can omit the check.
 */
export class PageGuard {
  readonly #sessions: BrowserSessions
  readonly #formTokens: FormTokens
  readonly #keptForms: KeptForms
  readonly #sites: Sites
  readonly #signInAddress: (request: FastifyRequest, reply: FastifyReply, back: string) => string

  /**
   * @param app the plugin with the pages, before any surface is mounted on it.
   * @param parts.signInAddress returns the URL for signing in and then returning to the path `back`.
   */
  constructor(
    app: FastifyInstance,
    parts: {
      sessions: BrowserSessions
      formTokens: FormTokens
      keptForms: KeptForms
      sites: Sites
      signInAddress: (request: FastifyRequest, reply: FastifyReply, back: string) => string
    },
  ) {
    this.#sessions = parts.sessions
    this.#formTokens = parts.formTokens
    this.#keptForms = parts.keptForms
    this.#sites = parts.sites
    this.#signInAddress = parts.signInAddress
    app.addHook('preHandler', async (request) => {
      if (!safeMethods.includes(request.method) && !request.is404) parts.formTokens.check(request)
    })
  }

  /**
   * Returns a handler for signed-in users. Other users are redirected to the sign-in page, and from there back to the
   * requested page.
   */
  signedIn(work: (visit: SignedInRequest) => Promise<FastifyReply>, options: SignedInOptions = {}) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const session = await this.#sessions.current(request)
      if (session === undefined) {
        const address =
          (await options.signInAddress?.(request)) ??
          this.#signInAddress(request, reply, await returnUrlOf(this.#sessions, this.#keptForms, request, options))
        return reply.redirect(address, request.method === 'POST' ? 303 : 302)
      }
      const kept = await keptInputOf(this.#keptForms, request, session)
      return work({ session, person: { ...this.#personOf(session, request, reply), kept }, request, reply })
    }
  }

  /** Returns the signed-in user, if any, for pages that anyone may see. */
  async person(request: FastifyRequest, reply: FastifyReply): Promise<Person | undefined> {
    const session = await this.#sessions.current(request)
    return session && this.#personOf(session, request, reply)
  }

  /** Returns whether the request's session is still open. Reads the session from the store again. */
  async isStillSignedIn(request: FastifyRequest): Promise<boolean> {
    return (await this.#sessions.currentAgain(request)) !== undefined
  }

  #personOf(session: Session, request: FastifyRequest, reply: FastifyReply): Person & { sites: Sites } {
    const formToken = this.#formTokens.issue(request, reply)
    return { name: session.userName, signOutAction: '/sign-out', formToken, sites: this.#sites }
  }
}

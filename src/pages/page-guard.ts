import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts, BrowserInfo, Session, StartedSession } from '../domain/accounts/accounts.ts'
import type { Audit } from '../domain/audit/audit.ts'
import { parseApplicationId, parseBotId, type Secrets, type UserId } from '../domain/ids-and-secrets.ts'
import * as limits from '../domain/limits/limits.ts'
import { browserInfo, type CookieJar, pathOf } from '../http/request-origin.ts'
import type { Destination } from './destination.ts'
import { type Done, isFormOf, newFlash, newFormTokens } from './form-posts.ts'
import type { Html } from './html.ts'
import { type PageFrame, type Person, page, sendPage } from './page.ts'
import type { Sites } from './places.ts'

/** A signed-in user's request. For a POST, the form token has been verified. */
export interface SignedInRequest {
  session: Session
  /** The user as shown in the page header, with the token for the page's forms. */
  person: Person & { sites: Sites }
  request: FastifyRequest
  reply: FastifyReply
  /** The user, as the actor in the audit log. */
  by: { userId: UserId; origin: BrowserInfo }
  /** Renders and sends a page with this user in its header. `send` is for content that is rendered already. */
  show(frame: Omit<PageFrame, 'person'> & { status?: number | undefined }): FastifyReply
  send(content: Html, status?: number): FastifyReply
  /** Redirects after a form post. The next page then shows the notice. */
  redirect(address: string, done: Done): FastifyReply
  /** The notice of the form post that led here, if any. */
  done: Html | undefined
}

interface SignedInOptions extends ReturnOptions {
  /** Returns where to sign in. `undefined` means the listener's own sign-in page. */
  signInAddress?: (request: FastifyRequest) => Promise<string | undefined>
}

/** HTTP methods that change nothing (RFC 9110 section 9.2.1). */
const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

interface PageGuardParts {
  surface: 'identity' | 'portal'
  url: string
  cookies: CookieJar
  accounts: Pick<Accounts, 'sessions' | 'passwords'>
  audit: Pick<Audit, 'demandShare'>
  secrets: Pick<Secrets, 'keysFor'>
  sites: Sites
  formOrigins?: readonly string[]
  /** Returns the URL for signing in and then returning to the path `back`. */
  signInAddress: (reply: FastifyReply, back: string) => string
}

export type PageGuard = ReturnType<typeof newPageGuard>

/** Guards a listener's pages: checks the token of every POST, so no page can omit it. `app` has no surface yet. */
export function newPageGuard(app: FastifyInstance, parts: PageGuardParts) {
  const { surface, url, cookies, audit, secrets, sites, formOrigins = [], signInAddress } = parts
  const sessions = newSessions(parts)
  const formTokens = newFormTokens(secrets.keysFor(`form token, ${surface}`), cookies, {
    url,
    setting: surface === 'identity' ? 'BASE_URL' : 'PORTAL_URL',
  })
  const flash = newFlash(secrets.keysFor(`flash messages, ${surface}`), cookies)
  app.addHook('preHandler', async (request) => {
    if (!safeMethods.includes(request.method) && !request.is404) formTokens.check(request)
  })

  function personOf(session: Session, reply: FastifyReply): Person & { sites: Sites } {
    const formToken = formTokens.issue(reply, session.userId)
    return { name: session.userName, signOutAction: '/sign-out', formToken, sites }
  }

  return {
    ...{ sessions, formTokens, flash },

    /** Admits signed-in users; sends others to sign-in and back. Refuses POSTs beyond the share of audited changes. */
    signedIn(work: (visit: SignedInRequest) => Promise<FastifyReply>, options: SignedInOptions = {}) {
      return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const session = await sessions.current(request)
        const isSafe = safeMethods.includes(request.method)
        if (session === undefined || !(isSafe || isFormOf(request, session.userId))) {
          const address =
            (await options.signInAddress?.(request)) ?? signInAddress(reply, returnUrlOf(request, options))
          return reply.redirect(address, request.method === 'POST' ? 303 : 302)
        }
        const by = { userId: session.userId, origin: session.browser }
        if (!isSafe) audit.demandShare(by.userId, by.origin)
        if (request.method === 'GET') rememberObject(reply)
        const formIgnored = request.method === 'GET' && hasMark(request.url)
        const person = { ...personOf(session, reply), formIgnored }
        const send = (content: Html, status = 200) => sendPage(reply, content, { status, formOrigins })
        return work({
          session,
          person,
          request,
          reply,
          by,
          show: ({ status, ...frame }) => send(page({ ...frame, person }), status),
          send,
          redirect: (address, done) => flash.redirect(reply, address, done),
          done: flash.notice(reply),
        })
      }
    },

    /** Returns the signed-in user, if any, for pages that anyone may see. */
    async person(reply: FastifyReply): Promise<Person | undefined> {
      const session = await sessions.current(reply.request)
      return session && personOf(session, reply)
    },

    /** Returns whether the request's session is still open. Reads the session from the store again. */
    async isStillSignedIn(request: FastifyRequest): Promise<boolean> {
      return (await sessions.currentAgain(request)) !== undefined
    },
  }
}

export interface ReturnOptions {
  /** Returns the URL of the page with the form. Default: the URL to which the form posts. */
  page?: (request: FastifyRequest) => string
}

/** Marks the URL of a page whose form was ignored, because its user's session had ended. */
const mark = 'unsaved'

/** Returns the URL to open after sign-in: the requested page or, for a POST, the page with the form. */
function returnUrlOf(request: FastifyRequest, { page: pageOf }: ReturnOptions): string {
  if (request.method !== 'POST') return request.url
  const address = pageOf?.(request) ?? pathOf(request.url)
  return `${address}${address.includes('?') ? '&' : '?'}${mark}=yes`
}

function hasMark(url: string): boolean {
  return new URLSearchParams(url.slice(pathOf(url).length)).has(mark)
}

/** Returns whether the user is returning to a form that was posted after its session had ended. */
export function isReturnToForm({ returnTo = '' }: Destination): boolean {
  return hasMark(returnTo)
}

/** IDs of what was opened last in this browser, for the order of search results. Unsigned, as it grants nothing. */
const recentCookie = 'gatehouse-recent'
const recentMax = 8
const recentForSeconds = 30 * 24 * 3_600

/** Returns the IDs of the bots and applications that were opened in this browser, the last one first. */
export function recentObjects({ cookies }: FastifyRequest): string[] {
  return (cookies[recentCookie] ?? '').split('.', recentMax).filter(Boolean)
}

/** Remembers the bot or application in the URL of a page. */
function rememberObject(reply: FastifyReply): void {
  const { botId, applicationId } = reply.request.params as { botId?: string; applicationId?: string }
  const id = parseBotId(botId ?? '') ?? parseApplicationId(applicationId ?? '')
  const known = recentObjects(reply.request)
  if (id === undefined || known[0] === id) return
  const ids = [id, ...known.filter((each) => each !== id)].slice(0, recentMax)
  reply.setCookie(recentCookie, ids.join('.'), { path: '/', httpOnly: true, sameSite: 'lax', maxAge: recentForSeconds })
}

const cookie = 'session'
const deviceCookie = 'device'
/** Has no lifetime, so the browser drops it when it closes. The PIN is then locked, although the user is signed in. */
const unlockedCookie = 'unlocked'

/** Returns what finds, starts and ends browser sessions on one surface, using their cookies. */
function newSessions({ accounts, cookies, surface }: Pick<PageGuardParts, 'accounts' | 'cookies' | 'surface'>) {
  // The session is read once per request and shared by all hooks and handlers.
  const read = new WeakMap<FastifyRequest, Promise<Session | undefined>>()

  /** Returns the session of the browser that sent this request. Reads it only once per request. */
  function current(request: FastifyRequest): Promise<Session | undefined> {
    return read.getOrInsertComputed(request, currentAgain)
  }

  /** Reads the session from the store again, for responses during which the session can end. */
  async function currentAgain(request: FastifyRequest): Promise<Session | undefined> {
    const clearText = request.cookies[cookies.name(cookie)]
    const session = await accounts.sessions.authenticate(clearText, surface, browserInfo(request))
    const isStillOpen = request.cookies[cookies.name(unlockedCookie)] !== undefined
    return session && { ...session, pinUnlocked: session.pinUnlocked && isStillOpen }
  }

  async function endCurrent(request: FastifyRequest): Promise<void> {
    const session = await current(request)
    if (session !== undefined) await accounts.sessions.end(session)
  }

  /** Returns the cookie that proves earlier sign-ins in this browser; see `KnownDevices`. */
  function deviceMark(request: FastifyRequest): string | undefined {
    return request.cookies[cookies.name(deviceCookie)]
  }

  /** Marks this browser as known once the user has signed in or set a password in it. */
  async function markDevice(reply: FastifyReply, userId: UserId): Promise<void> {
    // Only the base surface accepts passwords.
    if (surface !== 'identity') return
    const mark = await accounts.passwords.markDevice(deviceMark(reply.request), userId)
    if (mark !== undefined) cookies.set(reply, deviceCookie, mark, limits.knownDeviceForMs / 1_000)
  }

  return {
    ...{ current, currentAgain, deviceMark, markDevice },
    /** Keeps the PIN, which this session has just unlocked, unlocked until the browser closes. */
    markUnlocked: (reply: FastifyReply) => cookies.set(reply, unlockedCookie, 'until-closed'),
    /** Starts the browser's new session and ends its old one. This prevents session fixation. */
    async replace(reply: FastifyReply, started: StartedSession): Promise<void> {
      await endCurrent(reply.request)
      cookies.set(reply, cookie, started.clearText, limits.sessionLifetimeMs / 1_000)
      await markDevice(reply, started.session.userId)
    },
    async end(reply: FastifyReply): Promise<void> {
      await endCurrent(reply.request)
      cookies.clear(reply, cookie)
    },
  }
}

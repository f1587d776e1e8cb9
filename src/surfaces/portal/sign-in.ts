import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Applications } from '../../domain/applications/applications.ts'
import { portalApplication, portalClientId } from '../../domain/applications/portal-application.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { codeChallengeOf } from '../../domain/authorization/pkce.ts'
import { AuthorizationRefusal } from '../../domain/authorization/refusal.ts'
import { sameDigest } from '../../domain/ids-and-secrets.ts'
import type { Refusals } from '../../http/request-metrics.ts'
import { browserInfo, type CookieJar, ownPath } from '../../http/request-origin.ts'
import { linkButton } from '../../pages/components/elements.ts'
import { errorPage, noteRefusal } from '../../pages/error-page.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { page, sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { portalPlace } from '../../pages/places.ts'

export interface PortalSignInServices {
  accounts: Pick<Accounts, 'sessions'>
  applications: Pick<Applications, 'clients'>
  authorization: Pick<Authorization, 'tokens'>
  refusals: Refusals
  guard: PageGuard
  signIn: PortalSignIn
  baseUrl: string
}

/** Registers `/callback`, the redirect URI for the portal's sign-in, and `/sign-out`. */
export function signInRoutes(app: FastifyInstance, services: PortalSignInServices): void {
  // No HEAD route, because a HEAD request would run this handler and redeem the code.
  app.get('/callback', { exposeHeadRoute: false }, async (request, reply) => {
    const { state, code } = request.query as Record<string, unknown>
    const returned = typeof state === 'string' ? services.signIn.finish(request, state) : undefined
    if (returned === undefined) return refuse(services, 'state-unknown', undefined, reply)
    if (typeof code !== 'string') return refuse(services, 'denied', undefined, reply)
    try {
      await signIn(services, reply, code, returned)
    } catch (refusal) {
      // If the account's session has just ended, the page that the user wanted leads to sign-in.
      const ended = refusal instanceof AccountRefusal && refusal.reason === 'sign-in-first'
      if (!ended && !(refusal instanceof AuthorizationRefusal)) throw refusal
      // A signed-in user may have opened the callback again, for example with the back button.
      const signedIn = (await services.guard.sessions.current(request)) !== undefined
      if (!ended && !signedIn) return refuse(services, 'refused', refusal.reason, reply)
    }
    return reply.header('cache-control', 'no-store').redirect(returned.returnTo, 303)
  })

  app.get('/sign-out', async (request, reply) => {
    if ((await services.guard.sessions.current(request)) !== undefined) return reply.redirect('/', 302)
    return sendPage(reply, signedOutPage(`${services.baseUrl}/account`))
  })

  app.post('/sign-out', async (_request, reply) => {
    await services.guard.sessions.end(reply)
    return reply.redirect('/sign-out', 303)
  })
}

/**
 * Redeems the code and starts the session within the process, so neither code nor token is sent over the network.
 * @throws AuthorizationRefusal; AccountRefusal `sign-in-first` if the account's session has ended.
 */
async function signIn(
  { applications, authorization, accounts, guard, signIn }: PortalSignInServices,
  reply: FastifyReply,
  clearTextCode: string,
  { clearTextVerifier }: ReturnedSignIn,
): Promise<void> {
  const client = await applications.clients.find(portalClientId)
  if (client === undefined) throw new Error('portal application is not registered')
  const { redirectUri } = signIn
  const origin = browserInfo(reply.request)
  const { userId, accountSession } = await authorization.tokens.redeemCode({
    client,
    clearTextCode,
    redirectUri,
    clearTextVerifier,
    origin,
  })
  const started = await accounts.sessions.start(userId, 'portal', origin, 'portal', null, accountSession)
  await guard.sessions.replace(reply, started)
}

function refuse(
  { refusals }: PortalSignInServices,
  fault: keyof typeof faults,
  detail: string | undefined,
  reply: FastifyReply,
) {
  const errorId = noteRefusal(refusals, reply.request, fault, { detail })
  const ways = [linkButton({ label: t`Start again`, href: '/', tone: 'primary' })]
  return sendPage(reply, errorPage({ ...faults[fault], ways, errorId }, { place: portalPlace }), { status: 400 })
}

const cookie = 'sign-in'
/** Longer than an authorization attempt's lifetime, so that the cookie doesn't expire during a sign-in. */
const cookieLifetimeSeconds = 3_600

/** A sign-in whose `state` was verified when the browser came back from the authorization endpoint. */
interface ReturnedSignIn {
  /** A path on the portal. */
  returnTo: string
  clearTextVerifier: string
}

type PortalSignIn = ReturnType<typeof portalSignIn>

/**
 * Returns what signs users in through the authorization endpoint, with `state` (RFC 6749 section 10.12) and PKCE, in
 * several tabs at once. Nothing is stored: the state has the return path, signed for the browser that a short-lived
 * cookie identifies; the verifier is derived from the cookie and the state's nonce.
 */
export function portalSignIn(parts: { key: Uint8Array; cookies: CookieJar; baseUrl: string; portalUrl: string }) {
  const { key, cookies, baseUrl, portalUrl } = parts
  const [redirectUri] = portalApplication(portalUrl).redirectUris

  function browserOf(request: FastifyRequest): string | undefined {
    const browser = request.cookies[cookies.name(cookie)]
    return browser !== undefined && /^[\w-]{43}$/.test(browser) ? browser : undefined
  }

  function sign(browser: string, purpose: 'state' | 'verifier', text: string): string {
    return createHmac('sha256', key).update(`${browser}\n${purpose}\n${text}`).digest('base64url')
  }

  return {
    redirectUri,

    begin(reply: FastifyReply, returnTo: string): string {
      const browser = browserOf(reply.request) ?? randomBytes(32).toString('base64url')
      cookies.set(reply, cookie, browser, cookieLifetimeSeconds)
      const nonce = randomBytes(16).toString('base64url')
      const path = ownPath(returnTo) ?? '/'
      const carried = `${nonce}.${Buffer.from(path).toString('base64url')}`
      const query = new URLSearchParams({
        client_id: portalClientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'user.identify',
        state: `${carried}.${sign(browser, 'state', carried)}`,
        code_challenge: codeChallengeOf(sign(browser, 'verifier', nonce)),
        code_challenge_method: 'S256',
      })
      return `${baseUrl}/auth/consent?${query}`
    },

    /** Verifies the returned state. `undefined` if this browser didn't start the sign-in or its cookie has expired. */
    finish(request: FastifyRequest, state: string): ReturnedSignIn | undefined {
      const browser = browserOf(request)
      const [, carried, nonce, path = '', signature] = /^(([\w-]+)\.([\w-]*))\.([\w-]+)$/.exec(state) ?? []
      if (browser === undefined || carried === undefined || nonce === undefined || signature === undefined) {
        return undefined
      }
      if (!sameDigest(Buffer.from(signature), Buffer.from(sign(browser, 'state', carried)))) return undefined
      return {
        returnTo: ownPath(Buffer.from(path, 'base64url').toString()) ?? '/',
        clearTextVerifier: sign(browser, 'verifier', nonce),
      }
    },
  }
}

const faults = {
  'state-unknown': {
    what: t`This sign-in wasn’t started in this browser`,
    why: t`It started in another browser or over an hour ago, or the portal’s cookie is missing. You’re not signed in.`,
    whatToDo: t`Start again. If it keeps happening, allow cookies for this site.`,
  },
  denied: {
    what: t`You’re not signed in`,
    why: t`The sign-in was cancelled. Nothing was shared.`,
    whatToDo: t`You can start again at any time.`,
  },
  refused: {
    what: t`This sign-in can’t be completed`,
    why: t`Its code was already used or is older than 5 minutes. This happens if the page is opened twice.`,
    whatToDo: t`Start again. If you’re still signed in to your account, it takes one step.`,
  },
}

/** Renders the page shown after sign-out. The user's session on the account pages continues, so the page links there. */
function signedOutPage(accountAddress: string): Html {
  return page({
    title: t`Signed out`,
    place: portalPlace,
    width: 'narrow',
    body: html`<h1>${t`You’re signed out of the developer portal`}</h1>
<p>${t.html`You may still be signed in to your account. On a shared computer, <a href="${accountAddress}">sign out there</a> too.`}</p>
<div class="buttons">${linkButton({ label: t`Sign in`, href: '/', tone: 'primary' })}</div>`,
  })
}

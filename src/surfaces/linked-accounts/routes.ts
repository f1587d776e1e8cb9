import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import { LinkRefusal, type LinkRefusalReason } from '../../domain/accounts/linked-accounts/linked-account-store.ts'
import type { LinkedAccounts, ProviderReturn } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import type { Clock } from '../../domain/clock.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { browserInfo, type CookieJar } from '../../http/request-origin.ts'
import { markAttemptPage } from '../../pages/attempt-pages.ts'
import { linkButton } from '../../pages/components/button.ts'
import {
  type AttemptFinder,
  destinationInUrl,
  destinationUrl,
  onwardOf,
  onwardText,
  withDestination,
} from '../../pages/destination.ts'
import { errorPage, newErrorId } from '../../pages/error-page.ts'
import { done, type Flash } from '../../pages/flash.ts'
import { t } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard, ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { identityPlace } from '../../pages/places.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
import { providerWords } from '../../pages/words/providers.ts'
import { linkedAccountsPage, sendForwardingPage } from './views/linked-accounts-page.ts'
import { linkErrorWords } from './words.ts'

interface LinkedAccountServices {
  guard: PageGuard
  sessions: BrowserSessions
  flash: Flash
  accounts: Accounts
  linkedAccounts: LinkedAccounts
  authorization: AttemptFinder
  cookies: CookieJar
  clock: Clock
}

const linked = done(t`Account linked. You can now sign in with it.`)
const unlinked = done(t`Account unlinked. You can no longer sign in with it.`)

/** Options for forms on `/account/linked`. After signing in again, the user returns to that page. */
const onList: ReturnOptions = { page: () => '/account/linked' }

/** Name of the cookie that ties a provider's callback to the browser that was redirected to the provider. */
const cookie = 'provider-visit'

/**
 * Accounts at other providers: signing in with one (`/sign-in/with/{provider}`), the list (`/account/linked`) and the
 * provider's callback (`/linked/{provider}/callback`).
 */
export function linkedAccountsSurface(services: LinkedAccountServices): Mount {
  const { guard } = services
  return (app) => {
    app.post('/sign-in/with/:provider', async (request, reply) => {
      const onward = onwardText(await destinationInUrl(request, services.authorization))
      return leaveForProvider(services, request, reply, { linking: undefined, onward })
    })

    app.get(
      '/account/linked',
      guard.signedIn(async (visit) => sendList(services, visit)),
    )

    app.post(
      '/account/linked/:provider',
      guard.signedIn(
        async ({ session, request, reply }) =>
          leaveForProvider(services, request, reply, { linking: session, onward: undefined }),
        onList,
      ),
    )

    app.post(
      '/account/linked/:provider/removal',
      guard.signedIn(async ({ session, request, reply, redirect }) => {
        try {
          await services.linkedAccounts.unlink(session, providerIn(request))
        } catch (error) {
          return sendRefusal(services, request, reply, error)
        }
        return redirect('/account/linked', unlinked)
      }, onList),
    )

    // No HEAD route: a HEAD request, for example from a link preview, would run this handler and redeem the code.
    app.get('/linked/:provider/callback', { exposeHeadRoute: false }, async (request, reply) => {
      let arrival: ProviderReturn
      try {
        arrival = await services.linkedAccounts.finishSignIn({
          providerKey: providerIn(request),
          query: request.url.split('?')[1] ?? '',
          clearTextBrowserKey: request.cookies[services.cookies.name(cookie)],
          session: await services.sessions.current(request),
          browser: browserInfo(request),
        })
      } catch (error) {
        // Only the store knows whether the sign-in belongs to an attempt, and it may be what failed.
        if (!(error instanceof LinkRefusal)) markAttemptPage(request)
        return sendRefusal(services, request, reply, error)
      }
      return finishReturn(services, request, reply, arrival)
    })
  }
}

/** Sends the browser to the provider and sets the cookie that ties the callback to this browser. */
async function leaveForProvider(
  services: LinkedAccountServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { linking, onward }: { linking: Session | undefined; onward: string | undefined },
): Promise<FastifyReply> {
  const clearTextBrowserKey = request.cookies[services.cookies.name(cookie)] ?? services.linkedAccounts.newBrowserKey()
  const key = providerIn(request)
  const { address: from } = browserInfo(request)
  let address: string
  try {
    address = await services.linkedAccounts.beginSignIn(key, { linking, onward, clearTextBrowserKey, address: from })
  } catch (error) {
    return sendRefusal(services, request, reply, error)
  }
  services.cookies.set(reply, cookie, clearTextBrowserKey, limits.providerVisitLifetimeMs / 1_000)
  const name = services.linkedAccounts.providers.find((provider) => provider.key === key)?.name
  return sendForwardingPage(reply, {
    title: t`Going to ${providerWords(name).is}`,
    why: t`After you sign in there, you’ll return here.`,
    address,
  })
}

async function finishReturn(
  services: LinkedAccountServices,
  request: FastifyRequest,
  reply: FastifyReply,
  arrival: ProviderReturn,
): Promise<FastifyReply> {
  const { kind, providerName, onward } = arrival
  if (kind === 'linked') {
    const address = '/account/linked'
    services.flash.leave(reply, address, linked)
    return sendForwardingPage(reply, {
      title: t`Linked`,
      why: t`Your account at ${providerWords(providerName).is} is linked.`,
      address,
    })
  }
  await services.sessions.replace(request, reply, arrival.started)
  const address = destinationUrl(await onwardOf(request, onward, services.authorization))
  const why = t`Welcome, ${arrival.started.session.userName}. You signed in with ${providerWords(providerName).is}.`
  return sendForwardingPage(reply, { title: t`You are signed in`, why, address })
}

async function sendList(
  services: LinkedAccountServices,
  { session, person, send, done }: SignedInRequest,
): Promise<FastifyReply> {
  const view = linkedAccountsPage({
    person,
    providers: services.linkedAccounts.providers,
    linked: await services.linkedAccounts.list(session.userId),
    nowMs: services.clock.nowMs(),
    done,
    changeable: services.linkedAccounts.isRecent(session),
  })
  return send(view)
}

const linkErrorStatus: Record<LinkRefusalReason, 400 | 403 | 404 | 409 | 502 | 503> = {
  denied: 403,
  'provider-unreachable': 503,
  'provider-refused': 502,
  'answer-malformed': 502,
  'provider-unknown': 404,
  'visit-unknown': 400,
  'signed-out-meanwhile': 403,
  'sign-in-again': 403,
  'sign-up-closed': 403,
  'user-disabled': 403,
  'email-taken': 409,
  'account-taken': 409,
  'another-linked': 409,
  'not-linked': 404,
  'last-way-to-sign-in': 409,
}

/** Sends the error page for a refusal. Rethrows any other error. */
async function sendRefusal(
  services: LinkedAccountServices,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof LinkRefusal)) throw error
  const { reason, detail, context } = error
  const errorId = newErrorId()
  request.log.info(
    { errorId, reason, detail, provider: providerIn(request) },
    'provider sign-in or account link refused',
  )
  const status = linkErrorStatus[reason]
  const words = linkErrorWords[reason](context)
  if (status === 503) reply.header('retry-after', '30')
  // A sign-in, unlike a change of the linked accounts, may belong to an authorization.
  const person = error.context.linking === false ? undefined : await services.guard.person(request, reply)
  const view = errorPage(
    { ...words, ways: [await returnLink(services, request, error)], errorId },
    { place: identityPlace, person },
  )
  return sendPage(reply, view, { status })
}

/** Returns the error page's link: to the linked accounts, or to the sign-in page. */
async function returnLink(services: LinkedAccountServices, request: FastifyRequest, { context }: LinkRefusal) {
  const session = await services.sessions.current(request)
  if (session !== undefined && context.linking !== false) {
    return linkButton({ label: t`Your linked accounts`, href: '/account/linked', tone: 'plain' })
  }
  const { onward } = context
  const way = await onwardOf(request, onward ?? null, services.authorization)
  return linkButton({ label: t`Sign in`, href: withDestination('/sign-in', way), tone: 'plain' })
}

function providerIn(request: FastifyRequest): string {
  return (request.params as { provider: string }).provider
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import { LinkRefusal } from '../../domain/accounts/linked-accounts/link-refusal.ts'
import type { Arrival, LinkedAccounts } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import type { Clock } from '../../domain/clock.ts'
import { providerVisitLifetimeMs } from '../../domain/limits/limits.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { CookieJar } from '../../http/cookies.ts'
import type { Mount } from '../../http/new-app.ts'
import { linkButton } from '../../pages/components/button.ts'
import { errorPage, newErrorId } from '../../pages/error-page.ts'

import type { FormTokens } from '../../pages/form-token.ts'
import { type KeptFormRooms, keptInputOf, type LateForm, leadToSignIn } from '../../pages/kept-form.ts'
import {
  type AttemptFinder,
  keepingOnward,
  onwardAddress,
  onwardInAddress,
  onwardOf,
  onwardText,
} from '../../pages/onward.ts'
import { sendPage } from '../../pages/page.ts'
import { identityPlace } from '../../pages/places.ts'
import { linkErrorWords, linkedAccountsWords } from '../../pages/words/linked-accounts.ts'
import { linkedAccountsPage } from './views/linked-accounts-page.ts'
import { sendPassingPage } from './views/passing-page.ts'
import { linkErrorStatus } from './wire-errors.ts'

export interface LinkedAccountRooms extends KeptFormRooms {
  accounts: Accounts
  linkedAccounts: LinkedAccounts
  authorization: AttemptFinder
  formTokens: FormTokens
  cookies: CookieJar
  clock: Clock
}

const { passing } = linkedAccountsWords

/** The page of all forms here. */
const onList: LateForm = { page: () => '/account/linked' }

/** Tells the browser that was sent to a provider from all others. */
const cookie = 'provider-visit'

/**
 * Accounts at other providers on the identity surface: signing in with one (`/sign-in/with/{provider}`), the list
 * at `/account/linked`, and the address at which browsers come back (`/linked/{provider}/callback`).
 */
export function linkedAccountsSurface(rooms: LinkedAccountRooms): Mount {
  return (app) => {
    app.post('/sign-in/with/:provider', async (request, reply) => {
      rooms.formTokens.check(request)
      const onward = onwardText(await onwardInAddress(request, rooms.authorization))
      return depart(rooms, request, reply, { linking: undefined, onward })
    })

    app.get('/account/linked', async (request, reply) => {
      const session = await signedIn(rooms, request, reply)
      return session === undefined ? reply : sendList(rooms, request, reply, session)
    })

    app.post('/account/linked/:provider', async (request, reply) => {
      rooms.formTokens.check(request)
      const session = await signedIn(rooms, request, reply, onList)
      return session === undefined ? reply : depart(rooms, request, reply, { linking: session, onward: undefined })
    })

    app.post('/account/linked/:provider/removal', async (request, reply) => {
      rooms.formTokens.check(request)
      const session = await signedIn(rooms, request, reply, onList)
      if (session === undefined) return reply
      try {
        await rooms.linkedAccounts.unlink(session, providerIn(request))
      } catch (error) {
        return sendRefusal(rooms, request, reply, error)
      }
      return rooms.flash.redirect(reply, '/account/linked', 'unlinked')
    })

    // Not for HEAD, by which programs look at addresses: it would use up the way in.
    app.get('/linked/:provider/callback', { exposeHeadRoute: false }, async (request, reply) => {
      let arrival: Arrival
      try {
        arrival = await rooms.linkedAccounts.arrive({
          providerKey: providerIn(request),
          query: request.url.split('?')[1] ?? '',
          clearTextBrowserKey: request.cookies[rooms.cookies.name(cookie)],
          session: await rooms.sessions.current(request),
          browser: browserInfo(request),
        })
      } catch (error) {
        return sendRefusal(rooms, request, reply, error)
      }
      return arrived(rooms, request, reply, arrival)
    })
  }
}

/** Gives the browser what ties it to its visit, and sends it off. */
async function depart(
  rooms: LinkedAccountRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  { linking, onward }: { linking: Session | undefined; onward: string | undefined },
): Promise<FastifyReply> {
  const clearTextBrowserKey = request.cookies[rooms.cookies.name(cookie)] ?? rooms.linkedAccounts.newBrowserKey()
  const key = providerIn(request)
  const { address: from } = browserInfo(request)
  let address: string
  try {
    address = await rooms.linkedAccounts.depart(key, { linking, onward, clearTextBrowserKey, address: from })
  } catch (error) {
    return sendRefusal(rooms, request, reply, error)
  }
  rooms.cookies.set(reply, cookie, clearTextBrowserKey, providerVisitLifetimeMs / 1_000)
  const name = rooms.linkedAccounts.providers.find((provider) => provider.key === key)?.name
  return sendPassingPage(reply, {
    title: passing.leaving(name),
    why: passing.leavingWhy,
    address,
  })
}

async function arrived(
  rooms: LinkedAccountRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  arrival: Arrival,
): Promise<FastifyReply> {
  const { kind, providerName, onward } = arrival
  if (kind === 'linked') {
    const address = '/account/linked'
    rooms.flash.leave(reply, address, 'linked')
    return sendPassingPage(reply, { title: passing.linked, why: passing.linkedWhy(providerName), address })
  }
  await rooms.sessions.replace(request, reply, arrival.started)
  const address = onwardAddress(await onwardOf(onward, rooms.authorization))
  const why = passing.signedInWhy(arrival.started.session.userName, providerName)
  return sendPassingPage(reply, { title: passing.signedIn, why, address })
}

/** The session, or undefined when the browser was sent to sign in. */
async function signedIn(rooms: LinkedAccountRooms, request: FastifyRequest, reply: FastifyReply, late?: LateForm) {
  const session = await rooms.sessions.current(request)
  if (session === undefined) await leadToSignIn(rooms, request, reply, late)
  return session
}

async function sendList(
  rooms: LinkedAccountRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
): Promise<FastifyReply> {
  const done = rooms.flash.take(request, reply)
  const view = linkedAccountsPage({
    person: {
      name: session.userName,
      signOutAction: '/sign-out',
      formToken: rooms.formTokens.issue(request, reply),
      kept: await keptInputOf(rooms, request, session),
    },
    providers: rooms.linkedAccounts.providers,
    linked: await rooms.linkedAccounts.list(session.userId),
    nowMs: rooms.clock.nowMs(),
    done: (['linked', 'unlinked'] as const).find((word) => word === done),
    changeable: rooms.linkedAccounts.isRecent(session),
  })
  return sendPage(reply, view)
}

/** @throws the error itself, when it is not a refusal. */
async function sendRefusal(
  rooms: LinkedAccountRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof LinkRefusal)) throw error
  const { reason, detail, context } = error
  const errorId = newErrorId()
  request.log.info({ errorId, reason, detail, provider: providerIn(request) }, 'account at a provider refused')
  const status = linkErrorStatus[reason]
  const words = linkErrorWords[reason](context)
  if (status === 503) reply.header('retry-after', '30')
  const view = errorPage({ ...words, ways: [await wayOn(rooms, request, error)], errorId }, { place: identityPlace })
  return sendPage(reply, view, { status })
}

/** Back to where the person came from: their linked accounts, or signing in on the way to an application. */
async function wayOn(rooms: LinkedAccountRooms, request: FastifyRequest, { context }: LinkRefusal) {
  const session = await rooms.sessions.current(request)
  if (session !== undefined && context.linking !== false) {
    return linkButton({ label: linkedAccountsWords.toLinked, href: '/account/linked', tone: 'plain' })
  }
  const { onward } = context
  const way = await onwardOf(onward ?? null, rooms.authorization)
  return linkButton({ label: linkedAccountsWords.signIn, href: keepingOnward('/sign-in', way), tone: 'plain' })
}

function providerIn(request: FastifyRequest): string {
  return (request.params as { provider: string }).provider
}

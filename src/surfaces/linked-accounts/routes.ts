import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../../domain/accounts/accounts.ts'
import { LinkRefusal } from '../../domain/accounts/linked-accounts/linked-account-store.ts'
import type {
  LinkedAccount,
  LinkedAccounts,
  ProviderReturn,
} from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import * as limits from '../../domain/limits/limits.ts'
import { browserInfo } from '../../http/request-origin.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { button, buttonRow, card, linkButton, postForm, state } from '../../pages/components/elements.ts'
import { time } from '../../pages/components/figures.ts'
import { destinationInUrl, destinationUrl, onwardOf, onwardText, withDestination } from '../../pages/destination.ts'
import { errorPage, newErrorId, noteRefusal } from '../../pages/error-page.ts'
import { done } from '../../pages/form-posts.ts'
import { type Admit, acceptPost, showPage } from '../../pages/form-routes.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import { markAttemptPage, page, sendPage } from '../../pages/page.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { accountParts, accountPlace, identityPlace } from '../../pages/places.ts'
import { providerWords } from '../../pages/words/providers.ts'
import { linkErrors } from './link-errors.ts'

const linked = done(t`Account linked. You can now sign in with it.`)
const unlinked = done(t`Account unlinked. You can no longer sign in with it.`)

/** Name of the cookie that ties a provider's callback to the browser that was redirected to the provider. */
const cookie = 'provider-visit'

/** Accounts at other providers: signing in with one, the list (`/account/linked`), and the provider's callback. */
export function linkedAccountsSurface(services: AccountServices): FastifyPluginAsync {
  const { guard } = services
  const onList: Admit<SignedInRequest> = (work) => guard.signedIn(work, { page: () => '/account/linked' })
  return async (app) => {
    app.setErrorHandler(async (error: FastifyError | LinkRefusal, _request, reply) => {
      // Errors other than refusals go to the listener's error handler.
      if (!(error instanceof LinkRefusal)) throw error
      return sendRefusal(services, reply, error)
    })

    app.post('/sign-in/with/:provider', async (request, reply) => {
      const onward = onwardText(await destinationInUrl(request, services.authorization))
      return leaveForProvider(services, reply, { linking: undefined, onward })
    })

    showPage(app, '/account/linked', guard.signedIn, (visit) => sendList(services, visit))

    acceptPost(app, '/account/linked/:provider', onList, async ({ session, reply }) =>
      leaveForProvider(services, reply, { linking: session, onward: undefined }),
    )

    acceptPost(app, '/account/linked/:provider/removal', onList, async ({ session, request, redirect }) => {
      await services.linkedAccounts.unlink(session, providerIn(request))
      return redirect('/account/linked', unlinked)
    })

    // No HEAD route: a HEAD request, for example from a link preview, would run this handler and redeem the code.
    app.get('/linked/:provider/callback', { exposeHeadRoute: false }, async (request, reply) => {
      let arrival: ProviderReturn
      try {
        arrival = await services.linkedAccounts.finishSignIn({
          providerKey: providerIn(request),
          query: request.url.split('?')[1] ?? '',
          clearTextBrowserKey: request.cookies[services.cookies.name(cookie)],
          session: await services.guard.sessions.current(request),
          browser: browserInfo(request),
        })
      } catch (error) {
        // Only the store knows whether the sign-in belongs to an attempt, and it may be what failed.
        if (!(error instanceof LinkRefusal)) markAttemptPage(request)
        throw error
      }
      return finishReturn(services, reply, arrival)
    })
  }
}

/** Sends the browser to the provider and sets the cookie that ties the callback to this browser. */
async function leaveForProvider(
  services: AccountServices,
  reply: FastifyReply,
  { linking, onward }: { linking: Session | undefined; onward: string | undefined },
): Promise<FastifyReply> {
  const { request } = reply
  const clearTextBrowserKey = request.cookies[services.cookies.name(cookie)] ?? services.linkedAccounts.newBrowserKey()
  const key = providerIn(request)
  const { address: from } = browserInfo(request)
  const visit = { linking, onward, clearTextBrowserKey, address: from }
  const address = await services.linkedAccounts.beginSignIn(key, visit)
  services.cookies.set(reply, cookie, clearTextBrowserKey, limits.providerVisitLifetimeMs / 1_000)
  const name = services.linkedAccounts.providers.find((provider) => provider.key === key)?.name
  return sendForwardingPage(reply, {
    title: t`Going to ${providerWords(name).is}`,
    why: t`After you sign in there, you’ll return here.`,
    address,
  })
}

async function finishReturn(services: AccountServices, reply: FastifyReply, arrival: ProviderReturn) {
  const { kind, providerName, onward } = arrival
  if (kind === 'linked') {
    const address = '/account/linked'
    services.guard.flash.leave(reply, address, linked)
    return sendForwardingPage(reply, {
      title: t`Linked`,
      why: t`Your account at ${providerWords(providerName).is} is linked.`,
      address,
    })
  }
  await services.guard.sessions.replace(reply, arrival.started)
  const address = destinationUrl(await onwardOf(reply.request, onward, services.authorization))
  const why = t`Welcome, ${arrival.started.session.userName}. You signed in with ${providerWords(providerName).is}.`
  return sendForwardingPage(reply, { title: t`You are signed in`, why, address })
}

/**
 * Sends a page that forwards the browser with a `Refresh` header. A redirect wouldn't work: browsers apply the posting
 * page's `form-action` to every redirect, and the provider's own are unknown (decision 0015).
 * @param address a URL of this service or the provider. Must never come from a request.
 */
function sendForwardingPage(
  reply: FastifyReply,
  { title, why, address }: { title: Text; why: Text; address: string },
): FastifyReply {
  const content = page({
    title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<p>${why}</p>
<div class="buttons">${linkButton({ label: t`Continue`, href: address, tone: 'primary' })}</div>`,
  })
  return sendPage(reply.header('refresh', `0; url=${address}`), content)
}

async function sendList(
  { linkedAccounts, clock }: AccountServices,
  { session, show, done }: SignedInRequest,
): Promise<FastifyReply> {
  const { providers } = linkedAccounts
  const linked = await linkedAccounts.list(session.userId)
  const changeable = session.isRecent
  const nowMs = clock.nowMs()
  return show({
    title: t`Linked accounts`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Linked accounts` }],
    body: html`${done}
<h1>${t`Linked accounts`}</h1>
<p>${t`You can sign in with any account linked here. Gatehouse never acts on your behalf there.`}</p>
${providers.length === 0 && html`<p>${t`No providers are set up on this service.`}</p>`}
${!changeable && providers.length > 0 && signInAgainCard(providers, linked)}
${providers.map((provider) => {
  const account = linked.find(({ provider: key }) => key === provider.key)
  return providerCard(provider, account, { nowMs, changeable })
})}`,
  })
}

function providerCard(
  { key, name }: { key: string; name: string },
  account: LinkedAccount | undefined,
  { nowMs, changeable }: { nowMs: number; changeable: boolean },
): Html {
  const body =
    account === undefined
      ? html`${state({ tone: 'neutral', word: t`Not linked` })}
${changeable && oneButton(`/account/linked/${key}`, t`Link ${providerWords(name).is}`, 'plain')}`
      : html`${state({ tone: 'good', word: t`Linked` })}
<dl>
${account.name !== null && html`<dt>${t`Name at the provider`}</dt><dd>${account.name}</dd>`}
<dt>${t`Provider user ID`}</dt><dd><code>${account.subject}</code></dd>
<dt>${t`Linked`}</dt><dd>${account.linkedAtMs === null ? t`By the operator` : time(account.linkedAtMs, nowMs)}</dd>
</dl>
${changeable && oneButton(`/account/linked/${key}/removal`, t`Unlink ${providerWords(name).is}`, 'dangerous')}`
  return card({ title: providerWords(name).starts, id: key, body })
}

function signInAgainCard(providers: LinkedAccounts['providers'], linked: readonly LinkedAccount[]): Html {
  const usable = providers.filter(({ key }) => linked.some((account) => account.provider === key))
  return card({
    title: t`Sign in again to make changes`,
    id: 'again',
    body: html`<p>${usable.length === 0 ? t`You signed in more than 15 minutes ago. Sign out at the top of this page, sign in again and come back here.` : t`You signed in more than 15 minutes ago. Sign in again with a linked account. Or sign out at the top of this page, sign in and come back here.`}</p>
${usable.map(({ key, name }) => oneButton(`/sign-in/with/${key}?return_to=/account/linked`, t`Sign in again with ${providerWords(name).is}`, 'plain'))}`,
  })
}

function oneButton(action: string, label: Text, tone: 'plain' | 'dangerous'): Html {
  return postForm({ action }, buttonRow(button({ label, tone })))
}

async function sendRefusal(services: AccountServices, reply: FastifyReply, error: LinkRefusal) {
  const { request } = reply
  const { reason, detail, about } = error
  // Anyone can call the callback. The other refusals follow a visit, of which an address has a share.
  const isUnknown = reason === 'visit-unknown'
  const errorId = isUnknown ? noteRefusal(services.refusals, request, reason) : newErrorId()
  const logged = { errorId, reason, detail, provider: providerIn(request) }
  if (!isUnknown) request.log.info(logged, 'provider sign-in or account link refused')
  const { status, ...words } = linkErrors[reason](providerWords(about.providerName), about.linking)
  if (status === 503) reply.header('retry-after', '30')
  // A sign-in, unlike a change of the linked accounts, may belong to an authorization.
  const person = about.linking === false ? undefined : await services.guard.person(reply)
  const view = errorPage(
    { ...words, ways: [await returnLink(services, request, error)], errorId },
    { place: identityPlace, person },
  )
  return sendPage(reply, view, { status })
}

async function returnLink(services: AccountServices, request: FastifyRequest, { about }: LinkRefusal) {
  const session = await services.guard.sessions.current(request)
  if (session !== undefined && about.linking !== false) {
    return linkButton({ label: t`Your linked accounts`, href: '/account/linked', tone: 'plain' })
  }
  const { onward } = about
  const way = await onwardOf(request, onward ?? null, services.authorization)
  return linkButton({ label: t`Sign in`, href: withDestination('/sign-in', way), tone: 'plain' })
}

function providerIn(request: FastifyRequest): string {
  return (request.params as { provider: string }).provider
}

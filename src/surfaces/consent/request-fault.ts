import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Application, Applications } from '../../domain/applications/applications.ts'
import { redirectUriAddition } from '../../domain/applications/redirect-uri.ts'
import { redirectUriDifference } from '../../domain/applications/redirect-uri-difference.ts'
import type { FailedRequest, RequestLog } from '../../domain/applications/request-log.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { parseQuery, type RequestPageFault } from '../../domain/authorization/authorization-request.ts'
import type { Refusals } from '../../http/request-metrics.ts'
import { requestFaultDescriptions } from '../../oauth/responses.ts'
import { button, card, linkButton, postForm } from '../../pages/components/elements.ts'
import { redirectUriDifferenceView } from '../../pages/components/failures.ts'
import { errorPage, noteRefusal } from '../../pages/error-page.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { identityPlace } from '../../pages/places.ts'

export interface RequestFaultServices {
  applications: Pick<Applications, 'owned'>
  authorization: Pick<Authorization, 'attempts'>
  refusals: Refusals
  requests: RequestLog
  guard: PageGuard
  portalUrl: string
}

/**
 * Sends the page for an error that must not be sent by redirect (RFC 6749 section 4.1.2.1). The application's owner
 * also sees the registered redirect URIs, and can add the rejected one.
 * @param query repeats the request at the consent URL.
 */
export async function sendFaultPage(
  services: RequestFaultServices,
  fault: RequestPageFault,
  reply: FastifyReply,
  query = queryOf(reply.request),
) {
  const errorId = noteRefusal(services.refusals, reply.request, fault.kind)
  const application = 'application' in fault ? fault.application : undefined
  if (application !== undefined) services.requests.recordFailure(application.id, failureOf(fault))
  const owner = application && (await ownerView(services, application, { reply, query }))
  const [what, goBack] =
    fault.kind === 'client-disabled'
      ? [t`This application is disabled`, t`Nothing was shared. Only the operator can enable it again.`]
      : [
          t`This sign-in link does not work`,
          t`Nothing was shared. Go back to the application. If you develop it, correct the link.`,
        ]
  const compares = owner !== undefined && fault.kind === 'redirect-uri-unregistered'
  const words = {
    what,
    why: explanationOf(fault),
    whatToDo: compares ? html`<p>${goBack}</p>${comparison(fault, owner)}` : goBack,
    ...(owner && { ways: [owner.settings] }),
    errorId,
  }
  const content = errorPage(words, { ...frame, ...(owner && { formToken: owner.formToken }) })
  return sendPage(reply, content, { status: 400 })
}

interface OwnerView {
  settings: Html
  settingsAddress: string
  formToken: string
  /** URL that adds the rejected redirect URI and then repeats the request. */
  additionAddress: string
}

async function ownerView(
  { guard: { sessions, formTokens }, portalUrl }: RequestFaultServices,
  { id, name, ownerId }: Application,
  { reply, query }: { reply: FastifyReply; query: string },
): Promise<OwnerView | undefined> {
  const session = ownerId === null ? undefined : await sessions.current(reply.request)
  if (session === undefined || session.userId !== ownerId) return undefined
  const settingsAddress = `${portalUrl}/apps/${id}`
  return {
    settings: linkButton({ label: t`Settings of ${name}`, href: settingsAddress, tone: 'plain' }),
    settingsAddress,
    formToken: formTokens.issue(reply),
    additionAddress: `/auth/consent/redirect-uris${query}`,
  }
}

function queryOf({ raw }: FastifyRequest): string {
  return /\?.*$/s.exec(raw.url ?? '')?.[0] ?? ''
}

/**
 * Adds the redirect URI of the authorization request or attempt in the query, then repeats the request. Adds it only if
 * the signed-in user owns the application and adding it is no risk. Otherwise, the repeated request shows what is wrong.
 */
export async function addRedirectUri(services: RequestFaultServices, reply: FastifyReply): Promise<FastifyReply> {
  const { request } = reply
  const { attempts } = services.authorization
  const query = parseQuery(request.raw.url ?? '')
  const attempt = await attempts.find(query.get('attempt')?.[0]?.text ?? '')
  const fault = attempt && 'fault' in attempt ? attempt.fault : await attempts.readRequest(query)
  const session = await services.guard.sessions.current(request)
  if (fault.kind === 'redirect-uri-unregistered' && session !== undefined) {
    const { application, redirectUri } = fault
    const addition = redirectUriAddition(application, redirectUri)
    if (session.userId === application.ownerId && addition.kind === 'possible' && addition.risks.length === 0) {
      const { userId } = session
      await services.applications.owned.addRedirectUri(userId, application.id, redirectUri, session.browser)
      request.log.info({ applicationId: application.id, userId }, 'redirect URI added')
    }
  }
  return reply.redirect(`/auth/consent${queryOf(request)}`, 303)
}

function failureOf(fault: RequestPageFault): Omit<FailedRequest, 'atMs'> {
  const sent = fault.kind === 'redirect-uri-unregistered' ? fault.redirectUri : null
  const description = requestFaultDescriptions[fault.kind]
  return { place: 'consent', error: null, description, reason: fault.kind, parameter: null, redirectUri: sent }
}

const frame = { place: identityPlace }

function explanationOf(fault: RequestPageFault): Text {
  switch (fault.kind) {
    case 'client-id-missing':
      return t`The link doesn’t name an application: the parameter client_id is missing.`
    case 'client-id-repeated':
      return t`The link names an application more than once: the parameter client_id is repeated.`
    case 'client-unknown':
      return t`The application is not registered here, or was deleted.`
    case 'client-disabled':
      return t`The operator disabled ${fault.application.name}.`
    case 'redirect-uri-missing':
      return t`The link has no return URL for ${fault.application.name}: the parameter redirect_uri is missing.`
    case 'redirect-uri-repeated':
      return t`The link has more than one return URL for ${fault.application.name}: the parameter redirect_uri is repeated.`
    case 'redirect-uri-unregistered':
      return t`This redirect URI is not registered for ${fault.application.name}. The application’s owner can add it under Redirect URIs, exactly as sent.`
  }
}

type UnregisteredUri = Extract<RequestPageFault, { redirectUri: string }>

/** Renders the rejected redirect URI above the most similar one, a way to add it, and all registered ones. */
function comparison(fault: UnregisteredUri, owner: OwnerView): Html {
  const { redirectUris } = fault.application
  const difference = redirectUriDifference(redirectUris, fault.redirectUri)
  return card({
    id: 'for-owner',
    title: t`Only you, the owner, can see this`,
    body: html`${difference && redirectUriDifferenceView(difference)}
${addition(fault, owner)}
<div class="stack tight"><h3>${t`All registered redirect URIs`}</h3>
<ul>${redirectUris.map((uri) => html`<li><code dir="ltr">${uri}</code></li>`)}</ul></div>`,
  })
}

/** Renders a button that adds the redirect URI at once or, if adding it is risky, a link to the confirmation page. */
function addition({ application, redirectUri }: UnregisteredUri, owner: OwnerView): Html | false {
  const possible = redirectUriAddition(application, redirectUri)
  if (possible.kind !== 'possible') return false
  if (possible.risks.length > 0) {
    const query = new URLSearchParams({ redirect_uri: redirectUri })
    const href = `${owner.settingsAddress}/redirect-uris/new?${query}`
    return html`<div class="buttons">${linkButton({ label: t`Add this redirect URI`, href, tone: 'plain' })}</div>`
  }
  return postForm(
    { action: owner.additionAddress },
    html`<div class="buttons">${button({ label: t`Add this redirect URI`, tone: 'plain' })}<span class="soft small">${t`You’ll then continue signing in.`}</span></div>`,
  )
}

/** @param restartAddress URL that repeats the authorization request. */
export function attemptExpiredPage(application: Application, restartAddress: string): Html {
  const ways = [linkButton({ label: t`Start again`, href: restartAddress, tone: 'primary' })]
  return errorPage(
    {
      what: t`This sign-in has expired`,
      why: t`You started to sign in to ${application.name} more than 30 minutes ago. Nothing was shared.`,
      whatToDo: t`Start again to sign in.`,
      ways,
    },
    frame,
  )
}

export const attemptUnknownPage = errorPage(
  {
    what: t`Sign-in not found`,
    why: t`It may have expired, or the URL is incomplete. Nothing was shared.`,
    whatToDo: t`Go back to the application and start again.`,
  },
  frame,
)

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AttemptId, asAttemptId, newId } from '../../domain/ids-and-secrets.ts'
import { pathOf } from '../../http/request-origin.ts'
import {
  button,
  buttonRow,
  card,
  linkButton,
  notice,
  postForm,
  section,
  state,
} from '../../pages/components/elements.ts'
import { copyField } from '../../pages/components/secrets.ts'
import { formText, formTexts } from '../../pages/form-posts.ts'
import { acceptPost, showPage } from '../../pages/form-routes.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import * as pages from './application-pages.ts'
import * as urls from './authorization-url.ts'
import { exchangeSection } from './exchange-section.ts'
import type { TryOutResult, TryOutStep } from './try-out.ts'

export function tryOutRoutes(app: FastifyInstance, services: pages.PortalServices): void {
  const { tryOuts, tryOutResults } = services

  /** Stores the result, encrypted, and redirects to its page, whose reload neither redeems nor posts again. */
  async function redirectToResult(
    { session, request, reply }: SignedInRequest,
    attemptId: AttemptId,
    result: TryOutResult,
  ) {
    const page = `/apps/${pages.applicationIdOf(request)}/try-outs/${attemptId}`
    const id = await tryOutResults.keep(session.userId, page, JSON.stringify(result))
    const address = id === undefined ? startOf(request) : `${page}?result=${id}`
    return reply.header('cache-control', 'no-store').redirect(address, 303)
  }

  showPage(app, '/apps/:applicationId/try-outs', pages.onApplication(services), async (visit) => {
    const scopes = await urls.describedScopes(services.authorization)
    const names = scopes.map(({ name }) => name)
    const choices = urls.readUrlChoices(visit.request, visit.application, names)
    return sendTryItForm(visit, scopes, choices)
  })

  const onForm = pages.onApplication(services, {
    page: (request) => urls.tryItAddress(pages.applicationIdOf(request), readTryOutChoices(request)),
  })
  acceptPost(app, '/apps/:applicationId/try-outs', onForm, async (visit) => {
    const { application } = visit
    const choices = readTryOutChoices(visit.request)
    const attemptId = newId<AttemptId>()
    const begun = await tryOuts.begin(visit.session, application, attemptId, choices)
    if ('address' in begun) return visit.reply.redirect(begun.address, 303)
    return redirectToResult(visit, attemptId, { choices, steps: [begun.refused] })
  })

  // The try-out's redirect URI. No HEAD route, because a HEAD request would run this handler and redeem the code.
  const finish = async (visit: pages.ApplicationVisit) => {
    const { session, application, request, reply } = visit
    const { attemptId } = request.params as { attemptId: string }
    const { code, error, result } = request.query as Record<string, unknown>
    if (typeof result === 'string') {
      const kept = await tryOutResults.find(session.userId, result, pathOf(request.url))
      if (kept === undefined) return reply.redirect(startOf(request), 302)
      return sendResult(visit, JSON.parse(kept) as TryOutResult)
    }
    if (code === undefined && error === undefined) return reply.redirect(startOf(request), 302)
    const finished = await tryOuts.finish(session, application, asAttemptId(attemptId), {
      url: request.url,
      clearTextCode: typeof code === 'string' ? code : undefined,
      error: typeof error === 'string' ? error : undefined,
    })
    if (finished === undefined) return reply.redirect(startOf(request), 302)
    const refused = finished.steps.find((step) => step.refused !== undefined)?.refused
    request.log.info({ applicationId: application.id, userId: session.userId, refused }, 'application try-out finished')
    return redirectToResult(visit, asAttemptId(attemptId), finished)
  }
  const admit = pages.onApplication(services)
  showPage(app, '/apps/:applicationId/try-outs/:attemptId', admit, finish, { exposeHeadRoute: false })
}

function startOf(request: FastifyRequest): string {
  return `/apps/${pages.applicationIdOf(request)}/try-outs`
}

function readTryOutChoices(request: FastifyRequest): urls.TryOutChoices {
  return {
    scopes: formTexts(request, 'scope').flatMap((scopes) => scopes.split(' ').filter((scope) => scope !== '')),
    state: formText(request, 'state'),
    skipConsent: formText(request, 'consent') === 'skip',
  }
}

/** Sends the form that starts a try-out, and the code samples for the application's server. */
function sendTryItForm(
  visit: pages.ApplicationVisit,
  scopes: readonly urls.DescribedScope[],
  choices: urls.UrlChoices,
): FastifyReply {
  const { application } = visit
  return pages.sendApplicationPart(visit, {
    part: 'tryOuts',
    modules: ['code-samples.js'],
    body: html`${card({
      id: 'try-out',
      title: t`Run the whole OAuth flow`,
      body: html`<p>${t`The portal acts as your application, with your account, and shows each request with its response. You give your consent like any other user.`}</p>
${postForm(
  { action: `/apps/${application.id}/try-outs`, attributes: html` data-try-out` },
  urls.scopeChoices(scopes, choices.scopes, true),
  html`<div class="columns">${urls.stateField(choices.state)}
${urls.consentChoice(choices.skipConsent)}</div>`,
  buttonRow(button({ label: t`Start try-out`, tone: 'primary' })),
)}`,
    })}
${exchangeSection(application, visit.services.baseUrl, choices)}`,
  })
}

const stepWords = {
  authorize: {
    title: t`Ask for consent`,
    about: t`In the browser. The response is a redirect to your redirect URI. Compare the state before you use the code.`,
  },
  token: { title: t`Exchange the code`, about: t`From your server, with the client secret.` },
  userinfo: {
    title: t`Read userinfo`,
    about: t`With the access token in the header. The scopes determine what the response contains.`,
  },
  refresh: { title: t`Refresh`, about: t`Each refresh token works once. Replace it with the new one.` },
  revoke: {
    title: t`Revoke`,
    about: t`Do this when a user disconnects your application. Revoking a refresh token revokes its whole token family.`,
  },
}

/** Explanations, keyed by the `error` from a redirect or by the reason for a refusal. */
const faultWords: Readonly<Record<string, Words>> = {
  access_denied: t`You chose Deny, or you were signed in to another account on the consent screen. Only the owner can try out an application. Sign in with this account and choose Allow.`,
  consent_required: t`The consent screen was skipped, but you haven’t granted all of these permissions yet. Start again with the consent screen. Your application should handle this error the same way.`,
  invalid_request: t`A parameter is missing or malformed. The description in the response names it. Start again with other options.`,
  invalid_scope: t`One of the scopes does not exist. Start again and choose other scopes.`,
  'code-expired': t`This code is older than 5 minutes. Exchange codes as soon as they arrive.`,
  'code-replayed': t`This code was already used, because the page was opened twice. Its tokens are revoked. Start again.`,
  'code-revoked': t`The consent was revoked before the code was used. Start again.`,
  'verifier-wrong': t`This try-out started in another session: in another browser, or before you last signed in. Start again.`,
}
const otherFault = t`The description in the response says what is wrong. Start again. If it keeps happening, check your application’s failed requests.`

function sendResult(visit: pages.ApplicationVisit, { choices, steps }: TryOutResult): FastifyReply {
  const { services, application } = visit
  const stopped = steps.find((step) => step.refused !== undefined)
  const outcome =
    stopped === undefined
      ? notice({ tone: 'good', body: t`The whole OAuth flow works. All issued tokens have been revoked.` })
      : notice({
          tone: 'bad',
          title: t`Stopped at “${stepWords[stopped.name].title}”`,
          body: html`<p>${fault(stopped.refused)}</p>`,
        })
  const again = linkButton({
    label: t`Start another try-out`,
    href: urls.tryItAddress(application.id, choices),
    tone: 'plain',
  })
  return pages.sendApplicationPart(visit, {
    part: 'tryOuts',
    title: t`Test sign-in for ${application.name}`,
    body: html`${outcome}
<div class="stack tight"><p>${t.html`These are the requests that your application sends and the responses that it gets. They come from a real authorization with your account. The portal acted as your application. The redirect URI is a portal URL that works only in your session. PKCE is always used. <code>$CLIENT_SECRET</code> stands for your client secret, which the portal doesn’t know.`}</p><p>${t.html`Codes and tokens are shortened. All are used or revoked. You can reopen this page for an hour. Your consent stays until you revoke it in <a href="${`${services.baseUrl}/account/applications`}">your account</a>.`}</p></div>
${steps.map((step, index) => stepSection(step, index + 1))}
<div class="buttons">${again}</div>`,
  })
}

function stepSection({ name, request, answer, refused, clearTextTokens = [] }: TryOutStep, number: number): Html {
  const { title, about } = stepWords[name]
  const word = refused === undefined ? t`Succeeded` : t`Rejected`
  return section({
    id: name,
    title: html`${number}. ${title}`,
    about: html`<p>${about}</p><div>${state({ tone: refused === undefined ? 'good' : 'bad', word })}</div>`,
    body: html`<div class="card">
${message(t`Request`, request)}
${message(t`Response`, answer)}
${
  clearTextTokens.length > 0 &&
  html`<details class="reveal"><summary>${t`Show full tokens`}</summary><div class="stack tight">
${clearTextTokens.map((token) => copyField({ label: token.name, text: token.clearText }))}</div></details>`
}
${refused !== undefined && notice({ tone: 'bad', body: html`<p>${fault(refused)}</p>` })}</div>`,
  })
}

function message(title: Words, text: string): Html {
  return html`<div class="stack tight"><h3>${title}</h3><pre class="body" tabindex="0" aria-label="${title}">${text}</pre></div>`
}

function fault(refused = ''): Words {
  return Object.hasOwn(faultWords, refused) ? (faultWords[refused] as Words) : otherFault
}

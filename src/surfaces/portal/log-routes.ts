import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import {
  type AdditionRisk,
  type RedirectUriAddition,
  redirectUriAddition,
} from '../../domain/applications/redirect-uri.ts'
import { redirectUriDifference } from '../../domain/applications/redirect-uri-difference.ts'
import { type FailedRequest, type FailureGroup, groupFailures } from '../../domain/applications/request-log.ts'
import * as limits from '../../domain/limits/limits.ts'
import { csvNote, exportHeaders, exportOf, truncationLine } from '../../http/export-lines.ts'
import { languageOf } from '../../http/request-origin.ts'
import {
  button,
  card,
  emptyState,
  linkButton,
  notice,
  postForm,
  submitOrCancel,
  tag,
} from '../../pages/components/elements.ts'
import { failureGroup, redirectUriDifferenceView, timesWords } from '../../pages/components/failures.ts'
import { time } from '../../pages/components/figures.ts'
import { selectField, textField } from '../../pages/form.ts'
import { done, formText } from '../../pages/form-posts.ts'
import { acceptPost, showPage } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { applicationParts } from '../../pages/places.ts'
import { faultWords } from './application-form.ts'
import * as pages from './application-pages.ts'
import * as failureLog from './failures.ts'

/** Registers `/apps/{applicationId}/logs`, the failed requests, and their export as CSV or JSON lines. */
export function logRoutes(app: FastifyInstance, services: pages.PortalServices): void {
  const { clock } = services

  const foundBy = async ({ request, application }: pages.ApplicationVisit) => {
    const kept = await services.requests.failures(application.id)
    const failures = failureLog.filterFailures(kept, failureLog.readFailureFilter(request), clock.nowMs())
    const counts = [...Map.groupBy(kept, ({ place }) => place).values()].map(({ length }) => length)
    return { failures, mayLackOlder: counts.some((count) => count >= limits.failedRequestsKept) }
  }

  showPage(app, '/apps/:applicationId/logs', pages.onApplication(services), async (visit) => {
    const { failures } = await foundBy(visit)
    return sendLogs(visit, groupFailures(failures), clock.nowMs())
  })

  for (const format of ['csv', 'ndjson'] as const) {
    showPage(app, `/apps/:applicationId/logs.${format}`, pages.onApplication(services), async (visit) => {
      const { failures, mayLackOlder } = await foundBy(visit)
      return visit.reply
        .headers(exportHeaders(format, `failed-requests-${visit.application.id}`, mediaTypes[format]))
        .send(exportOf(format, columns, failures.map(rowOf)) + (mayLackOlder ? noteOf(format, visit) : ''))
    })
  }
}

const columns = ['at', 'place', 'error', 'description', 'parameter', 'redirectUri']

function rowOf({ atMs, place, error, description, parameter, redirectUri }: FailedRequest) {
  return { at: new Date(atMs).toISOString(), place, error, description, parameter, redirectUri }
}

const mediaTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

/** Returns the last line of an export that may lack older requests. */
function noteOf(format: 'csv' | 'ndjson', { request }: pages.ApplicationVisit): string {
  const limit = limits.failedRequestsKept
  if (format === 'ndjson') return truncationLine({ limit })
  const note = t`Only the latest ${limit} failed requests per endpoint are kept. Older ones may be missing.`
  return csvNote(columns, String(note.in(languageOf(request))))
}

const redirectUriAdded = done(t`Redirect URI added. Requests with it now work.`)

/** Registers `…/redirect-uris`, which adds a rejected request's redirect URI, after a question if it is a risk. */
export function redirectUriRoutes(app: FastifyInstance, services: pages.PortalServices): void {
  showPage(app, '/apps/:applicationId/redirect-uris/new', pages.onApplication(services), async (visit) => {
    const { application, request, reply } = visit
    const { redirect_uri: redirectUri = '' } = request.query as Record<string, unknown>
    if (typeof redirectUri !== 'string' || redirectUri === '') {
      return reply.redirect(`/apps/${application.id}/settings`, 302)
    }
    return askToAdd(visit, redirectUri, redirectUriAddition(application, redirectUri))
  })

  const page = ({ params }: FastifyRequest) => `/apps/${(params as { applicationId: string }).applicationId}/logs`
  acceptPost(app, '/apps/:applicationId/redirect-uris', pages.onApplication(services, { page }), async (visit) => {
    const { by, application, request, redirect } = visit
    const redirectUri = formText(request, 'redirect_uri')
    const addition = redirectUriAddition(application, redirectUri)
    if (addition.kind === 'possible' && addition.risks.length > 0 && formText(request, 'confirmed') !== 'yes') {
      return askToAdd(visit, redirectUri, addition)
    }
    const { owned } = services.applications
    const outcome = await owned.addRedirectUri(by.userId, application.id, redirectUri, by.origin)
    if (outcome.kind === 'refused') return askToAdd(visit, redirectUri, outcome, 422)
    request.log.info({ applicationId: application.id, userId: by.userId }, 'redirect URI added')
    return redirect(`/apps/${application.id}/logs`, redirectUriAdded)
  })
}

function sendLogs(visit: pages.ApplicationVisit, groups: readonly FailureGroup[], nowMs: number): FastifyReply {
  const { application, request, done } = visit
  const filter = failureLog.readFailureFilter(request)
  const failures = { application, nowMs, compared: 0 }
  const address = `/apps/${application.id}/logs`
  return pages.sendApplicationPart(visit, {
    part: 'logs',
    body: html`${done}
<div class="stack tight"><h2>${t`Failed requests`}</h2><p class="soft">${t`The latest ${limits.failedRequestsKept} per endpoint from the last 30 days, grouped by cause. Codes, tokens and secrets are not stored. Anyone with the client ID can cause some of these failures.`}</p></div>
${(groups.length > 0 || failureLog.isFiltered(filter)) && filterForm(filter, address)}
${
  groups.length === 0
    ? nothing(filter)
    : html`<ul class="failures">${groups.map((group) => failureItem(group, failures))}</ul>
<div class="buttons">${linkButton({ label: t`Export as CSV`, href: `${address}.csv${failureLog.queryOf(filter)}`, tone: 'quiet' })}${linkButton({ label: t`Export as JSON lines`, href: `${address}.ndjson${failureLog.queryOf(filter)}`, tone: 'quiet' })}</div>`
}`,
  })
}

function filterForm(filter: failureLog.FailureFilter, address: string): Html {
  return html`<form class="search" method="get" action="${address}" role="search">
${textField({ label: t`Cause, error code or redirect URI`, autocomplete: 'off' }).show('search', filter.search)}
${selectField({
  label: t.in('period')`Time`,
  options: (Object.keys(failureLog.sinceHours) as failureLog.Since[]).map((value) => ({
    value,
    label: failureLog.failuresWords.since[value],
  })),
}).show('since', filter.since)}
<div class="buttons">${button({ label: t`Search`, tone: 'plain' })}${failureLog.isFiltered(filter) && linkButton({ label: t`Show all`, href: address, tone: 'quiet' })}</div></form>`
}

function nothing(filter: failureLog.FailureFilter): Html {
  return failureLog.isFiltered(filter)
    ? emptyState({
        title: t`No failed requests found`,
        body: html`<p>${t`Search for part of a cause, error code or redirect URI, or choose a longer period.`}</p>`,
      })
    : emptyState({
        title: t`No failed requests in the last 30 days`,
        body: html`<p>${t.html`If a request is rejected, its cause appears here. <a href="/guides/errors">See all causes</a>`}</p>`,
      })
}

interface FailuresOf {
  application: OwnedApplication
  nowMs: number
  /**
   * Number of redirect URIs compared so far. Anyone can cause failures, and a comparison of long URIs takes a
   * millisecond, so only the first {@link redirectUrisCompared} on the page are compared.
   */
  compared: number
}

/**
 * Renders failed requests with the same cause, in the viewer's language or, if the reason is unknown, in English. The
 * last rejected redirect URIs are compared with the most similar registered ones, and can be added.
 */
function failureItem({ latest, count, firstAtMs, redirectUris }: FailureGroup, view: FailuresOf): Html {
  const { place, error, description, reason } = latest
  const { nowMs } = view
  const cause = failureLog.failureWords(latest) ?? html`<span lang="en" dir="ltr">${description}</span>`
  const mayBeAdded = reason === 'redirect-uri-unregistered'
  const shown = redirectUris.slice(0, limits.redirectUrisShownPerCause)
  const more = redirectUris.length - shown.length
  return failureGroup({
    cause,
    times: timesWords(count),
    about: html`${tag(failureLog.failuresWords.places[place])} ${error !== null && html`<code>${error}</code> · `}${t`last ${time(latest.atMs, nowMs)}`}${latest.atMs - firstAtMs >= 60_000 && html` · ${t`first ${time(firstAtMs, nowMs)}`}`}${error === null && html` · ${t`An error page was shown instead of a redirect.`}`}`,
    more:
      redirectUris.length > 0 &&
      html`<ul class="uris">${shown.map(
        (sent) =>
          html`<li class="uri">${sentUri(sent.redirectUri, mayBeAdded, view)}${redirectUris.length > 1 && html`<span class="count">${timesWords(sent.count)}</span>`}</li>`,
      )}</ul>${more > 0 && html`<p class="soft small">${failureLog.failuresWords.moreUris(more)}</p>`}`,
  })
}

function sentUri(redirectUri: string, mayBeAdded: boolean, failures: FailuresOf): Html {
  const { application } = failures
  const { id, redirectUris, environment } = application
  failures.compared += 1
  if (failures.compared > limits.redirectUrisCompared) return html`<code dir="ltr">${redirectUri}</code>`
  const addition = redirectUriAddition(application, redirectUri)
  if (addition.kind === 'registered') {
    return html`<p><code dir="ltr">${redirectUri}</code><br><span class="soft small">${t`This redirect URI has since been registered.`}</span></p>`
  }
  const difference = redirectUriDifference(redirectUris, redirectUri)
  return html`<div class="stack tight">${difference && redirectUriDifferenceView(difference)}
${mayBeAdded && addition.kind === 'refused' && html`<p class="soft small">${faultWords({ reason: addition.reason, redirectUri }, environment)}</p>`}</div>
${
  mayBeAdded &&
  addition.kind === 'possible' &&
  postForm(
    { action: `/apps/${id}/redirect-uris` },
    html`<input type="hidden" name="redirect_uri" value="${redirectUri}">${button({ label: t`Add this redirect URI`, tone: 'plain', small: true })}`,
  )
}`
}

/** Asks whether to add the redirect URI of a rejected request, or says why it can't be added. */
function askToAdd(
  { application, show }: pages.ApplicationVisit,
  redirectUri: string,
  addition: RedirectUriAddition,
  status?: number,
): FastifyReply {
  const { id, redirectUris } = application
  const difference = redirectUriDifference(redirectUris, redirectUri)
  const title = {
    possible: t`Add this redirect URI?`,
    refused: t`This redirect URI can’t be added`,
    registered: t`This redirect URI is registered`,
  }[addition.kind]
  return show({
    ...pages.portalFrame,
    status,
    title,
    trail: [pages.applicationCrumb(application), { name: applicationParts.logs.name, href: `/apps/${id}/logs` }],
    body: html`<h1>${title}</h1>
${card({
  body: html`${
    addition.kind === 'registered' || difference === undefined
      ? html`<p><code dir="ltr">${redirectUri}</code></p>`
      : redirectUriDifferenceView(difference)
  }
${addition.kind === 'possible' ? question(application, redirectUri, addition.risks) : refusal(application, redirectUri, addition)}`,
})}`,
  })
}

function question(
  { id, verified, firstParty }: OwnedApplication,
  redirectUri: string,
  risks: readonly AdditionRisk[],
): Html {
  return html`<p>${t`Gatehouse will also send authorization codes to this URL.`}</p>
${risks.includes('new-host') && notice({ tone: 'warn', body: t.html`None of your redirect URIs has the host <strong>${new URL(redirectUri).host}</strong>. Anyone can send you a link with any redirect URI. Add it only if you control this host.` })}
${risks.includes('new-address') && notice({ tone: 'warn', body: t`Only the host matches one of your redirect URIs. Anyone can send you a link with any redirect URI. Check the highlighted difference, and add this URL only if your application answers there.` })}
${risks.includes('marks-end') && verified && notice({ tone: 'warn', title: t`The application will no longer be verified`, body: t`The operator must then approve the application again.` })}
${risks.includes('marks-end') && firstParty && notice({ tone: 'warn', title: t`Users will have to give their consent`, body: t`The operator must then approve the application again.` })}
${postForm(
  { action: `/apps/${id}/redirect-uris` },
  html`<input type="hidden" name="redirect_uri" value="${redirectUri}"><input type="hidden" name="confirmed" value="yes">`,
  submitOrCancel(t`Add this redirect URI`, `/apps/${id}/logs`),
)}`
}

function refusal({ id, environment }: OwnedApplication, redirectUri: string, addition: RedirectUriAddition): Html {
  return html`${
    addition.kind === 'refused' &&
    notice({ tone: 'bad', body: faultWords({ reason: addition.reason, redirectUri }, environment) })
  }
<div class="buttons">${linkButton({ label: t`Go to settings`, href: `/apps/${id}/settings`, tone: 'plain' })}</div>`
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { redirectUriAddition } from '../../domain/applications/redirect-uri.ts'
import { type FailedRequest, groupFailures } from '../../domain/applications/request-log.ts'
import type { Language } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import { csvLine, csvNote, exportHeaders, truncationLine } from '../../http/export-lines.ts'
import { languageOf } from '../../http/request-origin.ts'
import { done } from '../../pages/flash.ts'
import { formText } from '../../pages/form-posts.ts'
import { t } from '../../pages/html.ts'
import { type ApplicationPageServices, type ApplicationVisit, onApplication } from './application-pages.ts'
import { filterFailures, readFailureFilter } from './failures.ts'
import { addRedirectUriPage, logsPage } from './logs-pages.ts'

/**
 * Registers `/apps/{applicationId}/logs`, which lists an application's failed requests, and their export as CSV or JSON
 * lines.
 */
export function logRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  const { clock } = services

  const foundBy = async ({ request, application }: ApplicationVisit) => {
    const kept = await services.requests.failures(application.id)
    const failures = filterFailures(kept, readFailureFilter(request), clock.nowMs())
    const counts = [...Map.groupBy(kept, ({ place }) => place).values()].map(({ length }) => length)
    return { failures, mayLackOlder: counts.some((count) => count >= limits.failedRequestsKept) }
  }

  app.get(
    '/apps/:applicationId/logs',
    onApplication(services)(async (visit) => {
      const { failures } = await foundBy(visit)
      return visit.send(logsPage(visit, groupFailures(failures), clock.nowMs()))
    }),
  )

  for (const format of ['csv', 'ndjson'] as const) {
    const { mediaType, content, cut } = exports[format]
    app.get(
      `/apps/:applicationId/logs.${format}`,
      onApplication(services)(async (visit) => {
        const { failures, mayLackOlder } = await foundBy(visit)
        return visit.reply
          .headers(exportHeaders(format, `failed-requests-${visit.application.id}`, mediaType))
          .send(content(failures) + (mayLackOlder ? cut(languageOf(visit.request)) : ''))
      }),
    )
  }
}

const columns = ['at', 'place', 'error', 'description', 'parameter', 'redirectUri'] as const

function rowOf({ atMs, place, error, description, parameter, redirectUri }: FailedRequest) {
  return { at: new Date(atMs).toISOString(), place, error, description, parameter, redirectUri }
}

const exports = {
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    content: (failures: readonly FailedRequest[]) =>
      [columns, ...failures.map((failure) => columns.map((column) => rowOf(failure)[column]))].map(csvLine).join(''),
    cut: (language: Language) =>
      csvNote(
        columns,
        String(
          t`Only the latest ${limits.failedRequestsKept} failed requests per endpoint are kept. Older ones may be missing.`.in(
            language,
          ),
        ),
      ),
  },
  ndjson: {
    mediaType: 'application/x-ndjson; charset=utf-8',
    content: (failures: readonly FailedRequest[]) =>
      failures.map((failure) => `${JSON.stringify(rowOf(failure))}\n`).join(''),
    cut: () => truncationLine({ limit: limits.failedRequestsKept }),
  },
} as const

const redirectUriAdded = done(t`Redirect URI added. Requests with it now work.`)

/**
 * Registers `/apps/{applicationId}/redirect-uris`, which adds the redirect URI of a rejected request, and the page that
 * asks for confirmation if adding it is a risk.
 */
export function redirectUriRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  app.get(
    '/apps/:applicationId/redirect-uris/new',
    onApplication(services)(async (visit) => {
      const { application, request, reply, send } = visit
      const { redirect_uri: redirectUri = '' } = request.query as Record<string, unknown>
      if (typeof redirectUri !== 'string' || redirectUri === '') {
        return reply.redirect(`/apps/${application.id}/settings`, 302)
      }
      return send(addRedirectUriPage(visit, redirectUri, redirectUriAddition(application, redirectUri)))
    }),
  )

  const page = ({ params }: FastifyRequest) => `/apps/${(params as { applicationId: string }).applicationId}/logs`
  app.post(
    '/apps/:applicationId/redirect-uris',
    onApplication(services, { page })(async (visit) => {
      const { by, application, request, send, redirect } = visit
      const redirectUri = formText(request, 'redirect_uri')
      const addition = redirectUriAddition(application, redirectUri)
      if (addition.kind === 'possible' && addition.risks.length > 0 && formText(request, 'confirmed') !== 'yes') {
        return send(addRedirectUriPage(visit, redirectUri, addition))
      }
      const { owned } = services.applications
      const outcome = await owned.addRedirectUri(by.userId, application.id, redirectUri, by.origin)
      if (outcome.kind === 'refused') return send(addRedirectUriPage(visit, redirectUri, outcome), 422)
      request.log.info({ applicationId: application.id, userId: by.userId }, 'redirect URI added')
      return redirect(`/apps/${application.id}/logs`, redirectUriAdded)
    }),
  )
}

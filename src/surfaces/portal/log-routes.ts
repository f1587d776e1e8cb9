import type { FastifyInstance } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { type FailedRequest, groupFailures } from '../../domain/applications/request-log.ts'
import { csvLine } from '../../http/csv.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { type ApplicationPageServices, sendPortalPage, withOwnedApplication } from './application-pages.ts'
import { filterFailures, readFailureFilter } from './failure-filter.ts'
import { logsPage } from './views/logs-page.ts'

/**
 * Registers `/apps/{applicationId}/logs`, which lists an application's failed requests, and their export as CSV or JSON
 * lines.
 */
export function logRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  const { clock, flash } = services

  const foundBy = async ({ request }: SignedInRequest, { id }: OwnedApplication): Promise<FailedRequest[]> =>
    filterFailures(await services.requests.failures(id), readFailureFilter(request), clock.nowMs())

  app.get(
    '/apps/:applicationId/logs',
    withOwnedApplication(services, async (visit, application) => {
      const { person, request, reply } = visit
      const groups = groupFailures(await foundBy(visit, application))
      const filter = readFailureFilter(request)
      const added = flash.take(request, reply) === 'redirect-uri-added'
      const view = { person, application, groups, filter, added, nowMs: clock.nowMs() }
      return sendPortalPage(services, reply, logsPage(view))
    }),
  )

  for (const [format, { mediaType, content }] of Object.entries(exports)) {
    app.get(
      `/apps/:applicationId/logs.${format}`,
      withOwnedApplication(services, async (visit, application) =>
        visit.reply
          .headers({
            'content-type': mediaType,
            'content-disposition': `attachment; filename="failed-requests-${application.id}.${format}"`,
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
          })
          .send(content(await foundBy(visit, application))),
      ),
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
  },
  ndjson: {
    mediaType: 'application/x-ndjson; charset=utf-8',
    content: (failures: readonly FailedRequest[]) =>
      failures.map((failure) => `${JSON.stringify(rowOf(failure))}\n`).join(''),
  },
} as const

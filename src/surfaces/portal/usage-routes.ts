import type { FastifyInstance } from 'fastify'
import * as limits from '../../domain/limits/limits.ts'
import { readBefore } from '../../pages/components/activity.ts'
import { type ApplicationPageServices, onApplication } from './application-pages.ts'
import { activityPage, usagePage } from './views/usage-pages.ts'

/** Registers `/apps/{applicationId}/usage` and `/apps/{applicationId}/activity`. */
export function usageRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  app.get(
    '/apps/:applicationId/usage',
    onApplication(services)(async ({ person, application, send }) => {
      const { id } = application
      const [usage, days] = await Promise.all([services.requests.usage([id]), services.requests.days(id)])
      const view = { person, application, users: usage.get(id)?.users ?? 0, days }
      return send(usagePage(view))
    }),
  )

  app.get(
    '/apps/:applicationId/activity',
    onApplication(services)(async ({ session, person, application, request, send }) => {
      const before = readBefore(request.query)
      const page = { before, atMost: limits.activityPerPage }
      const events = await services.audit.ofApplication(application.id, session.userId, page)
      const reader = { userId: session.userId, sites: person.sites }
      const view = { events, reader, nowMs: services.clock.nowMs(), person, application, before }
      return send(activityPage(view))
    }),
  )
}

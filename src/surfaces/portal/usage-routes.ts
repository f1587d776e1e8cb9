import type { FastifyInstance } from 'fastify'
import * as limits from '../../domain/limits/limits.ts'
import { readBefore } from '../../pages/components/activity.ts'
import { type ApplicationPageServices, sendPortalPage, withOwnedApplication } from './application-pages.ts'
import { activityPage, usagePage } from './views/usage-pages.ts'

/** Registers `/apps/{applicationId}/usage` and `/apps/{applicationId}/activity`. */
export function usageRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  app.get(
    '/apps/:applicationId/usage',
    withOwnedApplication(services, async ({ person, reply }, application) => {
      const { id } = application
      const [usage, days] = await Promise.all([services.requests.usage([id]), services.requests.days(id)])
      const view = { person, application, users: usage.get(id)?.users ?? 0, days }
      return sendPortalPage(services, reply, usagePage(view))
    }),
  )

  app.get(
    '/apps/:applicationId/activity',
    withOwnedApplication(services, async ({ session, person, request, reply }, application) => {
      const before = readBefore(request.query)
      const page = { before, atMost: limits.activityPerPage }
      const events = await services.audit.ofApplication(application.id, session.userId, page)
      const reader = { userId: session.userId, sites: person.sites }
      const view = { events, reader, nowMs: services.clock.nowMs(), person, application, before }
      return sendPortalPage(services, reply, activityPage(view))
    }),
  )
}

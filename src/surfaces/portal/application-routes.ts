import type { FastifyInstance } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { t } from '../../pages/html.ts'
import { formOf, readApplicationInput, withFieldErrors } from './application-fields.ts'
import {
  type ApplicationPageServices,
  applicationIdOf,
  sendApplication,
  sendPortalPage,
  withOwnedApplication,
} from './application-pages.ts'
import { deleteApplicationPage } from './views/confirmation-pages.ts'

const savedNotices = {
  saved: { tone: 'good', body: t`Changes saved.` },
  unverified: {
    tone: 'warn',
    body: t`Changes saved. The application is no longer verified. Ask an administrator to verify it again.`,
  },
  asking: { tone: 'warn', body: t`Changes saved. From now on, users must give their consent.` },
} as const

/** Registers `/apps/{applicationId}`: an application's overview, settings and deletion. */
export function applicationRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  const { applications } = services

  app.get(
    '/apps/:applicationId',
    withOwnedApplication(services, async (visit, application) => {
      const saved = services.flash.take(visit.request, visit.reply)
      return sendApplication(
        services,
        visit,
        application,
        saved === 'saved' || saved === 'unverified' || saved === 'asking' ? { done: savedNotices[saved] } : {},
      )
    }),
  )

  app.post(
    '/apps/:applicationId',
    withOwnedApplication(services, async (visit, application) => {
      const { session, request, reply } = visit
      const input = readApplicationInput(request, application)
      const outcome = await withFieldErrors(input, () =>
        applications.owned.change(session.userId, application.id, formOf(input), browserInfo(request)),
      )
      if ('errors' in outcome) {
        return sendApplication(services, visit, application, { status: 422, input, errors: outcome.errors })
      }
      return services.flash.redirect(reply, `/apps/${application.id}`, savedAs(application, outcome.done))
    }),
  )

  app.get(
    '/apps/:applicationId/deletion',
    withOwnedApplication(services, async ({ person, reply }, application) => {
      return sendPortalPage(services, reply, deleteApplicationPage({ person, application }))
    }),
  )

  app.post(
    '/apps/:applicationId/deletion',
    services.guard.signedIn(async ({ session, request, reply }) => {
      const id = applicationIdOf(request)
      await applications.owned.remove(session.userId, id, browserInfo(request))
      request.log.info({ applicationId: id, userId: session.userId }, 'application deleted')
      return services.flash.redirect(reply, '/', 'deleted')
    }),
  )
}

function savedAs(before: OwnedApplication, after: OwnedApplication): keyof typeof savedNotices {
  if (before.verified && !after.verified) return 'unverified'
  return before.firstParty && !after.firstParty ? 'asking' : 'saved'
}

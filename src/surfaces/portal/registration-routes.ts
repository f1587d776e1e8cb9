import type { FastifyInstance } from 'fastify'
import { browserInfo } from '../../http/browser-info.ts'
import { readListChoice } from '../../pages/components/list-form.ts'
import { emptyInput, formOf, readApplicationInput, withFieldErrors } from './application-fields.ts'
import { type ApplicationPageServices, sendApplication, sendPortalPage } from './application-pages.ts'
import { applicationListPage, applicationSorts, newApplicationPage } from './views/registration-pages.ts'

/** Registers `/`, which lists the user's applications, and `/apps/new`. */
export function registrationRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  app.get(
    '/',
    services.guard.signedIn(async ({ session, person, request, reply }) => {
      const applications = await services.applications.owned.list(session.userId)
      const ids = applications.map(({ id }) => id)
      const [usage, failed] = await Promise.all([services.requests.usage(ids), services.requests.errorsInAWeek(ids)])
      const view = {
        person,
        applications,
        usage,
        failed,
        nowMs: services.clock.nowMs(),
        choice: readListChoice(request.query, applicationSorts),
        deleted: services.flash.take(request, reply) === 'deleted',
      }
      return sendPortalPage(services, reply, applicationListPage(view))
    }),
  )

  app.get(
    '/apps/new',
    services.guard.signedIn(async ({ person, reply }) => {
      return sendPortalPage(services, reply, newApplicationPage({ person, input: emptyInput, errors: [] }))
    }),
  )

  app.post(
    '/apps/new',
    services.guard.signedIn(async (visit) => {
      const { session, person, request, reply } = visit
      const input = readApplicationInput(request, emptyInput)
      const outcome = await withFieldErrors(input, () =>
        services.applications.owned.register(session.userId, formOf(input), browserInfo(request)),
      )
      if ('errors' in outcome) {
        return sendPortalPage(services, reply, newApplicationPage({ person, input, errors: outcome.errors }), 422)
      }
      const { application, clearTextSecret } = outcome.done
      request.log.info({ applicationId: application.id, userId: session.userId }, 'application registered')
      reply.header('location', `/apps/${application.id}`)
      return sendApplication(services, visit, application, {
        status: 201,
        clearTextSecret: { clearText: clearTextSecret, because: 'registered' },
      })
    }),
  )
}

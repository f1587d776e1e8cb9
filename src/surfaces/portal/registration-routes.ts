import type { FastifyInstance } from 'fastify'
import { parseRedirectUri } from '../../domain/applications/redirect-uri.ts'
import * as limits from '../../domain/limits/limits.ts'
import { readListChoice } from '../../pages/components/list-form.ts'
import { pageOf } from '../../pages/components/pagination.ts'
import { formPage } from '../../pages/form-routes.ts'
import {
  type ApplicationValues,
  applicationErrors,
  applicationForm,
  applicationOf,
  complete,
  emptyApplication,
} from './application-fields.ts'
import { type ApplicationPageServices, sendApplication } from './application-pages.ts'
import { showCodePath } from './code-routes.ts'
import {
  applicationListPage,
  applicationSorts,
  chosenApplications,
  newApplicationPage,
} from './views/registration-pages.ts'

/** Registers `/`, which lists the user's applications, and `/apps/new`. */
export function registrationRoutes(
  app: FastifyInstance,
  services: ApplicationPageServices & { portalUrl: string },
): void {
  app.get(
    '/',
    services.guard.signedIn(async ({ session, person, request, send, done }) => {
      const applications = await services.applications.owned.list(session.userId)
      const ids = applications.map(({ id }) => id)
      const [usage, failed] = await Promise.all([services.requests.usage(ids), services.requests.errorsInAWeek(ids)])
      const choice = readListChoice(request.query, applicationSorts)
      const found = chosenApplications(applications, { usage, failed }, choice)
      const view = { person, usage, failed, nowMs: services.clock.nowMs(), choice, done }
      const part = pageOf(found, limits.applicationsPerPage, request)
      return send(applicationListPage({ ...view, ...part, found: found.length, all: applications.length }))
    }),
  )

  formPage(app, '/apps/new', (work) => services.guard.signedIn(work), {
    form: applicationForm,
    values: ({ request }) => presetOf(request.query, services.portalUrl),
    errors: (error, _visit, values) => applicationErrors(error, values),
    show({ person, send }, { values, errors, status }) {
      return send(
        newApplicationPage({ person, filled: { values: complete(values, emptyApplication), errors } }),
        status,
      )
    },
    async post(visit, values) {
      const { by, request, reply } = visit
      const { application, clearTextSecret } = await services.applications.owned.register(
        by.userId,
        applicationOf(complete(values, emptyApplication)),
        by.origin,
      )
      request.log.info({ applicationId: application.id, userId: by.userId }, 'application registered')
      reply.header('location', `/apps/${application.id}`)
      return sendApplication(services, visit, application, {
        status: 201,
        clearTextSecret: { clearText: clearTextSecret, because: 'registered' },
      })
    },
  })
}

/**
 * Returns the values with which the form starts. With `?environment=development`, users return to the portal's page that
 * shows the code.
 */
function presetOf(query: unknown, portalUrl: string): ApplicationValues {
  if ((query as Record<string, unknown>).environment !== 'development') return emptyApplication
  const uri = `${portalUrl}${showCodePath}`
  const redirectUris = 'redirectUri' in parseRedirectUri(uri, 'development') ? uri : ''
  return { ...emptyApplication, environment: 'development', redirectUris }
}

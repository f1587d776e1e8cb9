import type { FastifyError, FastifyPluginAsync } from 'fastify'
import { ApplicationRefusal } from '../../domain/applications/application-form.ts'
import { linkButton } from '../../pages/components/elements.ts'
import { errorPage } from '../../pages/error-page.ts'
import { takeForms } from '../../pages/form-posts.ts'
import { t } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import { applicationsPlace } from '../../pages/places.ts'
import type { PortalServices } from './application-pages.ts'
import { applicationRoutes } from './application-routes.ts'
import { codeRoutes } from './code-routes.ts'
import { logRoutes, redirectUriRoutes } from './log-routes.ts'
import { referencePage } from './reference-page.ts'
import { registrationRoutes } from './registration.ts'
import { type PortalSignInServices, signInRoutes } from './sign-in.ts'
import { tryOutRoutes } from './try-out-routes.ts'
import { usageRoutes } from './usage.ts'

export function portalSurface(services: PortalServices & PortalSignInServices): FastifyPluginAsync {
  return async (app) => {
    takeForms(app)
    // In case the session ends while the page is open.
    const formOrigins = [services.baseUrl]
    app.setErrorHandler(async (error: FastifyError | ApplicationRefusal, _request, reply) => {
      // Other errors go to the listener's error handler.
      if (!(error instanceof ApplicationRefusal) || error.reason !== 'application-unknown') throw error
      const person = await services.guard.person(reply)
      if (person === undefined) throw error
      // The same for an application that doesn't exist and for another owner's.
      const unknown = {
        what: t`Application not found`,
        why: t`It was deleted, or it belongs to another account.`,
        whatToDo: t`Check the URL, or choose one of your applications.`,
        ways: [linkButton({ label: t`Applications`, href: '/', tone: 'plain' })],
      }
      const content = errorPage(unknown, { place: applicationsPlace, trail: [], person })
      return sendPage(reply, content, { status: 404, formOrigins })
    })
    // This page needs no session.
    app.get('/reference', async (_request, reply) => {
      const person = await services.guard.person(reply)
      return sendPage(reply, referencePage({ ...services, person }), { formOrigins })
    })
    signInRoutes(app, services)
    codeRoutes(app, services)
    registrationRoutes(app, services)
    applicationRoutes(app, services)
    usageRoutes(app, services)
    logRoutes(app, services)
    redirectUriRoutes(app, services)
    tryOutRoutes(app, services)
  }
}

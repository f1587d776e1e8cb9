import type { FastifyInstance } from 'fastify'
import { redirectUriAddition } from '../../domain/applications/redirect-uri.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { formText } from '../../pages/form-posts.ts'
import { type ApplicationPageServices, sendPortalPage, withOwnedApplication } from './application-pages.ts'
import { addRedirectUriPage } from './views/add-redirect-uri-page.ts'

/**
 * Registers `/apps/{applicationId}/redirect-uris`, which adds the redirect URI of a rejected request, and the page that
 * asks for confirmation if adding it is a risk.
 */
export function redirectUriRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  const { applications, flash } = services

  app.get(
    '/apps/:applicationId/redirect-uris/new',
    withOwnedApplication(services, async ({ person, request, reply }, application) => {
      const { redirect_uri: redirectUri = '' } = request.query as Record<string, unknown>
      if (typeof redirectUri !== 'string' || redirectUri === '') {
        return reply.redirect(`/apps/${application.id}#settings`, 302)
      }
      const addition = redirectUriAddition(application, redirectUri)
      return sendPortalPage(services, reply, addRedirectUriPage({ person, application, redirectUri, addition }))
    }),
  )

  app.post(
    '/apps/:applicationId/redirect-uris',
    withOwnedApplication(
      services,
      async ({ session, person, request, reply }, application) => {
        const redirectUri = formText(request, 'redirect_uri')
        const addition = redirectUriAddition(application, redirectUri)
        const view = { person, application, redirectUri }
        if (addition.kind === 'possible' && addition.risks.length > 0 && formText(request, 'confirmed') !== 'yes') {
          return sendPortalPage(services, reply, addRedirectUriPage({ ...view, addition }))
        }
        const outcome = await applications.owned.addRedirectUri(
          session.userId,
          application.id,
          redirectUri,
          browserInfo(request),
        )
        if (outcome.kind === 'refused') {
          return sendPortalPage(services, reply, addRedirectUriPage({ ...view, addition: outcome }), 422)
        }
        request.log.info({ applicationId: application.id, userId: session.userId }, 'redirect URI added')
        return flash.redirect(reply, `/apps/${application.id}/logs`, 'redirect-uri-added')
      },
      { page: (request) => `/apps/${(request.params as { applicationId: string }).applicationId}/logs` },
    ),
  )
}

import type { FastifyError, FastifyPluginAsync } from 'fastify'
import { ApplicationRefusal } from '../../domain/applications/application-refusal.ts'
import type { Applications } from '../../domain/applications/applications.ts'
import type { DescribedOperation } from '../../oauth/described-operation.ts'
import { takeForms } from '../../pages/form-fields.ts'
import { applicationRoutes } from './application-routes.ts'
import { registrationRoutes } from './registration-routes.ts'
import { secretRoutes } from './secret-routes.ts'
import type { ApplicationPageRooms } from './send-application.ts'
import { type PortalSignInRooms, signInRoutes } from './sign-in-routes.ts'
import { type TryOutRooms, tryOutRoutes } from './try-out-routes.ts'
import { referencePage } from './views/reference-page.ts'
import { unknownApplicationPage } from './views/sign-in-pages.ts'
import { leadToSignIn, personOf, sendPortalPage } from './visit.ts'

export type PortalRooms = PortalSignInRooms &
  ApplicationPageRooms &
  TryOutRooms & {
    applications: Pick<Applications, 'secrets'>
    /** What the OpenAPI description is made of, and where it is. */
    operations: readonly DescribedOperation[]
    apiUrl: string
  }

/** The developer portal: one's applications, and its own sign-in through the identity surface. */
export function portalSurface(rooms: PortalRooms): FastifyPluginAsync {
  return async (app) => {
    await takeForms(app)
    app.setErrorHandler(async (error: FastifyError | ApplicationRefusal, request, reply) => {
      // Everything else is for the handler of the host.
      if (!(error instanceof ApplicationRefusal) || error.reason !== 'application-unknown') throw error
      const session = await rooms.sessions.current(request)
      if (session === undefined) return leadToSignIn(rooms, request, reply)
      const content = unknownApplicationPage(personOf(rooms, session, request, reply))
      return sendPortalPage(rooms, reply, content, 404)
    })
    // For whoever builds an application, before there is one too.
    app.get('/reference', async (request, reply) => {
      const session = await rooms.sessions.current(request)
      const person = session && personOf(rooms, session, request, reply)
      return sendPortalPage(rooms, reply, referencePage({ ...rooms, person }))
    })
    signInRoutes(app, rooms)
    registrationRoutes(app, rooms)
    applicationRoutes(app, rooms)
    secretRoutes(app, rooms)
    tryOutRoutes(app, rooms)
  }
}

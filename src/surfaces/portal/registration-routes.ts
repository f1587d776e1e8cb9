import type { FastifyInstance } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { applicationFieldNames, emptyInput, formOf, orErrors, readApplicationInput } from './application-fields.ts'
import { type ApplicationPageRooms, sendApplication } from './send-application.ts'
import { applicationListPage } from './views/application-list-page.ts'
import { newApplicationPage } from './views/new-application-page.ts'
import { sendPortalPage, signedIn } from './visit.ts'

/** `/`, the list of one's applications, and `/apps/new`. */
export function registrationRoutes(
  app: FastifyInstance,
  rooms: ApplicationPageRooms & { applications: Pick<Applications, 'owned'> },
): void {
  app.get(
    '/',
    signedIn(rooms, async ({ session, person, request, reply }) => {
      const { search } = request.query as Record<string, unknown>
      const applications = await rooms.applications.owned.list(session.userId)
      const view = {
        person,
        applications,
        usage: await rooms.requests.usage(applications.map(({ id }) => id)),
        nowMs: rooms.clock.nowMs(),
        search: typeof search === 'string' ? search.trim() : '',
        deleted: rooms.flash.take(request, reply) === 'deleted',
      }
      return sendPortalPage(rooms, reply, applicationListPage(view))
    }),
  )

  app.get(
    '/apps/new',
    signedIn(rooms, async ({ person, reply }) => {
      return sendPortalPage(rooms, reply, newApplicationPage({ person, input: emptyInput, errors: [] }))
    }),
  )

  app.post(
    '/apps/new',
    signedIn(
      rooms,
      async (visit) => {
        const { session, person, request, reply } = visit
        const input = readApplicationInput(request, emptyInput)
        const outcome = await orErrors(input, () =>
          rooms.applications.owned.register(session.userId, formOf(input), browserInfo(request)),
        )
        if ('errors' in outcome) {
          return sendPortalPage(rooms, reply, newApplicationPage({ person, input, errors: outcome.errors }), 422)
        }
        const { application, clearTextSecret } = outcome.done
        request.log.info({ applicationId: application.id, userId: session.userId }, 'application registered')
        reply.header('location', `/apps/${application.id}`)
        return sendApplication(rooms, visit, application, {
          status: 201,
          clearTextSecret: { clearText: clearTextSecret, because: 'registered' },
        })
      },
      { keeps: applicationFieldNames },
    ),
  )
}

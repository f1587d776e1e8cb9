import type { FastifyInstance } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { emptyInput, formOf, orErrors, readApplicationInput } from './application-fields.ts'
import { type ApplicationPageRooms, sendApplication } from './send-application.ts'
import { applicationListPage } from './views/application-list-page.ts'
import { newApplicationPage } from './views/new-application-page.ts'
import { personOf, sendPortalPage, signedIn } from './visit.ts'

/** `/`, the list of one's applications, and `/apps/new`. */
export function registrationRoutes(
  app: FastifyInstance,
  rooms: ApplicationPageRooms & { applications: Applications },
): void {
  app.get(
    '/',
    signedIn(rooms, async ({ session, person, request, reply }) => {
      const { deleted, search } = request.query as Record<string, unknown>
      const applications = await rooms.applications.listOwned(session.userId)
      const view = {
        person,
        applications,
        users: await rooms.requests.countUsers(applications.map(({ id }) => id)),
        nowMs: rooms.clock.nowMs(),
        search: typeof search === 'string' ? search.trim() : '',
        deleted: deleted === '1',
      }
      return sendPortalPage(rooms, reply, applicationListPage(view))
    }),
  )

  app.get(
    '/apps/new',
    signedIn(rooms, async ({ person, reply }) => {
      const view = { person, formToken: person.formToken, input: emptyInput, errors: [] }
      return sendPortalPage(rooms, reply, newApplicationPage(view))
    }),
  )

  app.post('/apps/new', async (request, reply) => {
    rooms.formTokens.check(request)
    const session = await rooms.sessions.current(request)
    const input = readApplicationInput(request, emptyInput)
    const formToken = rooms.formTokens.issue(request, reply)
    // What was typed would be lost on the way through the sign-in, so the form is shown again instead.
    if (session === undefined) {
      const view = { person: undefined, formToken, input, errors: [] }
      return sendPortalPage(rooms, reply, newApplicationPage(view), 401)
    }
    const person = personOf(rooms, session, request, reply)
    const outcome = await orErrors(input, () =>
      rooms.applications.register(session.userId, formOf(input), browserInfo(request)),
    )
    if ('errors' in outcome) {
      const view = { person, formToken, input, errors: outcome.errors }
      return sendPortalPage(rooms, reply, newApplicationPage(view), 422)
    }
    const { application, clearTextSecret } = outcome.done
    request.log.info({ applicationId: application.id, userId: session.userId }, 'application registered')
    reply.header('location', `/apps/${application.id}`)
    return sendApplication(rooms, { session, person, request, reply }, application, {
      status: 201,
      clearTextSecret: { clearText: clearTextSecret, because: 'registered' },
    })
  })
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApplicationRefusal } from '../../domain/applications/application-refusal.ts'
import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import { type ApplicationId, parseApplicationId } from '../../domain/ids.ts'
import { activityPerPage } from '../../domain/limits.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { readBefore } from '../../http/components/activity.ts'
import { formOf, orErrors, readApplicationInput } from './application-fields.ts'
import { type ApplicationPageRooms, sendApplication } from './send-application.ts'
import { activityPage } from './views/activity-page.ts'
import { deleteApplicationPage, rotateSecretPage } from './views/danger-page.ts'
import { sendPortalPage, signedIn, type Visit } from './visit.ts'

/** `/apps/{applicationId}` with its settings, activity, secret and deletion; the latter two ask once more. */
export function applicationRoutes(
  app: FastifyInstance,
  rooms: ApplicationPageRooms & { applications: Applications },
): void {
  const { applications } = rooms

  /** @throws ApplicationRefusal `application-unknown`, also for another owner's. */
  function owned({ session, request }: Visit): Promise<OwnedApplication> {
    return applications.owned(session.userId, applicationIdOf(request))
  }

  app.get(
    '/apps/:applicationId',
    signedIn(rooms, async (visit) => {
      const { saved } = visit.request.query as Record<string, unknown>
      return sendApplication(rooms, visit, await owned(visit), { saved: saved === '1' })
    }),
  )

  app.post(
    '/apps/:applicationId',
    signedIn(rooms, async (visit) => {
      const { session, request, reply } = visit
      const application = await owned(visit)
      const input = readApplicationInput(request, application)
      const outcome = await orErrors(input, () =>
        applications.change(session.userId, application.id, formOf(input), browserInfo(request)),
      )
      if ('errors' in outcome) {
        return sendApplication(rooms, visit, application, { status: 422, input, errors: outcome.errors })
      }
      return reply.redirect(`/apps/${application.id}?saved=1`, 303)
    }),
  )

  app.get(
    '/apps/:applicationId/secret',
    signedIn(rooms, async (visit) => {
      const view = { person: visit.person, application: await owned(visit) }
      return sendPortalPage(rooms, visit.reply, rotateSecretPage(view))
    }),
  )

  app.post(
    '/apps/:applicationId/secret',
    signedIn(rooms, async (visit) => {
      const { session, request } = visit
      const rotated = await applications.rotateClientSecret(
        session.userId,
        applicationIdOf(request),
        browserInfo(request),
      )
      request.log.info({ applicationId: rotated.application.id, userId: session.userId }, 'client secret rotated')
      return sendApplication(rooms, visit, rotated.application, {
        clearTextSecret: { clearText: rotated.clearTextSecret, because: 'rotated' },
      })
    }),
  )

  app.get(
    '/apps/:applicationId/activity',
    signedIn(rooms, async (visit) => {
      const { session, person, request, reply } = visit
      const application = await owned(visit)
      const before = readBefore(request.query)
      const page = { before, atMost: activityPerPage }
      const events = await rooms.audit.ofApplication(application.id, session.userId, page)
      const view = { events, reader: session.userId, nowMs: rooms.clock.nowMs(), person, application, before }
      return sendPortalPage(rooms, reply, activityPage(view))
    }),
  )

  app.get(
    '/apps/:applicationId/deletion',
    signedIn(rooms, async (visit) => {
      const view = { person: visit.person, application: await owned(visit) }
      return sendPortalPage(rooms, visit.reply, deleteApplicationPage(view))
    }),
  )

  app.post(
    '/apps/:applicationId/deletion',
    signedIn(rooms, async ({ session, request, reply }) => {
      const id = applicationIdOf(request)
      await applications.remove(session.userId, id, browserInfo(request))
      request.log.info({ applicationId: id, userId: session.userId }, 'application deleted')
      return reply.redirect('/?deleted=1', 303)
    }),
  )
}

/** @throws ApplicationRefusal `application-unknown` for what is no id at all: it names none either. */
function applicationIdOf(request: FastifyRequest): ApplicationId {
  const { applicationId } = request.params as { applicationId: string }
  const id = parseApplicationId(applicationId)
  if (id === undefined) throw new ApplicationRefusal('application-unknown')
  return id
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import { asAttemptId, newAttemptId } from '../../domain/ids.ts'
import { formText } from '../../http/form-fields.ts'
import { generatorAddress, type TryOutChoices } from './authorization-url.ts'
import { applicationIdOf, ownedBy } from './owned-application.ts'
import type { TryOuts } from './try-out.ts'
import { tryOutPage } from './views/try-out-page.ts'
import { sendPortalPage, signedIn, type VisitRooms } from './visit.ts'

export interface TryOutRooms extends VisitRooms {
  applications: Applications
  tryOuts: TryOuts
}

/** `/apps/{applicationId}/try-outs`: an owner walks through the whole flow of an own application and sees each step. */
export function tryOutRoutes(app: FastifyInstance, rooms: TryOutRooms): void {
  const { applications, tryOuts } = rooms

  app.post(
    '/apps/:applicationId/try-outs',
    signedIn(
      rooms,
      async (visit) => {
        const { session, person, request, reply } = visit
        const application = await ownedBy(applications, visit)
        const choices = readTryOutChoices(request)
        const begun = await tryOuts.begin(session, application, newAttemptId(), choices)
        if ('address' in begun) return reply.redirect(begun.address, 303)
        return sendPortalPage(rooms, reply, tryOutPage({ person, application, choices, steps: [begun.refused] }), 422)
      },
      { page: (request) => generatorAddress(applicationIdOf(request), readTryOutChoices(request)) },
    ),
  )

  // Where the flow comes back to. Not for HEAD, by which programs look at addresses: it would use up the code.
  app.get(
    '/apps/:applicationId/try-outs/:attemptId',
    { exposeHeadRoute: false },
    signedIn(rooms, async (visit) => {
      const { session, person, request, reply } = visit
      const application = await ownedBy(applications, visit)
      const { attemptId } = request.params as { attemptId: string }
      const { code, error } = request.query as Record<string, unknown>
      const again = `/apps/${application.id}#generator`
      // Opened anew: what it showed is not kept.
      if (code === undefined && error === undefined) return reply.redirect(again, 302)
      const finished = await tryOuts.finish(session, application, asAttemptId(attemptId), {
        url: request.url,
        clearTextCode: typeof code === 'string' ? code : undefined,
        error: typeof error === 'string' ? error : undefined,
      })
      if (finished === undefined) return reply.redirect(again, 302)
      const refused = finished.steps.find((step) => step.refused !== undefined)?.refused
      request.log.info({ applicationId: application.id, userId: session.userId, refused }, 'application tried out')
      return sendPortalPage(rooms, reply, tryOutPage({ person, application, ...finished }))
    }),
  )
}

function readTryOutChoices(request: FastifyRequest): TryOutChoices {
  return {
    scopes: formText(request, 'scope')
      .split(' ')
      .filter((scope) => scope !== ''),
    state: formText(request, 'state'),
    skipConsent: formText(request, 'consent') === 'skip',
  }
}

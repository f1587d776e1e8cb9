import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import type { TryOutResults } from '../../domain/applications/try-out-results.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { type AttemptId, asAttemptId, newAttemptId } from '../../domain/ids.ts'
import { formText, formTexts } from '../../pages/form-posts.ts'
import { pathOf, type SignedInRequest } from '../../pages/page-guard.ts'
import { applicationIdOf, onApplication, type PortalPageServices } from './application-pages.ts'
import { describedScopes, readUrlChoices, type TryOutChoices, tryItAddress } from './authorization-url.ts'
import type { TryOutResult, TryOuts } from './try-out.ts'
import { tryItPage, tryOutPage } from './try-out-pages.ts'

export interface TryOutServices extends PortalPageServices {
  applications: Applications
  authorization: Pick<Authorization, 'scopes'>
  tryOutResults: TryOutResults
  tryOuts: TryOuts
}

export function tryOutRoutes(app: FastifyInstance, services: TryOutServices): void {
  const { tryOuts, tryOutResults } = services

  /**
   * Stores the result encrypted, so that only its owner can read it, and redirects to the page that shows it. Reloading
   * that page neither redeems the code nor posts the form again.
   */
  async function redirectToResult(
    { session, request, reply }: SignedInRequest,
    attemptId: AttemptId,
    result: TryOutResult,
  ) {
    const page = `/apps/${applicationIdOf(request)}/try-outs/${attemptId}`
    const id = await tryOutResults.keep(session.userId, page, JSON.stringify(result))
    const address = id === undefined ? startOf(request) : `${page}?result=${id}`
    return reply.header('cache-control', 'no-store').redirect(address, 303)
  }

  app.get(
    '/apps/:applicationId/try-outs',
    onApplication(services)(async (visit) => {
      const scopes = await describedScopes(services)
      const names = scopes.map(({ name }) => name)
      const choices = readUrlChoices(visit.request, visit.application, names)
      return visit.send(tryItPage(visit, services.baseUrl, scopes, choices))
    }),
  )

  app.post(
    '/apps/:applicationId/try-outs',
    onApplication(services, { page: (request) => tryItAddress(applicationIdOf(request), readTryOutChoices(request)) })(
      async (visit) => {
        const { application } = visit
        const choices = readTryOutChoices(visit.request)
        const attemptId = newAttemptId()
        const begun = await tryOuts.begin(visit.session, application, attemptId, choices)
        if ('address' in begun) return visit.reply.redirect(begun.address, 303)
        return redirectToResult(visit, attemptId, { choices, steps: [begun.refused] })
      },
    ),
  )

  // The try-out's redirect URI. No HEAD route, because a HEAD request would run this handler and redeem the code.
  app.get(
    '/apps/:applicationId/try-outs/:attemptId',
    { exposeHeadRoute: false },
    onApplication(services)(async (visit) => {
      const { session, application, request, reply, send } = visit
      const { attemptId } = request.params as { attemptId: string }
      const { code, error, result } = request.query as Record<string, unknown>
      if (typeof result === 'string') {
        const kept = await tryOutResults.find(session.userId, result, pathOf(request.url))
        if (kept === undefined) return reply.redirect(startOf(request), 302)
        return send(tryOutPage(visit, services.baseUrl, JSON.parse(kept) as TryOutResult))
      }
      if (code === undefined && error === undefined) return reply.redirect(startOf(request), 302)
      const finished = await tryOuts.finish(session, application, asAttemptId(attemptId), {
        url: request.url,
        clearTextCode: typeof code === 'string' ? code : undefined,
        error: typeof error === 'string' ? error : undefined,
      })
      if (finished === undefined) return reply.redirect(startOf(request), 302)
      const refused = finished.steps.find((step) => step.refused !== undefined)?.refused
      request.log.info(
        { applicationId: application.id, userId: session.userId, refused },
        'application try-out finished',
      )
      return redirectToResult(visit, asAttemptId(attemptId), finished)
    }),
  )
}

function startOf(request: FastifyRequest): string {
  return `/apps/${applicationIdOf(request)}/try-outs`
}

function readTryOutChoices(request: FastifyRequest): TryOutChoices {
  return {
    scopes: formTexts(request, 'scope').flatMap((scopes) => scopes.split(' ').filter((scope) => scope !== '')),
    state: formText(request, 'state'),
    skipConsent: formText(request, 'consent') === 'skip',
  }
}

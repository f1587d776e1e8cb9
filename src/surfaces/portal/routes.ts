import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../../domain/accounts/accounts.ts'
import { ApplicationRefusal } from '../../domain/applications/application-refusal.ts'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { describeScopes } from '../../domain/authorization/scope-descriptions.ts'
import type { Clock } from '../../domain/clock.ts'
import { type ApplicationId, parseApplicationId } from '../../domain/ids.ts'
import { takeForms } from '../../http/form-fields.ts'
import type { Html } from '../../http/html.ts'
import { sendPage } from '../../http/page.ts'
import { emptyInput, errorsOf, type FieldErrors, formOf, inputOf, readApplicationInput } from './application-fields.ts'
import { readUrlChoices } from './authorization-url.ts'
import { type PortalSignInRooms, signInRoutes } from './sign-in-routes.ts'
import { applicationListPage } from './views/application-list-page.ts'
import { type ApplicationView, applicationPage } from './views/application-page.ts'
import { deleteApplicationPage, rotateSecretPage } from './views/danger-page.ts'
import { newApplicationPage } from './views/new-application-page.ts'
import type { PortalPerson } from './views/portal-frame.ts'
import { unknownApplicationPage } from './views/sign-in-pages.ts'

export interface PortalRooms extends PortalSignInRooms {
  clock: Clock
}

/** Somebody signed in, at work on one page. */
interface Visit {
  session: Session
  person: PortalPerson
  request: FastifyRequest
  reply: FastifyReply
}

/** The developer portal: `/`, `/apps/new`, `/apps/{applicationId}`, and its own sign-in. */
export function portalSurface(rooms: PortalRooms): FastifyPluginAsync {
  const { applications } = rooms

  /** Leads whoever is not signed in to the sign-in, and back to this page. */
  function signedIn(work: (visit: Visit) => Promise<FastifyReply>) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (request.method === 'POST') rooms.formTokens.check(request)
      const session = await rooms.sessions.current(request)
      if (session === undefined) return toSignIn(request, reply)
      return work({ session, person: personOf(session, request, reply), request, reply })
    }
  }

  function toSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // Every address that takes a post also has a page, so the way back is the same.
    const address = rooms.signIn.begin(request, reply, request.url)
    return reply.header('cache-control', 'no-store').redirect(address, request.method === 'POST' ? 303 : 302)
  }

  function personOf(session: Session, request: FastifyRequest, reply: FastifyReply): PortalPerson {
    return { name: session.userName, signOutAction: '/sign-out', formToken: rooms.formTokens.issue(request, reply) }
  }

  /** A form may lead to the sign-in when the session has ended meanwhile. */
  function send(reply: FastifyReply, content: Html, status = 200): FastifyReply {
    return sendPage(reply, content, { status, formOrigins: [rooms.baseUrl] })
  }

  /** @throws ApplicationRefusal `application-unknown`, also for another owner's. */
  function owned({ session, request }: Visit): Promise<OwnedApplication> {
    return applications.owned(session.userId, applicationIdOf(request))
  }

  async function sendApplication(
    { person, request, reply }: Visit,
    application: OwnedApplication,
    more: Partial<ApplicationView> & { status?: number } = {},
  ): Promise<FastifyReply> {
    const descriptions = describeScopes(await rooms.authorization.declaredScopes())
    const scopes = Object.entries(descriptions).map(([name, inWords]) => ({ name, inWords }))
    const view: ApplicationView = {
      person,
      application,
      nowMs: rooms.clock.nowMs(),
      baseUrl: rooms.baseUrl,
      saved: false,
      input: inputOf(application),
      errors: [],
      scopes,
      choices: readUrlChoices(request, application, Object.keys(descriptions)),
      ...more,
    }
    return send(reply, applicationPage(view), more.status)
  }

  return async (app) => {
    await takeForms(app)
    answerUnknownApplications(app, async (request, reply) => {
      const session = await rooms.sessions.current(request)
      if (session === undefined) return toSignIn(request, reply)
      return send(reply, unknownApplicationPage(personOf(session, request, reply)), 404)
    })
    signInRoutes(app, rooms)

    app.get(
      '/',
      signedIn(async ({ session, person, request, reply }) => {
        const { deleted } = request.query as Record<string, unknown>
        const view = { person, applications: await applications.listOwned(session.userId), nowMs: rooms.clock.nowMs() }
        return send(reply, applicationListPage({ ...view, deleted: deleted === '1' }))
      }),
    )

    app.get(
      '/apps/new',
      signedIn(async ({ person, reply }) =>
        send(reply, newApplicationPage({ person, formToken: person.formToken, input: emptyInput, errors: [] })),
      ),
    )

    app.post('/apps/new', async (request, reply) => {
      rooms.formTokens.check(request)
      const session = await rooms.sessions.current(request)
      const input = readApplicationInput(request, 'production')
      const formToken = rooms.formTokens.issue(request, reply)
      // What was typed would be lost on the way through the sign-in, so the form is shown again instead.
      if (session === undefined) {
        return send(reply, newApplicationPage({ person: undefined, formToken, input, errors: [] }), 401)
      }
      const person = personOf(session, request, reply)
      const outcome = await orErrors(input.environment, () => applications.register(session.userId, formOf(input)))
      if ('errors' in outcome) {
        return send(reply, newApplicationPage({ person, formToken, input, errors: outcome.errors }), 422)
      }
      const { application, clearTextSecret } = outcome.done
      request.log.info({ applicationId: application.id, userId: session.userId }, 'application registered')
      return sendApplication({ session, person, request, reply }, application, {
        status: 201,
        clearTextSecret: { clearText: clearTextSecret, because: 'registered' },
      })
    })

    app.get(
      '/apps/:applicationId',
      signedIn(async (visit) => {
        const { saved } = visit.request.query as Record<string, unknown>
        return sendApplication(visit, await owned(visit), { saved: saved === '1' })
      }),
    )

    app.post(
      '/apps/:applicationId',
      signedIn(async (visit) => {
        const application = await owned(visit)
        const input = readApplicationInput(visit.request, application.environment)
        const outcome = await orErrors(input.environment, () =>
          applications.change(visit.session.userId, application.id, formOf(input)),
        )
        if ('errors' in outcome) {
          return sendApplication(visit, application, { status: 422, input, errors: outcome.errors })
        }
        return visit.reply.redirect(`/apps/${application.id}?saved=1`, 303)
      }),
    )

    app.get(
      '/apps/:applicationId/secret',
      signedIn(async (visit) => {
        const view = { person: visit.person, application: await owned(visit) }
        return send(visit.reply, rotateSecretPage(view))
      }),
    )

    app.post(
      '/apps/:applicationId/secret',
      signedIn(async (visit) => {
        const { session, request } = visit
        const rotated = await applications.rotateClientSecret(session.userId, applicationIdOf(request))
        request.log.info({ applicationId: rotated.application.id, userId: session.userId }, 'client secret rotated')
        return sendApplication(visit, rotated.application, {
          clearTextSecret: { clearText: rotated.clearTextSecret, because: 'rotated' },
        })
      }),
    )

    app.get(
      '/apps/:applicationId/deletion',
      signedIn(async (visit) => {
        const view = { person: visit.person, application: await owned(visit) }
        return send(visit.reply, deleteApplicationPage(view))
      }),
    )

    app.post(
      '/apps/:applicationId/deletion',
      signedIn(async ({ session, request, reply }) => {
        const id = applicationIdOf(request)
        await applications.remove(session.userId, id)
        request.log.info({ applicationId: id, userId: session.userId }, 'application deleted')
        return reply.redirect('/?deleted=1', 303)
      }),
    )
  }
}

/** @throws ApplicationRefusal `application-unknown` for what is no id at all: it names none either. */
function applicationIdOf(request: FastifyRequest): ApplicationId {
  const { applicationId } = request.params as { applicationId: string }
  const id = parseApplicationId(applicationId)
  if (id === undefined) throw new ApplicationRefusal('application-unknown')
  return id
}

/** Does the work, or tells what is wrong with the form it was given. */
async function orErrors<Done>(
  environment: OwnedApplication['environment'],
  work: () => Promise<Done>,
): Promise<{ done: Done } | { errors: FieldErrors }> {
  try {
    return { done: await work() }
  } catch (error) {
    if (!(error instanceof ApplicationRefusal) || error.faults.length === 0) throw error
    return { errors: errorsOf(error, environment) }
  }
}

function answerUnknownApplications(
  app: Parameters<FastifyPluginAsync>[0],
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.setErrorHandler((error: FastifyError | ApplicationRefusal, request, reply) => {
    if (error instanceof ApplicationRefusal && error.reason === 'application-unknown') return answer(request, reply)
    // To the handler of the host, which makes a page of everything else.
    throw error
  })
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApplicationRefusal, type ApplicationRefusalReason } from '../../domain/applications/application-refusal.ts'
import * as limits from '../../domain/limits/limits.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { formText } from '../../pages/form-posts.ts'
import { t, type Words } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import {
  type ApplicationPageServices,
  applicationIdOf,
  ownedApplicationIn,
  sendApplication,
  sendPortalPage,
  withOwnedApplication,
} from './application-pages.ts'
import { revokeSecretPage, rotateSecretPage } from './views/confirmation-pages.ts'
import { newSecretPage } from './views/new-secret-page.ts'
import { secretPagesWords } from './words/secrets.ts'

/**
 * Registers `/apps/{applicationId}/secret`, which rotates the client secret, and `/apps/{applicationId}/secrets`, which
 * adds a secret or revokes one of two.
 */
export function secretRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  const { applications, clock } = services

  app.get(
    '/apps/:applicationId/secret',
    withOwnedApplication(services, async ({ person, reply }, application) =>
      sendPortalPage(services, reply, rotateSecretPage({ person, application })),
    ),
  )

  app.post(
    '/apps/:applicationId/secret',
    services.guard.signedIn(async (visit) => {
      const { session, request } = visit
      const id = applicationIdOf(request)
      const rotated = await applications.secrets.rotate(session.userId, id, browserInfo(request))
      request.log.info({ applicationId: id, userId: session.userId }, 'client secret rotated')
      return sendApplication(services, visit, rotated.application, {
        clearTextSecret: { clearText: rotated.clearTextSecret, because: 'rotated' },
      })
    }),
  )

  app.get(
    '/apps/:applicationId/secrets',
    services.guard.signedIn(async (visit) => sendNewSecret(visit)),
  )

  app.post(
    '/apps/:applicationId/secrets',
    services.guard.signedIn(async (visit) => {
      const { session, request } = visit
      const id = applicationIdOf(request)
      const label = formText(request, 'label')
      return unlessRefused(
        async () => {
          const by = { label, origin: browserInfo(request) }
          const made = await applications.secrets.add(session.userId, id, by)
          request.log.info({ applicationId: id, userId: session.userId }, 'client secret created')
          return sendApplication(services, visit, made.application, {
            clearTextSecret: { clearText: made.clearTextSecret, because: 'added' },
          })
        },
        (error) => sendNewSecret(visit, { label, error, status: 422 }),
      )
    }),
  )

  app.get(
    '/apps/:applicationId/secrets/:number/revocation',
    withOwnedApplication(services, async (visit, application) => {
      const ends = application.secrets.find(({ number }) => number === numberOf(visit))
      const stays = application.secrets.find((secret) => secret !== ends)
      if (ends === undefined) return sendRefusal(visit, t`This secret no longer exists. Nothing was changed.`)
      if (stays === undefined) return sendRefusal(visit, secretPagesWords.secretNeeded)
      const view = { person: visit.person, application, ends, stays, nowMs: clock.nowMs() }
      return sendPortalPage(services, visit.reply, revokeSecretPage(view))
    }),
  )

  app.post(
    '/apps/:applicationId/secrets/:number/revocation',
    services.guard.signedIn(async (visit) => {
      const { session, request } = visit
      const id = applicationIdOf(request)
      return unlessRefused(
        async () => {
          const by = { number: numberOf(visit), origin: browserInfo(request) }
          const application = await applications.secrets.revoke(session.userId, id, by)
          request.log.info({ applicationId: id, userId: session.userId }, 'client secret revoked')
          return sendApplication(services, visit, application, {
            done: { tone: 'good', body: t`Secret revoked.` },
          })
        },
        (error) => sendRefusal(visit, error),
      )
    }),
  )

  async function sendNewSecret(
    visit: SignedInRequest,
    { label = '', error, status = 200 }: { label?: string; error?: Words; status?: number } = {},
  ): Promise<FastifyReply> {
    const application = await ownedApplicationIn(applications, visit)
    return sendPortalPage(
      services,
      visit.reply,
      newSecretPage({ person: visit.person, application, label, error }),
      status,
    )
  }

  async function sendRefusal(visit: SignedInRequest, error: Words): Promise<FastifyReply> {
    const application = await ownedApplicationIn(applications, visit)
    return sendApplication(services, visit, application, { status: 409, done: { tone: 'bad', body: error } })
  }
}

/** Returns the secret's number from the URL. If it is malformed, returns 0, which no secret has. */
function numberOf({ request }: SignedInRequest): number {
  const { number } = request.params as { number: string }
  return /^\d{1,15}$/.test(number) ? Number(number) : 0
}

async function unlessRefused(
  work: () => Promise<FastifyReply>,
  otherwise: (error: Words) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    const said = error instanceof ApplicationRefusal ? refusals[error.reason] : undefined
    if (said === undefined) throw error
    return otherwise(said)
  }
}

const refusals: Partial<Record<ApplicationRefusalReason, Words>> = {
  'secret-label-missing': t`Enter a label to tell the two secrets apart.`,
  'secret-label-too-long': t`Use at most ${limits.secretLabelMaxCharacters} characters.`,
  'secrets-too-many': t`You already have two secrets. Revoke one first.`,
  'secret-unknown': t`This secret no longer exists. Nothing was changed.`,
  'secret-needed': secretPagesWords.secretNeeded,
}

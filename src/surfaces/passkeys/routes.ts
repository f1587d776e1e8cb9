import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import { PasskeyRefusal } from '../../domain/accounts/passkeys/passkeys.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Mount } from '../../http/new-app.ts'
import { type FormResult, noErrors, resultOfRefusal } from '../../pages/account-form.ts'
import { formText } from '../../pages/form-posts.ts'
import type { Text } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { passkeyError } from '../../pages/passkey-form.ts'
import { ceremonyRoutes, type PasskeyServices } from './ceremony-routes.ts'
import { type Done, passkeyPage, passkeysPage } from './views/passkeys-pages.ts'

interface Refused {
  status: number
  message: Text
}

const signInAgainAddress = '/account/passkeys/sign-in'

/**
 * Registers `/account/passkeys`: the list, a page per passkey for renaming or removing it, and signing in again if the
 * session is too old for changes. {@link ceremonyRoutes} registers the endpoints for adding and using passkeys.
 */
export function passkeysSurface(services: PasskeyServices): Mount {
  const { guard } = services
  return (app) => {
    app.register(ceremonyRoutes(services))
    app.get(
      '/account/passkeys',
      guard.signedIn(async (visit) => sendList(services, visit, noErrors)),
    )

    app.post(
      signInAgainAddress,
      guard.signedIn(
        async (visit) => {
          const { session, request, reply } = visit
          const form = { email: session.email ?? '', clearTextPassword: formText(request, 'password') }
          try {
            const started = await services.accounts.passwords.signIn(form, browserInfo(request))
            await services.sessions.replace(request, reply, started)
          } catch (error) {
            if (!(error instanceof AccountRefusal)) throw error
            // The email address comes from the session, so only the password can be wrong.
            const wrong = error.reason === 'credentials-wrong' ? new AccountRefusal('password-wrong') : error
            return sendList(services, visit, resultOfRefusal(reply, wrong))
          }
          return reply.redirect('/account/passkeys', 303)
        },
        { page: () => '/account/passkeys' },
      ),
    )

    app.get(
      '/account/passkeys/:number',
      guard.signedIn(async (visit) => sendPasskey(services, visit, undefined)),
    )

    app.post(
      '/account/passkeys/:number',
      guard.signedIn(async (visit) =>
        applyChange(services, visit, 'renamed', () =>
          services.passkeys.rename(visit.session, numberIn(visit.request), formText(visit.request, 'name')),
        ),
      ),
    )

    app.post(
      '/account/passkeys/:number/removal',
      guard.signedIn(
        async (visit) =>
          applyChange(services, visit, 'removed', () =>
            services.passkeys.remove(visit.session, numberIn(visit.request)),
          ),
        { page: (request) => `/account/passkeys/${numberIn(request)}` },
      ),
    )
  }
}

/** Applies the change and redirects to the list. If the change is refused, the passkey's page shows why. */
async function applyChange(services: PasskeyServices, visit: SignedInRequest, done: Done, change: () => Promise<void>) {
  try {
    await change()
  } catch (error) {
    if (!(error instanceof PasskeyRefusal)) throw error
    visit.request.log.info({ reason: error.reason, user: visit.session.userId }, 'passkey refused')
    if (error.reason === 'sign-in-again') return visit.reply.redirect('/account/passkeys', 303)
    return sendPasskey(services, visit, passkeyError(error.reason))
  }
  return services.flash.redirect(visit.reply, '/account/passkeys', done)
}

function numberIn(request: FastifyRequest): number {
  const { number } = request.params as { number: string }
  return /^[0-9]{1,15}$/.test(number) ? Number(number) : 0
}

async function sendList(
  services: PasskeyServices,
  visit: SignedInRequest,
  { status, errors }: FormResult,
): Promise<FastifyReply> {
  const { request, reply, session } = visit
  const done = services.flash.take(request, reply)
  const view = passkeysPage({
    person: visit.person,
    passkeys: await services.passkeys.list(session.userId),
    nowMs: services.clock.nowMs(),
    done: (['added', 'renamed', 'removed'] as const).find((word) => word === done),
    signInAgain: services.passkeys.isRecent(session)
      ? null
      : { action: signInAgainAddress, byPassword: session.hasPassword && session.email !== null, errors },
  })
  return sendPage(reply, view, { status })
}

async function sendPasskey(
  services: PasskeyServices,
  visit: SignedInRequest,
  refused: Refused | undefined,
): Promise<FastifyReply> {
  const { request, reply, session } = visit
  const passkeys = await services.passkeys.list(session.userId)
  const passkey = passkeys.find(({ number }) => number === numberIn(request))
  if (passkey === undefined) {
    reply.callNotFound()
    return reply
  }
  const view = passkeyPage({
    person: visit.person,
    passkey,
    nowMs: services.clock.nowMs(),
    removable: services.passkeys.isRecent(session),
    error: refused?.message,
  })
  return sendPage(reply, view, { status: refused?.status ?? 200 })
}

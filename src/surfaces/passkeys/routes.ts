import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import { PasskeyRefusal } from '../../domain/accounts/passkeys/passkeys.ts'
import type { Mount } from '../../http/new-app.ts'
import { rejectionOf } from '../../pages/account-refusals.ts'
import { type Done, done } from '../../pages/flash.ts'
import { formPost, type Rejection } from '../../pages/form-routes.ts'
import { t } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { passkeyError } from '../../pages/passkey-form.ts'
import { ceremonyRoutes, type PasskeyServices } from './ceremony-routes.ts'
import { passkeyPage, passkeysPage, renameForm, signInAgainForm } from './views/passkeys-pages.ts'

const listAddress = '/account/passkeys'
const signInAgainAddress = '/account/passkeys/sign-in'
const renamed = done(t`Name saved.`)
const removed = done(t`Passkey removed. You can delete it from your device too.`)

/**
 * Registers `/account/passkeys`: the list, a page per passkey for renaming or removing it, and signing in again if the
 * session is too old for changes. {@link ceremonyRoutes} registers the endpoints for adding and using passkeys.
 */
export function passkeysSurface(services: PasskeyServices): Mount {
  const { guard, passkeys } = services
  return (app) => {
    app.register(ceremonyRoutes(services))
    app.get(
      listAddress,
      guard.signedIn(async (visit) => sendList(services, visit)),
    )

    formPost(app, signInAgainAddress, (work) => guard.signedIn(work, { page: () => listAddress }), {
      form: signInAgainForm,
      errors(error, { reply }) {
        if (!(error instanceof AccountRefusal)) throw error
        // The email address comes from the session, so only the password can be wrong.
        const wrong = error.reason === 'credentials-wrong' ? new AccountRefusal('password-wrong') : error
        return rejectionOf(reply, wrong)
      },
      show: (visit, rejected) => sendList(services, visit, rejected),
      async post({ session, by, request, reply }, { password: clearTextPassword }) {
        const credentials = { email: session.email ?? '', clearTextPassword }
        const started = await services.accounts.passwords.signIn(credentials, by.origin)
        await services.sessions.replace(request, reply, started)
        return reply.redirect(listAddress, 303)
      },
    })

    app.get(
      '/account/passkeys/:number',
      guard.signedIn(async (visit) => sendPasskey(services, visit)),
    )

    app.post(
      '/account/passkeys/:number',
      guard.signedIn(async (visit) => {
        const { name } = renameForm.read(visit.request)
        return applyChange(services, visit, renamed, () =>
          passkeys.rename(visit.session, numberIn(visit.request), name),
        )
      }),
    )

    app.post(
      '/account/passkeys/:number/removal',
      guard.signedIn(
        async (visit) =>
          applyChange(services, visit, removed, () => passkeys.remove(visit.session, numberIn(visit.request))),
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
    if (error.reason === 'sign-in-again') return visit.reply.redirect(listAddress, 303)
    const { status, message } = passkeyError(error.reason)
    return sendPasskey(services, visit, { status, errors: [{ message }] })
  }
  return visit.redirect(listAddress, done)
}

function numberIn(request: FastifyRequest): number {
  const { number } = request.params as { number: string }
  return /^[0-9]{1,15}$/.test(number) ? Number(number) : 0
}

async function sendList(
  { passkeys, clock }: PasskeyServices,
  { person, session, send, done }: SignedInRequest,
  { status, errors }: Partial<Rejection> = {},
): Promise<FastifyReply> {
  const byPassword = session.hasPassword && session.email !== null
  const view = passkeysPage({
    person,
    passkeys: await passkeys.list(session.userId),
    nowMs: clock.nowMs(),
    done,
    signInAgain: passkeys.isRecent(session) ? null : { action: signInAgainAddress, byPassword, errors: errors ?? [] },
  })
  return send(view, status)
}

async function sendPasskey(
  { passkeys, clock }: PasskeyServices,
  { person, request, reply, session, send }: SignedInRequest,
  { status, errors = [] }: Partial<Rejection> = {},
): Promise<FastifyReply> {
  const passkey = (await passkeys.list(session.userId)).find(({ number }) => number === numberIn(request))
  if (passkey === undefined) {
    reply.callNotFound()
    return reply
  }
  const removable = passkeys.isRecent(session)
  return send(passkeyPage({ person, passkey, nowMs: clock.nowMs(), removable, errors }), status)
}

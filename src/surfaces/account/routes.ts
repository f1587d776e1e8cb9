import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import type { LinkedAccounts } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { PasskeyRefusal } from '../../domain/accounts/passkeys/passkey-refusal.ts'
import type { Passkeys } from '../../domain/accounts/passkeys/passkeys.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Clock } from '../../domain/clock.ts'
import { answerAccountRefusal, type FormErrors, noErrors, pinsDiffer } from '../../pages/account-errors.ts'
import { formText, takeForms } from '../../pages/form-fields.ts'
import type { FormTokens } from '../../pages/form-token.ts'
import type { KeptInput } from '../../pages/html.ts'
import { type KeptFormServices, keptInputOf, leadToSignIn } from '../../pages/kept-form.ts'
import { formOrigins, keepingOnward, type Onward, onwardAddress, onwardInAddress } from '../../pages/onward.ts'
import { sendPage } from '../../pages/page.ts'
import { passkeyError } from '../../pages/passkey-errors.ts'
import { accessOf } from './access-routes.ts'
import { sayDone } from './account-visit.ts'
import { latestActivity } from './activity-routes.ts'
import { accountPage } from './views/account-page.ts'
import type { AttemptAhead } from './views/cancel-form.ts'
import { pinPage } from './views/pin-page.ts'
import { unlockPage } from './views/unlock-page.ts'

export interface AccountServices extends KeptFormServices {
  accounts: Accounts
  audit: Audit
  passkeys: Passkeys
  linkedAccounts: LinkedAccounts
  authorization: Pick<Authorization, 'attempts' | 'consents' | 'scopes'>
  formTokens: FormTokens
  clock: Clock
}

/** A signed-in person at one of these pages. */
interface Visit {
  request: FastifyRequest
  reply: FastifyReply
  session: Session
  onward: Onward
  kept: KeptInput | undefined
}

/** What a page shows beyond its empty form, after a refusal. */
interface Refused {
  status: number
  errors: FormErrors
}

const untouched: Refused = { status: 200, errors: noErrors }

/** `/account`, `/account/pin` and `/unlock` on the identity surface; whoever is signed out signs in first. */
export function accountSurface(services: AccountServices): FastifyPluginAsync {
  return async (app) => {
    await takeForms(app)

    app.get('/account', async (request, reply) => {
      const visit = await signedIn(services, request, reply)
      const user = visit && (await services.accounts.users.find(visit.session.userId))
      if (visit === undefined || user === undefined) return reply
      const view = accountPage({
        person: personOf(services, visit),
        user,
        pinUnlocked: visit.session.pinUnlocked,
        access: await accessOf(services, visit.session),
        byMail: services.accounts.recovery.byMail,
        done: services.flash.take(request, reply),
        nowMs: services.clock.nowMs(),
        passkeys: await services.passkeys.list(user.id),
        linked: {
          providers: services.linkedAccounts.providers,
          accounts: await services.linkedAccounts.list(user.id),
        },
        activity: await latestActivity(services, user.id),
      })
      return sendPage(reply, view)
    })

    app.get('/unlock', async (request, reply) => {
      const visit = await signedIn(services, request, reply)
      if (visit === undefined) return reply
      if (!visit.session.hasPin) return reply.redirect(keepingOnward('/account/pin', visit.onward), 302)
      if (visit.session.pinUnlocked) return reply.redirect(onwardAddress(visit.onward), 302)
      return sendUnlock(services, visit, untouched)
    })

    app.post('/unlock', async (request, reply) => {
      services.formTokens.check(request)
      const visit = await signedIn(services, request, reply)
      if (visit === undefined) return reply
      try {
        await services.accounts.pin.unlock(visit.session, formText(request, 'pin'))
      } catch (error) {
        return sendUnlock(services, visit, refused(error, visit))
      }
      return reply.redirect(onwardAddress(visit.onward), 303)
    })

    app.get('/account/pin', async (request, reply) => {
      const visit = await signedIn(services, request, reply)
      return visit === undefined ? reply : sendPin(services, visit, untouched)
    })

    app.post('/account/pin', async (request, reply) => {
      services.formTokens.check(request)
      const visit = await signedIn(services, request, reply)
      if (visit === undefined) return reply
      if (formText(request, 'pin') !== formText(request, 'pin_again')) {
        return sendPin(services, visit, { status: 422, errors: pinsDiffer })
      }
      try {
        await setPin(services, visit)
      } catch (error) {
        return sendPin(services, visit, refused(error, visit))
      }
      const address = onwardAddress(visit.onward)
      return address === '/account' ? sayDone(services, reply, 'pin') : reply.redirect(address, 303)
    })
  }
}

/** The visit, or undefined when the browser was sent to sign in. */
async function signedIn(
  services: AccountServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit | undefined> {
  const onward = await onwardInAddress(request, services.authorization)
  const session = await services.sessions.current(request)
  if (session !== undefined) {
    return { request, reply, session, onward, kept: await keptInputOf(services, request, session) }
  }
  // On the way of an attempt the flow itself leads back here.
  if (onward.attempt === undefined) await leadToSignIn(services, request, reply)
  else reply.redirect(keepingOnward('/sign-in', onward), request.method === 'GET' ? 302 : 303)
  return undefined
}

/** Sets the PIN in the form, which comes with a passkey's signature or with the password. */
async function setPin(services: AccountServices, { request, session }: Visit): Promise<void> {
  const clearTextPin = formText(request, 'pin')
  const signature = formText(request, 'passkey')
  if (signature === '') {
    return services.accounts.pin.set(session, { clearTextPin, clearTextPassword: formText(request, 'password') })
  }
  // The form token, checked before, is derived from a cookie that only this browser has.
  await services.passkeys.prove(session, formText(request, 'form_token'), signature)
  return services.accounts.pin.setProven(session, clearTextPin)
}

/** @throws the error itself, when it is not a refusal. */
function refused(error: unknown, { request, reply, session }: Visit): Refused {
  if (error instanceof PasskeyRefusal) {
    request.log.info({ reason: error.reason, detail: error.detail, user: session.userId }, 'passkey refused')
    const { status, message } = passkeyError(error.reason)
    return { status, errors: { fields: {}, form: message } }
  }
  if (!(error instanceof AccountRefusal)) throw error
  request.log.info({ reasons: error.reasons, user: session.userId }, 'PIN refused')
  return answerAccountRefusal(reply, error)
}

function personOf(services: AccountServices, { request, reply, session, onward, kept }: Visit) {
  return {
    name: session.userName,
    signOutAction: keepingOnward('/sign-out', onward),
    formToken: services.formTokens.issue(request, reply),
    kept,
  }
}

async function sendUnlock(services: AccountServices, visit: Visit, { status, errors }: Refused): Promise<FastifyReply> {
  const { session, onward } = visit
  const replacedBy = session.hasPassword ? 'password' : (await hasPasskey(services, session)) ? 'passkey' : null
  const view = unlockPage({
    person: personOf(services, visit),
    action: keepingOnward('/unlock', onward),
    replacing: replacedBy && { by: replacedBy, address: keepingOnward('/account/pin', onward) },
    ahead: aheadOf(visit),
    errors,
  })
  return sendPage(visit.reply, view, { status, formOrigins: formOrigins(onward) })
}

function aheadOf({ session, onward: { attempt } }: Visit): AttemptAhead | undefined {
  return attempt && { id: attempt.id, userId: session.userId, applicationName: attempt.application.name }
}

async function hasPasskey(services: AccountServices, session: Session): Promise<boolean> {
  return (await services.passkeys.list(session.userId)).length > 0
}

async function sendPin(services: AccountServices, visit: Visit, { status, errors }: Refused): Promise<FastifyReply> {
  const { session, onward } = visit
  const proofNeeded = session.hasPassword || (session.hasPin && !session.pinUnlocked)
  const view = pinPage({
    person: personOf(services, visit),
    action: keepingOnward('/account/pin', onward),
    hasPin: session.hasPin,
    asksPassword: session.hasPassword,
    takesPasskey: proofNeeded && (await hasPasskey(services, session)),
    ahead: aheadOf(visit),
    errors,
  })
  return sendPage(visit.reply, view, { status, formOrigins: formOrigins(onward) })
}

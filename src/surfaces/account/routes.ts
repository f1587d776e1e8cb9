import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import type { LinkedAccounts } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { PasskeyRefusal } from '../../domain/accounts/passkeys/passkey-refusal.ts'
import type { Passkeys } from '../../domain/accounts/passkeys/passkeys.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Clock } from '../../domain/clock.ts'
import type { Mount } from '../../http/new-app.ts'
import { answerAccountRefusal, type FormErrors, noErrors, pinsDiffer } from '../../pages/account-errors.ts'
import { formText } from '../../pages/form-fields.ts'
import type { FormTokens } from '../../pages/form-token.ts'
import type { KeptInput } from '../../pages/html.ts'
import { type KeptFormRooms, keptInputOf, leadToSignIn } from '../../pages/kept-form.ts'
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

export interface AccountRooms extends KeptFormRooms {
  accounts: Accounts
  audit: Audit
  passkeys: Passkeys
  linkedAccounts: LinkedAccounts
  authorization: Authorization
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
export function accountSurface(rooms: AccountRooms): Mount {
  return (app) => {
    app.get('/account', async (request, reply) => {
      const visit = await signedIn(rooms, request, reply)
      const user = visit && (await rooms.accounts.user(visit.session.userId))
      if (visit === undefined || user === undefined) return reply
      const view = accountPage({
        person: personOf(rooms, visit),
        user,
        pinUnlocked: visit.session.pinUnlocked,
        access: await accessOf(rooms, visit.session),
        byMail: rooms.accounts.recovery.byMail,
        done: rooms.flash.take(request, reply),
        nowMs: rooms.clock.nowMs(),
        passkeys: await rooms.passkeys.list(user.id),
        linked: {
          providers: rooms.linkedAccounts.providers,
          accounts: await rooms.linkedAccounts.list(user.id),
        },
        activity: await latestActivity(rooms, user.id),
      })
      return sendPage(reply, view)
    })

    app.get('/unlock', async (request, reply) => {
      const visit = await signedIn(rooms, request, reply)
      if (visit === undefined) return reply
      if (!visit.session.hasPin) return reply.redirect(keepingOnward('/account/pin', visit.onward), 302)
      if (visit.session.pinUnlocked) return reply.redirect(onwardAddress(visit.onward), 302)
      return sendUnlock(rooms, visit, untouched)
    })

    app.post('/unlock', async (request, reply) => {
      rooms.formTokens.check(request)
      const visit = await signedIn(rooms, request, reply)
      if (visit === undefined) return reply
      try {
        await rooms.accounts.unlockPin(visit.session, formText(request, 'pin'))
      } catch (error) {
        return sendUnlock(rooms, visit, refused(error, visit))
      }
      return reply.redirect(onwardAddress(visit.onward), 303)
    })

    app.get('/account/pin', async (request, reply) => {
      const visit = await signedIn(rooms, request, reply)
      return visit === undefined ? reply : sendPin(rooms, visit, untouched)
    })

    app.post('/account/pin', async (request, reply) => {
      rooms.formTokens.check(request)
      const visit = await signedIn(rooms, request, reply)
      if (visit === undefined) return reply
      if (formText(request, 'pin') !== formText(request, 'pin_again')) {
        return sendPin(rooms, visit, { status: 422, errors: pinsDiffer })
      }
      try {
        await setPin(rooms, visit)
      } catch (error) {
        return sendPin(rooms, visit, refused(error, visit))
      }
      const address = onwardAddress(visit.onward)
      return address === '/account' ? sayDone(rooms, reply, 'pin') : reply.redirect(address, 303)
    })
  }
}

/** The visit, or undefined when the browser was sent to sign in. */
async function signedIn(rooms: AccountRooms, request: FastifyRequest, reply: FastifyReply): Promise<Visit | undefined> {
  const onward = await onwardInAddress(request, rooms.authorization)
  const session = await rooms.sessions.current(request)
  if (session !== undefined) {
    return { request, reply, session, onward, kept: await keptInputOf(rooms, request, session) }
  }
  // On the way of an attempt the flow itself leads back here.
  if (onward.attempt === undefined) await leadToSignIn(rooms, request, reply)
  else reply.redirect(keepingOnward('/sign-in', onward), request.method === 'GET' ? 302 : 303)
  return undefined
}

/** Sets the PIN in the form, which comes with a passkey's signature or with the password. */
async function setPin(rooms: AccountRooms, { request, session }: Visit): Promise<void> {
  const clearTextPin = formText(request, 'pin')
  const signature = formText(request, 'passkey')
  if (signature === '') {
    return rooms.accounts.setPin(session, { clearTextPin, clearTextPassword: formText(request, 'password') })
  }
  // The form token, checked before, is derived from a cookie that only this browser has.
  await rooms.passkeys.prove(session, formText(request, 'form_token'), signature)
  return rooms.accounts.setProvenPin(session, clearTextPin)
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

function personOf(rooms: AccountRooms, { request, reply, session, onward, kept }: Visit) {
  return {
    name: session.userName,
    signOutAction: keepingOnward('/sign-out', onward),
    formToken: rooms.formTokens.issue(request, reply),
    kept,
  }
}

async function sendUnlock(rooms: AccountRooms, visit: Visit, { status, errors }: Refused): Promise<FastifyReply> {
  const { session, onward } = visit
  const replacedBy = session.hasPassword ? 'password' : (await hasPasskey(rooms, session)) ? 'passkey' : null
  const view = unlockPage({
    person: personOf(rooms, visit),
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

async function hasPasskey(rooms: AccountRooms, session: Session): Promise<boolean> {
  return (await rooms.passkeys.list(session.userId)).length > 0
}

async function sendPin(rooms: AccountRooms, visit: Visit, { status, errors }: Refused): Promise<FastifyReply> {
  const { session, onward } = visit
  const proofNeeded = session.hasPassword || (session.hasPin && !session.pinUnlocked)
  const view = pinPage({
    person: personOf(rooms, visit),
    action: keepingOnward('/account/pin', onward),
    hasPin: session.hasPin,
    asksPassword: session.hasPassword,
    takesPasskey: proofNeeded && (await hasPasskey(rooms, session)),
    ahead: aheadOf(visit),
    errors,
  })
  return sendPage(visit.reply, view, { status, formOrigins: formOrigins(onward) })
}

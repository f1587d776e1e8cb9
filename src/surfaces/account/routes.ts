import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import type { LinkedAccounts } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { PasskeyRefusal, type Passkeys } from '../../domain/accounts/passkeys/passkeys.ts'
import type { User } from '../../domain/accounts/user-store.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Clock } from '../../domain/clock.ts'
import type { UserId } from '../../domain/ids.ts'
import type { Mount } from '../../http/new-app.ts'
import { pinsDiffer } from '../../pages/account-form.ts'
import { accountErrors } from '../../pages/account-refusals.ts'
import { type Destination, destinationInUrl, destinationUrl, withDestination } from '../../pages/destination.ts'
import type { Filled } from '../../pages/form.ts'
import { formText } from '../../pages/form-posts.ts'
import { type Admit, formPage, formPost, type Rejection } from '../../pages/form-routes.ts'
import type { PageGuard, SignedInRequest } from '../../pages/page-guard.ts'
import { passkeyError } from '../../pages/passkey-form.ts'
import { accountParts } from '../../pages/places.ts'
import { accountDone } from './views/account-frame.ts'
import { noPin, type PendingAttempt, type Pin, pinForm, pinPage, unlockForm, unlockPage } from './views/pin-pages.ts'
import { profilePage, securityPage } from './views/profile-pages.ts'

interface AccountServices {
  guard: PageGuard
  accounts: Accounts
  passkeys: Passkeys
  linkedAccounts: LinkedAccounts
  authorization: Pick<Authorization, 'attempts'>
  clock: Clock
}

/** A signed-in user's request, and the destination named in its URL. */
interface OnwardVisit extends SignedInRequest {
  onward: Destination
}

/** Registers `/account`, `/account/security`, `/account/pin` and `/unlock` on the base surface. */
export function accountSurface(services: AccountServices): Mount {
  const { accounts, passkeys, linkedAccounts, guard } = services
  const onward = withOnward(services)
  return (app) => {
    app.get(
      '/account',
      onward(async ({ session, person, send, done }) => {
        const user = await userOf(services, session)
        return send(profilePage({ person, done, user, byMail: accounts.recovery.byMail }))
      }),
    )

    app.get(
      '/account/security',
      guard.signedIn(async ({ session, person, send, done }) => {
        const { userId } = session
        const view = securityPage({
          person,
          done,
          user: await userOf(services, session),
          pinUnlocked: session.pinUnlocked,
          passkeys: await passkeys.list(userId),
          linked: { providers: linkedAccounts.providers, accounts: await linkedAccounts.list(userId) },
          tokenCount: await liveTokens(services, userId),
        })
        return send(view)
      }),
    )

    app.get(
      '/unlock',
      onward(async (visit) => {
        const { session, onward, reply } = visit
        if (!session.hasPin) return reply.redirect(withDestination('/account/pin', onward), 302)
        if (session.pinUnlocked) return reply.redirect(destinationUrl(onward), 302)
        return sendUnlock(services, visit)
      }),
    )

    formPost(app, '/unlock', onward, {
      form: unlockForm,
      errors: pinErrors,
      show: (visit, rejected) => sendUnlock(services, visit, rejected),
      async post({ session, onward, reply }, { pin }) {
        await accounts.pin.unlock(session, pin)
        return reply.redirect(destinationUrl(onward), 303)
      },
    })

    formPage(app, '/account/pin', onward, {
      form: pinForm,
      values: () => noPin,
      errors: pinErrors,
      show: (visit, filled) => sendPin(services, visit, filled),
      async post(visit, values) {
        const { reply, onward, redirect } = visit
        const errors = pinsDiffer(values)
        if (errors !== undefined) return sendPin(services, visit, { values, errors, status: 422 })
        await setPin(services, visit, values)
        const { href: home } = accountParts.security
        const address = destinationUrl(onward, home)
        return address === home ? redirect(home, accountDone.pin) : reply.redirect(address, 303)
      },
    })
  }
}

async function userOf({ accounts }: AccountServices, { userId }: Session): Promise<User> {
  const user = await accounts.users.find(userId)
  if (user === undefined) throw new Error(`signed-in user ${userId} has no account`)
  return user
}

async function liveTokens({ accounts, clock }: AccountServices, userId: UserId): Promise<number> {
  const nowMs = clock.nowMs()
  return (await accounts.personalTokens.list(userId)).filter(({ expiresAtMs }) => expiresAtMs > nowMs).length
}

/** Admits signed-in users and preserves their destination, even if they have to sign in first. */
function withOnward({ guard, authorization }: AccountServices): Admit<OnwardVisit> {
  return (work) =>
    guard.signedIn(
      async (visit) => {
        const onward = await destinationInUrl(visit.request, authorization)
        const person = { ...visit.person, signOutAction: withDestination('/sign-out', onward) }
        return work({ ...visit, person, onward })
      },
      {
        // During an authorization, sign-in keeps the attempt instead of this page's URL. The consent endpoint then
        // redirects to the attempt's next step, which may be another page.
        async signInAddress(request) {
          const onward = await destinationInUrl(request, authorization)
          return onward.attempt && withDestination('/sign-in', onward)
        },
      },
    )
}

/** Sets the PIN. The form proves the user's identity with a passkey signature or the password. */
async function setPin(services: AccountServices, { request, session }: SignedInRequest, { pin, password }: Pin) {
  const signature = formText(request, 'passkey')
  if (signature === '') {
    return services.accounts.pin.set(session, { clearTextPin: pin, clearTextPassword: password })
  }
  // The form token identifies this browser: it is the HMAC of the browser's cookie, and has been verified.
  await services.passkeys.prove(session, formText(request, 'form_token'), signature)
  return services.accounts.pin.setProven(session, pin)
}

/** Returns how a form shows a refusal. Rethrows any other error. */
function pinErrors(error: unknown, visit: SignedInRequest): Rejection {
  const user = visit.session.userId
  if (!(error instanceof PasskeyRefusal)) return accountErrors(error, visit, 'PIN refused', { user })
  visit.request.log.info({ reason: error.reason, detail: error.detail, user }, 'passkey refused')
  const { status, message } = passkeyError(error.reason)
  return { status, errors: [{ message }] }
}

async function sendUnlock(services: AccountServices, visit: OnwardVisit, rejected?: Rejection) {
  const { person, session, onward, send } = visit
  const replacedBy = session.hasPassword ? 'password' : (await hasPasskey(services, session)) ? 'passkey' : null
  const view = unlockPage({
    person,
    action: withDestination('/unlock', onward),
    replacing: replacedBy && { by: replacedBy, address: withDestination('/account/pin', onward) },
    pendingAttempt: pendingAttemptOf(visit),
    filled: { errors: rejected?.errors ?? [] },
  })
  return send(view, rejected?.status)
}

function pendingAttemptOf({ session, onward: { attempt } }: OnwardVisit): PendingAttempt | undefined {
  return attempt && { id: attempt.id, userId: session.userId, applicationName: attempt.application.name }
}

async function hasPasskey(services: AccountServices, session: Session): Promise<boolean> {
  return (await services.passkeys.list(session.userId)).length > 0
}

async function sendPin(services: AccountServices, visit: OnwardVisit, filled: Filled<Pin>) {
  const { person, session, onward, send } = visit
  const proofNeeded = session.hasPassword || (session.hasPin && !session.pinUnlocked)
  const view = pinPage({
    person,
    action: withDestination('/account/pin', onward),
    hasPin: session.hasPin,
    asksPassword: session.hasPassword,
    takesPasskey: proofNeeded && (await hasPasskey(services, session)),
    pendingAttempt: pendingAttemptOf(visit),
    filled,
  })
  return send(view, filled.status)
}

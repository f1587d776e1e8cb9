import type { FastifyReply } from 'fastify'
import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import type { LinkedAccounts } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { PasskeyRefusal, type Passkeys } from '../../domain/accounts/passkeys/passkeys.ts'
import type { User } from '../../domain/accounts/user-store.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Clock } from '../../domain/clock.ts'
import type { UserId } from '../../domain/ids.ts'
import type { Mount } from '../../http/new-app.ts'
import { type FormResult, noErrors, pinsDiffer, refusedForm } from '../../pages/account-form.ts'
import { type Destination, destinationInUrl, destinationUrl, withDestination } from '../../pages/destination.ts'
import { formText } from '../../pages/form-posts.ts'
import { sendPage } from '../../pages/page.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { passkeyError } from '../../pages/passkey-form.ts'
import { accountParts } from '../../pages/places.ts'
import { type AccountFormServices, redirectToPart } from './account-forms.ts'
import { type PendingAttempt, pinPage, unlockPage } from './views/pin-pages.ts'
import { profilePage } from './views/profile-page.ts'
import { securityPage } from './views/security-page.ts'

interface AccountServices extends AccountFormServices {
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
  return (app) => {
    app.get(
      '/account',
      withOnward(services, async ({ session, person, request, reply }) => {
        const view = profilePage({
          person,
          done: services.flash.take(request, reply),
          user: await userOf(services, session),
          byMail: services.accounts.recovery.byMail,
        })
        return sendPage(reply, view)
      }),
    )

    app.get(
      '/account/security',
      services.guard.signedIn(async ({ session, person, request, reply }) => {
        const { userId } = session
        const view = securityPage({
          person,
          done: services.flash.take(request, reply),
          user: await userOf(services, session),
          pinUnlocked: session.pinUnlocked,
          passkeys: await services.passkeys.list(userId),
          linked: {
            providers: services.linkedAccounts.providers,
            accounts: await services.linkedAccounts.list(userId),
          },
          tokenCount: await liveTokens(services, userId),
        })
        return sendPage(reply, view)
      }),
    )

    app.get(
      '/unlock',
      withOnward(services, async (visit) => {
        const { session, onward, reply } = visit
        if (!session.hasPin) return reply.redirect(withDestination('/account/pin', onward), 302)
        if (session.pinUnlocked) return reply.redirect(destinationUrl(onward), 302)
        return sendUnlock(services, visit, noErrors)
      }),
    )

    app.post(
      '/unlock',
      withOnward(services, async (visit) => {
        try {
          await services.accounts.pin.unlock(visit.session, formText(visit.request, 'pin'))
        } catch (error) {
          return sendUnlock(services, visit, pinRefusal(error, visit))
        }
        return visit.reply.redirect(destinationUrl(visit.onward), 303)
      }),
    )

    app.get(
      '/account/pin',
      withOnward(services, async (visit) => sendPin(services, visit, noErrors)),
    )

    app.post(
      '/account/pin',
      withOnward(services, async (visit) => {
        const { request, reply, onward } = visit
        const differing = pinsDiffer(request)
        if (differing !== undefined) return sendPin(services, visit, differing)
        try {
          await setPin(services, visit)
        } catch (error) {
          return sendPin(services, visit, pinRefusal(error, visit))
        }
        const { href: home } = accountParts.security
        const address = destinationUrl(onward, home)
        return address === home ? redirectToPart(services, reply, 'security', 'pin') : reply.redirect(address, 303)
      }),
    )
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

/** Returns a handler for signed-in users that preserves their destination, even if they have to sign in first. */
function withOnward({ guard, authorization }: AccountServices, work: (visit: OnwardVisit) => Promise<FastifyReply>) {
  return guard.signedIn(
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
async function setPin(services: AccountServices, { request, session }: SignedInRequest): Promise<void> {
  const clearTextPin = formText(request, 'pin')
  const signature = formText(request, 'passkey')
  if (signature === '') {
    return services.accounts.pin.set(session, { clearTextPin, clearTextPassword: formText(request, 'password') })
  }
  // The form token identifies this browser: it is the HMAC of the browser's cookie, and has been verified.
  await services.passkeys.prove(session, formText(request, 'form_token'), signature)
  return services.accounts.pin.setProven(session, clearTextPin)
}

/** Converts a refusal to the form's response. Rethrows any other error. */
function pinRefusal(error: unknown, visit: SignedInRequest): FormResult {
  const user = visit.session.userId
  if (!(error instanceof PasskeyRefusal)) return refusedForm(error, visit, 'PIN refused', { user })
  visit.request.log.info({ reason: error.reason, detail: error.detail, user }, 'passkey refused')
  const { status, message } = passkeyError(error.reason)
  return { status, errors: { fields: {}, form: message } }
}

async function sendUnlock(
  services: AccountServices,
  visit: OnwardVisit,
  { status, errors }: FormResult,
): Promise<FastifyReply> {
  const { session, onward } = visit
  const replacedBy = session.hasPassword ? 'password' : (await hasPasskey(services, session)) ? 'passkey' : null
  const view = unlockPage({
    person: visit.person,
    action: withDestination('/unlock', onward),
    replacing: replacedBy && { by: replacedBy, address: withDestination('/account/pin', onward) },
    pendingAttempt: pendingAttemptOf(visit),
    errors,
  })
  return sendPage(visit.reply, view, { status })
}

function pendingAttemptOf({ session, onward: { attempt } }: OnwardVisit): PendingAttempt | undefined {
  return attempt && { id: attempt.id, userId: session.userId, applicationName: attempt.application.name }
}

async function hasPasskey(services: AccountServices, session: Session): Promise<boolean> {
  return (await services.passkeys.list(session.userId)).length > 0
}

async function sendPin(
  services: AccountServices,
  visit: OnwardVisit,
  { status, errors }: FormResult,
): Promise<FastifyReply> {
  const { session, onward } = visit
  const proofNeeded = session.hasPassword || (session.hasPin && !session.pinUnlocked)
  const view = pinPage({
    person: visit.person,
    action: withDestination('/account/pin', onward),
    hasPin: session.hasPin,
    asksPassword: session.hasPassword,
    takesPasskey: proofNeeded && (await hasPasskey(services, session)),
    pendingAttempt: pendingAttemptOf(visit),
    errors,
  })
  return sendPage(visit.reply, view, { status })
}

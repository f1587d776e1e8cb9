import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Session } from '../../domain/accounts/accounts.ts'
import { PasskeyRefusal } from '../../domain/accounts/passkeys/passkey-refusal.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Mount } from '../../http/new-app.ts'
import { answerAccountRefusal, type FormErrors, noErrors } from '../../pages/account-errors.ts'
import { formText } from '../../pages/form-fields.ts'
import type { KeptInput, Text } from '../../pages/html.ts'
import { keptInputOf, type LateForm, leadToSignIn } from '../../pages/kept-form.ts'
import { sendPage } from '../../pages/page.ts'
import { passkeyError } from '../../pages/passkey-errors.ts'
import { ceremonyRoutes } from './ceremony-routes.ts'
import type { PasskeyRooms } from './rooms.ts'
import { passkeyPage } from './views/passkey-page.ts'
import { type Done, passkeysPage } from './views/passkeys-page.ts'

/** A signed-in person at one of these pages. */
interface Visit {
  request: FastifyRequest
  reply: FastifyReply
  session: Session
  kept: KeptInput | undefined
}

/** What a page says after a refusal. */
interface Refused {
  status: number
  message: Text
}

const signInAgainAddress = '/account/passkeys/sign-in'

/**
 * `/account/passkeys` on the identity surface: the list, one passkey with its name and its removal, and
 * signing in again when the session is too old to change them. Adding one and signing in with one are
 * ceremonies between the service and the browser, see {@link ceremonyRoutes}.
 */
export function passkeysSurface(rooms: PasskeyRooms): Mount {
  return (app) => {
    app.register(ceremonyRoutes(rooms))
    app.get('/account/passkeys', async (request, reply) => {
      const visit = await signedIn(rooms, request, reply)
      return visit === undefined ? reply : sendList(rooms, visit, 200, noErrors)
    })

    app.post(signInAgainAddress, async (request, reply) => {
      rooms.formTokens.check(request)
      const visit = await signedIn(rooms, request, reply, { page: () => '/account/passkeys' })
      if (visit === undefined) return reply
      const form = { email: visit.session.email ?? '', clearTextPassword: formText(request, 'password') }
      try {
        const started = await rooms.accounts.signIn(form, browserInfo(request))
        await rooms.sessions.replace(request, reply, started)
      } catch (error) {
        if (!(error instanceof AccountRefusal)) throw error
        // The page knows whose password it asks for, so only the password can be wrong.
        const wrong = error.reason === 'credentials-wrong' ? new AccountRefusal('password-wrong') : error
        const { status, errors } = answerAccountRefusal(reply, wrong)
        return sendList(rooms, visit, status, errors)
      }
      return reply.redirect('/account/passkeys', 303)
    })

    app.get('/account/passkeys/:number', async (request, reply) => {
      const visit = await signedIn(rooms, request, reply)
      return visit === undefined ? reply : sendPasskey(rooms, visit, undefined)
    })

    app.post('/account/passkeys/:number', async (request, reply) => {
      rooms.formTokens.check(request)
      const visit = await signedIn(rooms, request, reply, { keeps: ['name'] })
      if (visit === undefined) return reply
      return changed(rooms, visit, 'renamed', () =>
        rooms.passkeys.rename(visit.session, numberIn(request), formText(request, 'name')),
      )
    })

    app.post('/account/passkeys/:number/removal', async (request, reply) => {
      rooms.formTokens.check(request)
      const page = () => `/account/passkeys/${numberIn(request)}`
      const visit = await signedIn(rooms, request, reply, { page })
      if (visit === undefined) return reply
      return changed(rooms, visit, 'removed', () => rooms.passkeys.remove(visit.session, numberIn(request)))
    })
  }
}

/** The visit, or undefined when the browser was sent to sign in. */
async function signedIn(
  rooms: PasskeyRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  late?: LateForm,
): Promise<Visit | undefined> {
  const session = await rooms.sessions.current(request)
  if (session !== undefined) {
    return { request, reply, session, kept: await keptInputOf(rooms, request, session) }
  }
  await leadToSignIn(rooms, request, reply, late)
  return undefined
}

/** Does the change and shows the list; a refusal is told on the passkey's own page. */
async function changed(rooms: PasskeyRooms, visit: Visit, done: Done, change: () => Promise<void>) {
  try {
    await change()
  } catch (error) {
    if (!(error instanceof PasskeyRefusal)) throw error
    visit.request.log.info({ reason: error.reason, user: visit.session.userId }, 'passkey refused')
    if (error.reason === 'sign-in-again') return visit.reply.redirect('/account/passkeys', 303)
    return sendPasskey(rooms, visit, passkeyError(error.reason))
  }
  return rooms.flash.redirect(visit.reply, '/account/passkeys', done)
}

function numberIn(request: FastifyRequest): number {
  const { number } = request.params as { number: string }
  return /^[0-9]{1,15}$/.test(number) ? Number(number) : 0
}

function personOf(rooms: PasskeyRooms, { request, reply, session, kept }: Visit) {
  return { name: session.userName, signOutAction: '/sign-out', formToken: rooms.formTokens.issue(request, reply), kept }
}

async function sendList(rooms: PasskeyRooms, visit: Visit, status: number, errors: FormErrors): Promise<FastifyReply> {
  const { request, reply, session } = visit
  const done = rooms.flash.take(request, reply)
  const view = passkeysPage({
    person: personOf(rooms, visit),
    passkeys: await rooms.passkeys.list(session.userId),
    nowMs: rooms.clock.nowMs(),
    done: (['added', 'renamed', 'removed'] as const).find((word) => word === done),
    signInAgain: rooms.passkeys.isRecent(session)
      ? null
      : { action: signInAgainAddress, byPassword: session.hasPassword && session.email !== null, errors },
  })
  return sendPage(reply, view, { status })
}

async function sendPasskey(rooms: PasskeyRooms, visit: Visit, refused: Refused | undefined): Promise<FastifyReply> {
  const { request, reply, session } = visit
  const passkeys = await rooms.passkeys.list(session.userId)
  const passkey = passkeys.find(({ number }) => number === numberIn(request))
  if (passkey === undefined) {
    reply.callNotFound()
    return reply
  }
  const view = passkeyPage({
    person: personOf(rooms, visit),
    passkey,
    nowMs: rooms.clock.nowMs(),
    removable: rooms.passkeys.isRecent(session),
    error: refused?.message,
  })
  return sendPage(reply, view, { status: refused?.status ?? 200 })
}

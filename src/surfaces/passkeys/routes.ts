import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import { type Passkey, PasskeyRefusal } from '../../domain/accounts/passkeys/passkeys.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { accountForm, passwordField, rejectionOf } from '../../pages/account-form.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { button, buttonRow, card, linkButton, postForm, table } from '../../pages/components/elements.ts'
import { time } from '../../pages/components/figures.ts'
import { errorNotices, form, textField } from '../../pages/form.ts'
import { done, numberIn } from '../../pages/form-posts.ts'
import { formPage, formPost, type Rejection, showPage } from '../../pages/form-routes.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { passkeyError, passkeyForm, passkeyModules } from '../../pages/passkey-form.ts'
import { accountParts, accountPlace } from '../../pages/places.ts'
import { ceremonyRoutes } from './ceremonies.ts'

const listAddress = '/account/passkeys'
const signInAgainAddress = '/account/passkeys/sign-in'
const renamed = done(t`Name saved.`)
const removed = done(t`Passkey removed. You can delete it from your device too.`)

const signInAgainForm = form({ password: passwordField() })
const renameForm = form({ name: textField({ label: t`Name`, autocomplete: 'off' }) })

/** Registers `/account/passkeys`: the list, a page for each, and signing in again, which a change may need. */
export function passkeysSurface(services: AccountServices): Mount {
  const { guard, passkeys } = services
  return (app) => {
    app.register(ceremonyRoutes(services))
    showPage(app, listAddress, guard.signedIn, (visit) => sendList(services, visit))

    formPost(app, signInAgainAddress, (work) => guard.signedIn(work, { page: () => listAddress }), {
      form: signInAgainForm,
      errors(error, { reply }) {
        if (!(error instanceof AccountRefusal)) throw error
        // The email address comes from the session, so only the password can be wrong.
        const wrong = error.reason === 'credentials-wrong' ? new AccountRefusal('password-wrong') : error
        return rejectionOf(reply, wrong)
      },
      show: (visit, rejected) => sendList(services, visit, rejected),
      async post({ session, by, reply }, { password: clearTextPassword }) {
        const credentials = { email: session.email ?? '', clearTextPassword }
        const started = await services.accounts.passwords.signIn(credentials, by.origin, { session })
        await services.guard.sessions.replace(reply, started)
        return reply.redirect(listAddress, 303)
      },
    })

    formPage(app, '/account/passkeys/:number', guard.signedIn, {
      form: renameForm,
      values: () => ({ name: '' }),
      errors: refused,
      show: (visit, rejected) => sendPasskey(services, visit, rejected),
      async post({ session, request, redirect }, { name }) {
        await passkeys.rename(session, numberIn(request), name)
        return redirect(listAddress, renamed)
      },
    })

    const onPasskey = { page: (request: FastifyRequest) => `/account/passkeys/${numberIn(request)}` }
    formPost(app, '/account/passkeys/:number/removal', (work) => guard.signedIn(work, onPasskey), {
      errors: refused,
      show(visit, rejected) {
        // The list asks the user to sign in again.
        if (!visit.session.isRecent) return visit.reply.redirect(listAddress, 303)
        return sendPasskey(services, visit, rejected)
      },
      async post({ session, request, redirect }) {
        await passkeys.remove(session, numberIn(request))
        return redirect(listAddress, removed)
      },
    })
  }
}

function refused(error: unknown, { request, session }: SignedInRequest): Rejection {
  if (!(error instanceof PasskeyRefusal)) throw error
  request.log.info({ reason: error.reason, user: session.userId }, 'passkey refused')
  const { status, message } = passkeyError(error.reason)
  return { status, errors: [{ message }] }
}

async function sendList(
  { passkeys, clock }: AccountServices,
  { session, show, done }: SignedInRequest,
  { status, errors = [] }: Partial<Rejection> = {},
): Promise<FastifyReply> {
  const all = await passkeys.list(session.userId)
  const { isRecent } = session
  return show({
    title: !isRecent && errors.some(({ field }) => field !== undefined) ? t`Sign-in failed` : t`Passkeys`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Passkeys` }],
    status,
    modules: passkeyModules,
    body: html`${done}
<h1>${t`Passkeys`}</h1>
<p>${t`A passkey signs you in with your fingerprint, face or screen lock. There is no password to remember, and fake sites can’t steal a passkey.`}</p>
${all.length > 0 ? passkeyTable(all, clock.nowMs()) : html`<p>${t`You have no passkeys yet.`}</p>`}
${
  isRecent
    ? registrationCard(all.length > 0)
    : signInAgainSection(
        session.hasPassword &&
          session.email !== null &&
          accountForm(signInAgainForm, { errors }, { action: signInAgainAddress, does: t`Sign in again` }),
        all.length > 0,
      )
}`,
  })
}

function passkeyTable(passkeys: readonly Passkey[], nowMs: number): Html {
  return table({
    caption: t`Your passkeys, oldest first`,
    rows: passkeys,
    columns: [
      { title: t`Name`, cell: ({ number, name }) => html`<a href="/account/passkeys/${number}">${name}</a>` },
      { title: t`Stored`, cell: (passkey) => storageWords(passkey) },
      { title: t`Added`, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
      { title: t`Last used`, cell: ({ lastUsedAtMs }) => time(lastUsedAtMs, nowMs) },
    ],
  })
}

function registrationCard(another: boolean): Html {
  return card({
    title: another ? t`Another passkey` : t`Your first passkey`,
    id: 'add',
    body: html`${passkeyForm({
      ceremony: 'registration',
      challenge: '/account/passkeys/challenge',
      action: '/account/passkeys',
      body: html`${renameForm.fields({}, { name: { hint: t`For example, the device it is on. At most ${limits.passkeyNameMaxCharacters} characters.` } }).name}
${buttonRow(button({ label: t`Add a passkey`, tone: 'primary' }))}`,
    })}
<p data-passkeys-missing>${t`To add one, use a browser with JavaScript and passkey support, and open this page over https.`}</p>`,
  })
}

function signInAgainSection(byPassword: Html | false, byPasskey: boolean): Html {
  return html`<section class="stack" id="again" aria-labelledby="again-title"><h2 id="again-title">${t`Sign in again to make changes`}</h2>
<p>${t`You signed in more than 15 minutes ago. Sign in again to add or remove passkeys. Afterwards, you need to enter your PIN again.`}</p>
${byPassword}
${
  byPasskey &&
  passkeyForm({
    ceremony: 'sign-in',
    challenge: '/sign-in/passkey/challenge',
    action: '/sign-in/passkey',
    onwardTo: '/account/passkeys',
    body: buttonRow(button({ label: t`Sign in again with a passkey`, tone: 'plain' })),
  })
}
${!byPassword && !byPasskey && html`<p>${t`Sign out at the top of this page, sign in again and come back here.`}</p>`}</section>`
}

async function sendPasskey(
  { passkeys, clock }: AccountServices,
  { request, reply, session, show }: SignedInRequest,
  { status, errors }: Rejection,
): Promise<FastifyReply> {
  const passkey = (await passkeys.list(session.userId)).find(({ number }) => number === numberIn(request))
  if (passkey === undefined) {
    reply.callNotFound()
    return reply
  }
  const address = `/account/passkeys/${passkey.number}`
  const nowMs = clock.nowMs()
  return show({
    title: errors.length === 0 ? passkey.name : t`Passkey not changed`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Passkeys`, href: '/account/passkeys' }, { name: passkey.name }],
    status,
    canonical: address,
    body: html`<h1>${passkey.name}</h1>
${errorNotices(errors)}
<dl>
<dt>${t`Stored`}</dt><dd>${storageWords(passkey)}</dd>
<dt>${t`Added`}</dt><dd>${time(passkey.createdAtMs, nowMs)}</dd>
<dt>${t`Last used`}</dt><dd>${time(passkey.lastUsedAtMs, nowMs)}</dd>
</dl>
${card({
  title: t`Rename`,
  id: 'rename',
  body: postForm(
    { action: address },
    renameForm.fields({ values: { name: passkey.name } }).name,
    buttonRow(button({ label: t`Save name`, tone: 'primary' })),
  ),
})}
${card({
  title: t`Remove`,
  id: 'remove',
  body: html`<p>${t`You can no longer sign in with this passkey. Sessions started with it continue.`}</p>
${
  session.isRecent
    ? postForm({ action: `${address}/removal` }, buttonRow(button({ label: t`Remove passkey`, tone: 'dangerous' })))
    : html`<p>${t`You signed in more than 15 minutes ago.`}</p>
${buttonRow(linkButton({ label: t.in('title')`Sign in again first`, href: '/account/passkeys#again', tone: 'plain' }))}`
}`,
})}`,
  })
}

/** Describes where a passkey is stored, judging by its authenticator's backup flags (WebAuthn section 6.1.3). */
function storageWords({ backupEligible, backedUp }: Passkey): Text {
  if (!backupEligible) return t`On one device only`
  return backedUp ? t`Synced with your other devices` : t`On one device, not synced yet`
}

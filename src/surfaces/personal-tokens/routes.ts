import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import {
  type PersonalToken,
  PersonalTokenRefusal,
  type PersonalTokenRefusalReason,
  type PersonalTokenScope,
  personalTokenScopes,
} from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import { parsePersonalTokenId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { accountErrors, accountForm, confirmEmailFirst, passwordField } from '../../pages/account-form.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { notice, section, table } from '../../pages/components/elements.ts'
import { time, timeUntil } from '../../pages/components/figures.ts'
import { lastUsedIsLate, secretReveal } from '../../pages/components/secrets.ts'
import { noteRefusal } from '../../pages/error-page.ts'
import { type Filled, form, selectField, severalOf, textField } from '../../pages/form.ts'
import { done } from '../../pages/form-posts.ts'
import { type Admit, errorsBy, formPage, question, type Rejection } from '../../pages/form-routes.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { accountParts, accountPlace } from '../../pages/places.ts'

const listAddress = '/account/tokens'
const revoked = done(t`Token revoked.`)

const tokenScopeWords: Record<PersonalTokenScope, Words> = {
  'bots.read': t`View your bots and their status`,
  'bots.write': t`Turn hosting and the public status on and off`,
  'deliveries.read': t`View deliveries with the contents of webhooks`,
  'deliveries.write': t`Replay, retry and discard webhooks`,
  'flows.read': t`View flows`,
  'flows.write': t`Change flows, their keys and signatures`,
  'logs.read': t`View logs`,
  'runtimes.read': t`View your runtimes`,
  'runtimes.write': t`Create and remove runtimes and their keys`,
}

const tokenForm = form({
  name: textField({
    label: t`Name`,
    hint: t`For example, the script that uses it. At most ${limits.personalTokenNameMaxCharacters} characters.`,
    autocomplete: 'off',
  }),
  scope: severalOf<string>({
    label: t.in('personal access token')`Scopes`,
    hint: t`Choose only what the script needs.`,
    among: personalTokenScopes.map((scope) => ({
      value: scope,
      label: html`<code>${scope}</code>`,
      hint: tokenScopeWords[scope],
    })),
  }),
  days: selectField({
    label: t`Valid for`,
    options: limits.personalTokenLifetimesDays.map((days) => ({ value: String(days), label: t`${days} days` })),
  }),
  password: passwordField(),
})
type TokenInput = ReturnType<typeof tokenForm.read>

const emptyInput: TokenInput = { name: '', scope: [], days: '30', password: '' }

export function personalTokensSurface(services: AccountServices): Mount {
  const { personalTokens } = services.accounts
  return (app) => {
    formPage(app, listAddress, services.guard.signedIn, {
      form: tokenForm,
      values: ({ request }) => inputInUrl(request),
      errors: (...refused) => formErrors(services, ...refused),
      show: (visit, filled) => sendList(services, visit, filled),
      async post(visit, { name, scope: scopes, days, password: clearTextPassword }) {
        const { session, request } = visit
        const lifetimeDays = /^\d{1,4}$/.test(days) ? Number(days) : 0
        const made = await personalTokens.create(session, { name, scopes, lifetimeDays, clearTextPassword })
        request.log.info({ user: session.userId, tokenId: made.token.id }, 'personal access token created')
        return sendList(services, visit, { values: emptyInput, errors: [], status: 200 }, made.clearText)
      },
    })

    question(app, '/account/tokens/:tokenId/revocation', onToken(services), {
      frame: () => ({
        place: accountPlace,
        trail: [accountParts.security, { name: t`Personal access tokens`, href: listAddress }],
        width: 'narrow',
      }),
      asks: ({ token: { name, lastUsedAtMs } }) => ({
        title: t`Revoke ${name}?`,
        effect: [t`Scripts that use this token stop working immediately. This can’t be undone.`],
        remark: t`${t`Last used`}: ${time(lastUsedAtMs, services.clock.nowMs())}`,
        submit: t`Revoke token`,
      }),
      async post(visit) {
        const { session, request, token, redirect } = visit
        if (!(await personalTokens.revoke(session, token.id))) return notFound(visit)
        request.log.info({ user: session.userId, tokenId: token.id }, 'personal access token revoked')
        return redirect(listAddress, revoked)
      },
    })
  }
}

/** Returns the input that {@link addressWith} put into the URL. */
function inputInUrl(request: FastifyRequest): TokenInput {
  const query = new URLSearchParams(request.url.split('?')[1])
  const { name, days } = emptyInput
  return {
    ...emptyInput,
    name: query.get('name') ?? name,
    scope: query.getAll('scope'),
    days: query.get('days') ?? days,
  }
}

/** Returns the page's path with the input, so that the form is still filled in after the user has entered the PIN. */
function addressWith({ name, scope: scopes, days }: TokenInput): string {
  return `${listAddress}?${new URLSearchParams([['name', name], ...scopes.map((scope) => ['scope', scope]), ['days', days]])}`
}

function onToken({ guard, accounts }: AccountServices): Admit<SignedInRequest & { token: PersonalToken }> {
  return (work) =>
    guard.signedIn(async (visit) => {
      const { request, session } = visit
      const id = parsePersonalTokenId((request.params as { tokenId: string }).tokenId)
      const token = id && (await accounts.personalTokens.list(session.userId)).find((one) => one.id === id)
      return token === undefined ? notFound(visit) : work({ ...visit, token })
    })
}

function notFound({ reply }: SignedInRequest): FastifyReply {
  reply.callNotFound()
  return reply
}

const tokenErrors = errorsBy<PersonalTokenRefusalReason>(PersonalTokenRefusal, {
  'name-missing': ['name', t`Enter a name for the token.`],
  'name-too-long': ['name', t`Use a name of at most ${limits.personalTokenNameMaxCharacters} characters.`],
  'scopes-missing': ['scope', t.in('personal access token')`Choose at least one scope.`],
  'lifetime-unknown': ['days', t`Choose a lifetime from the list.`],
  'tokens-too-many': t`You can have at most ${limits.personalTokensPerUser} tokens. Revoke one first.`,
})

/** @param returnTo path of the page to which the user returns with the PIN entered. */
function unlockFirst(returnTo: string): Words {
  return t.html`A token that can make changes needs your PIN. <a href="/unlock?return_to=${encodeURIComponent(returnTo)}">Enter your PIN</a>, then create the token.`
}

/** Returns how the form shows a refusal. Rethrows any other error. */
function formErrors(
  { refusals }: AccountServices,
  error: unknown,
  visit: SignedInRequest,
  input: TokenInput,
): Rejection {
  if (error instanceof PersonalTokenRefusal) {
    noteRefusal(refusals, visit.request, error.reason)
    return tokenErrors(error)
  }
  const rejection = accountErrors(error, visit.reply, refusals)
  if (!(error instanceof AccountRefusal) || error.reason !== 'unlock-first') return rejection
  return { ...rejection, errors: [{ message: unlockFirst(addressWith(input)) }] }
}

/** @param clearText the token that this request has created. */
async function sendList(
  { accounts, clock, portalUrl }: AccountServices,
  { session, show, done }: SignedInRequest,
  filled: Filled<TokenInput>,
  clearText?: string,
): Promise<FastifyReply> {
  const tokens = await accounts.personalTokens.list(session.userId)
  const confirmFirst =
    filled.status === 200 && clearText === undefined && (await accounts.users.mustConfirmEmail(session.userId))
  return show({
    title: filled.errors.length > 0 ? t`Token not created` : t`Personal access tokens`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Personal access tokens` }],
    status: filled.status,
    width: 'wide',
    canonical: listAddress,
    shownOnce: clearText !== undefined,
    body: html`${done}
<h1>${t`Personal access tokens`}</h1>
${clearText !== undefined && secretReveal({ title: t`Your new token`, label: t`Token`, explain: t`Copy it now. It is shown only once.`, clearText, testId: 'personal-token' })}
<p>${t.html`With a token, your scripts use the <a href="${portalUrl}/guides/owner-api">API for owners</a>. A token can do only what you can do.`}</p>
<p>${t`A token stops working when it expires, when you revoke it, when your password changes, and when you sign out everywhere else.`}</p>
${tokens.length === 0 ? html`<p>${t`You have no tokens yet.`}</p>` : tokenTable(tokens, clock.nowMs())}
${section({
  id: 'new',
  title: t`New token`,
  about: html`${confirmFirst && notice({ tone: 'warn', body: confirmEmailFirst })}`,
  body: accountForm(tokenForm, filled, {
    action: listAddress,
    does: t`Create token`,
    without: [!session.hasPassword && 'password'],
  }),
})}`,
  })
}

function tokenTable(tokens: readonly PersonalToken[], nowMs: number): Html {
  return html`${table({
    caption: t`Your tokens, newest first`,
    rows: tokens,
    columns: [
      {
        title: t`Name`,
        cell: ({ name, lastFour }) => html`${name}<br><code class="soft small">••••${lastFour}</code>`,
      },
      {
        title: t.in('personal access token')`Scopes`,
        cell: ({ scopes }) => html`<span class="small">${scopes.join(', ')}</span>`,
      },
      {
        title: t`Expires`,
        cell: ({ expiresAtMs }) => (expiresAtMs <= nowMs ? t`Expired` : timeUntil(expiresAtMs, nowMs)),
      },
      { title: t`Last used`, cell: ({ lastUsedAtMs }) => time(lastUsedAtMs, nowMs) },
      {
        title: t`Revoke`,
        cell: ({ id, name }) =>
          html`<a class="button plain small" href="/account/tokens/${id}/revocation">${t.html`Revoke<span class="hidden-visually"> ${name}</span>`}</a>`,
      },
    ],
  })}
<p class="hint">${lastUsedIsLate}</p>`
}

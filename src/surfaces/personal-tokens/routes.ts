import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import {
  type PersonalToken,
  PersonalTokenRefusal,
  type PersonalTokenRefusalReason,
} from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import type { Clock } from '../../domain/clock.ts'
import { parsePersonalTokenId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { accountErrors } from '../../pages/account-refusals.ts'
import { time } from '../../pages/components/time.ts'
import { done } from '../../pages/flash.ts'
import type { Filled } from '../../pages/form.ts'
import { type Admit, errorsBy, formPage, question, type Rejection } from '../../pages/form-routes.ts'
import { t, type Words } from '../../pages/html.ts'
import type { PageGuard, SignedInRequest } from '../../pages/page-guard.ts'
import { accountParts, accountPlace } from '../../pages/places.ts'
import { type TokenInput, tokenForm, tokensPage } from './views/tokens-page.ts'

interface PersonalTokenServices {
  guard: PageGuard
  accounts: Pick<Accounts, 'personalTokens' | 'users'>
  clock: Clock
  portalUrl: string
}

const listAddress = '/account/tokens'
const emptyInput: TokenInput = { name: '', scope: [], days: '30', password: '' }
const revoked = done(t`Token revoked.`)

/** Registers `/account/tokens`: the user's personal access tokens, creating one, and revoking one. */
export function personalTokensSurface(services: PersonalTokenServices): Mount {
  const { personalTokens } = services.accounts
  return (app) => {
    formPage(app, listAddress, (work) => services.guard.signedIn(work), {
      form: tokenForm,
      values: ({ request }) => inputInUrl(request),
      errors: formErrors,
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
        remark: t`${t`Last used`}: ${lastUsedAtMs === null ? t`Never` : time(lastUsedAtMs, services.clock.nowMs())}`,
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

/** Admits users to their token in the URL. */
function onToken({ guard, accounts }: PersonalTokenServices): Admit<SignedInRequest & { token: PersonalToken }> {
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

/** How the form that creates a token shows refusals. */
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
function formErrors(error: unknown, visit: SignedInRequest, input: TokenInput): Rejection {
  const user = visit.session.userId
  if (error instanceof PersonalTokenRefusal) {
    visit.request.log.info({ reasons: error.reasons, user }, 'personal access token refused')
    return tokenErrors(error)
  }
  const rejection = accountErrors(error, visit, 'personal access token refused', { user })
  if (!(error instanceof AccountRefusal) || error.reason !== 'unlock-first') return rejection
  return { ...rejection, errors: [{ message: unlockFirst(addressWith(input)) }] }
}

async function sendList(
  { accounts, clock, portalUrl }: PersonalTokenServices,
  { person, session, send, done }: SignedInRequest,
  filled: Filled<TokenInput>,
  clearText?: string,
): Promise<FastifyReply> {
  const view = tokensPage({
    person,
    tokens: await accounts.personalTokens.list(session.userId),
    nowMs: clock.nowMs(),
    confirmFirst:
      filled.status === 200 && clearText === undefined && (await accounts.users.mustConfirmEmail(session.userId)),
    done,
    clearText,
    filled,
    asksPassword: session.hasPassword,
    portalUrl,
  })
  return send(view, filled.status)
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { PersonalToken } from '../../domain/accounts/personal-tokens/personal-token-store.ts'
import { PersonalTokenRefusal } from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import type { Clock } from '../../domain/clock.ts'
import { parsePersonalTokenId } from '../../domain/ids.ts'
import type { Mount } from '../../http/new-app.ts'
import { type FormErrors, type FormResult, noErrors, refusedForm } from '../../pages/account-form.ts'
import type { Flash } from '../../pages/flash.ts'
import { formText, formTexts } from '../../pages/form-posts.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard, SignedInRequest } from '../../pages/page-guard.ts'
import { revocationPage, type TokenInput, tokensPage } from './views/tokens-page.ts'
import { tokenErrorWords, unlockFirst } from './words.ts'

interface PersonalTokenServices {
  guard: PageGuard
  flash: Flash
  accounts: Pick<Accounts, 'personalTokens' | 'users'>
  clock: Clock
  portalUrl: string
}

const listAddress = '/account/tokens'
const emptyInput: TokenInput = { name: '', scopes: [], days: '30' }

/** Registers `/account/tokens`: the user's personal access tokens, creating one, and revoking one. */
export function personalTokensSurface(services: PersonalTokenServices): Mount {
  const { guard, flash } = services
  const { personalTokens } = services.accounts
  return (app) => {
    app.get(
      listAddress,
      guard.signedIn(async (visit) =>
        sendList(services, visit, { input: inputInUrl(visit.request), result: noErrors }),
      ),
    )

    app.post(
      listAddress,
      guard.signedIn(async (visit) => {
        const { session, request } = visit
        const input = inputOf(request)
        try {
          const { token, clearText } = await personalTokens.create(session, {
            name: input.name,
            scopes: input.scopes,
            lifetimeDays: /^\d{1,4}$/.test(input.days) ? Number(input.days) : 0,
            clearTextPassword: formText(request, 'password'),
          })
          request.log.info({ user: session.userId, tokenId: token.id }, 'personal access token created')
          return await sendList(services, visit, { input: emptyInput, result: noErrors, clearText })
        } catch (error) {
          return sendList(services, visit, { input, result: refusedResult(visit, input, error) })
        }
      }),
    )

    app.get(
      '/account/tokens/:tokenId/revocation',
      guard.signedIn(async (visit) => {
        const token = await tokenIn(services, visit)
        if (token === undefined) return notFound(visit)
        return sendPage(visit.reply, revocationPage({ person: visit.person, token, nowMs: services.clock.nowMs() }))
      }),
    )

    app.post(
      '/account/tokens/:tokenId/revocation',
      guard.signedIn(async (visit) => {
        const { session, request, reply } = visit
        const token = await tokenIn(services, visit)
        if (token === undefined || !(await personalTokens.revoke(session, token.id))) return notFound(visit)
        request.log.info({ user: session.userId, tokenId: token.id }, 'personal access token revoked')
        return flash.redirect(reply, listAddress, 'revoked')
      }),
    )
  }
}

function inputOf(request: FastifyRequest): TokenInput {
  return { name: formText(request, 'name'), scopes: formTexts(request, 'scope'), days: formText(request, 'days') }
}

/** Returns the input that {@link addressWith} put into the URL. */
function inputInUrl(request: FastifyRequest): TokenInput {
  const query = new URLSearchParams(request.url.split('?')[1])
  const { name, days } = emptyInput
  return { name: query.get('name') ?? name, scopes: query.getAll('scope'), days: query.get('days') ?? days }
}

/** Returns the page's path with the input, so that the form is still filled in after the user has entered the PIN. */
function addressWith({ name, scopes, days }: TokenInput): string {
  return `${listAddress}?${new URLSearchParams([['name', name], ...scopes.map((scope) => ['scope', scope]), ['days', days]])}`
}

/** Returns the user's token identified by the URL. */
async function tokenIn(
  { accounts }: PersonalTokenServices,
  { request, session }: SignedInRequest,
): Promise<PersonalToken | undefined> {
  const id = parsePersonalTokenId((request.params as { tokenId: string }).tokenId)
  if (id === undefined) return undefined
  return (await accounts.personalTokens.list(session.userId)).find((token) => token.id === id)
}

function notFound({ reply }: SignedInRequest): FastifyReply {
  reply.callNotFound()
  return reply
}

/** Converts a refusal to the form's response. Rethrows any other error. */
function refusedResult({ request, reply, session }: SignedInRequest, input: TokenInput, error: unknown): FormResult {
  if (error instanceof PersonalTokenRefusal) {
    request.log.info({ reasons: error.reasons, user: session.userId }, 'personal access token refused')
    const errors: FormErrors = { fields: {}, form: undefined }
    for (const reason of error.reasons) {
      const { field, message } = tokenErrorWords[reason]
      if (field === undefined) errors.form = message
      else errors.fields[field] = message
    }
    return { status: 422, errors }
  }
  const result = refusedForm(error, { request, reply }, 'personal access token refused', { user: session.userId })
  if ((error as AccountRefusal).reason !== 'unlock-first') return result
  return { ...result, errors: { fields: {}, form: unlockFirst(addressWith(input)) } }
}

async function sendList(
  { accounts, clock, flash, portalUrl }: PersonalTokenServices,
  { person, session, request, reply }: SignedInRequest,
  { input, result, clearText }: { input: TokenInput; result: FormResult; clearText?: string },
): Promise<FastifyReply> {
  const view = tokensPage({
    person,
    tokens: await accounts.personalTokens.list(session.userId),
    nowMs: clock.nowMs(),
    confirmFirst: result === noErrors && (await accounts.users.mustConfirmEmail(session.userId)),
    done: flash.take(request, reply),
    clearText,
    input,
    errors: result.errors,
    asksPassword: session.hasPassword,
    portalUrl,
  })
  return sendPage(reply, view, { status: result.status })
}

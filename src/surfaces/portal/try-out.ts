import { createHmac } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { BrowserInfo, Session } from '../../domain/accounts/accounts.ts'
import type { Application } from '../../domain/applications/applications.ts'
import { tryOutAddress } from '../../domain/authorization/attempts.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { responseAddress } from '../../domain/authorization/authorization-request.ts'
import type { IssuedTokens } from '../../domain/authorization/tokens.ts'
import type { AttemptId } from '../../domain/ids-and-secrets.ts'
import type { Profile } from '../../domain/profile/profile.ts'
import type { RawResponse } from '../../http/raw-exchange.ts'
import { isOAuthRefusal, oauthEmpty, oauthErrorResponse, oauthJson, tokenBody } from '../../oauth/responses.ts'
import { type PkcePair, pairOf, requestParameters, type TryOutChoices } from './authorization-url.ts'

/** A request in the OAuth flow with its response, as text. Codes and tokens are masked. */
export interface TryOutStep {
  name: 'authorize' | 'token' | 'userinfo' | 'refresh' | 'revoke'
  request: string
  answer: string
  /** The `error` from a redirect or the reason for a refusal; `undefined` if the step succeeded. */
  refused?: string
  /** The tokens issued in this step. The page shows them in a collapsed section. */
  clearTextTokens?: readonly { name: string; clearText: string }[]
}

export interface TryOutResult {
  choices: TryOutChoices
  steps: readonly TryOutStep[]
}

export type TryOuts = ReturnType<typeof runTryOuts>

/**
 * Returns what runs an authorization as an owner's application. Nothing is stored: the redirect URI names the attempt,
 * and the verifier is derived from attempt and session, so that a code works only in the session that requested it.
 */
export function runTryOuts(parts: {
  key: Uint8Array
  baseUrl: string
  portalUrl: string
  authorization: Pick<Authorization, 'attempts' | 'tokens' | 'liveTokens'>
  profile: Profile
}) {
  const { key, baseUrl, portalUrl, authorization, profile } = parts

  /** Starts a try-out. Returns the consent URL, or the rejected step if the request is invalid. */
  async function begin(
    session: Session,
    application: Application,
    attemptId: AttemptId,
    choices: TryOutChoices,
  ): Promise<{ address: string } | { refused: TryOutStep }> {
    const redirectUri = tryOutAddress(portalUrl, application.id, attemptId)
    const pkce = pkceOf(session, attemptId)
    const parameters = requestParameters(application.clientId, { ...choices, redirectUri, pkce })
    const query = new Map(parameters.map(([name, text]) => [name, [{ text, encoded: encodeURIComponent(text) }]]))
    const reading = await authorization.attempts.beginTryOut(query, application, {
      owner: session.userId,
      id: attemptId,
    })
    if (reading.kind === 'valid') return { address: `${baseUrl}/auth/consent?attempt=${attemptId}` }
    if (reading.kind !== 'redirect') throw new Error(`try-out refused: ${reading.kind}`)
    const answer = responseAddress(reading, [
      ['error', reading.error],
      ['error_description', reading.description],
    ])
    return { refused: authorizeStep(parameters, answer, reading.error) }
  }

  /**
   * Completes a try-out: redeems the code, reads userinfo, refreshes if there is a refresh token, and revokes the
   * tokens, so that those shown are invalid. Stops early without a code, or with a rejected one.
   * @param answered the redirect's path and query.
   * @returns `undefined` if the try-out is unknown, or if its attempt was pruned.
   */
  async function finish(
    session: Session,
    application: Application,
    attemptId: AttemptId,
    answered: { url: string; clearTextCode: string | undefined; error: string | undefined },
  ): Promise<TryOutResult | undefined> {
    const attempt = await authorization.attempts.find(attemptId)
    if (attempt === undefined || 'fault' in attempt) return undefined
    if (!attempt.request.tryOut || attempt.application.id !== application.id) return undefined
    const { scopes, redirectUri, encodedState = '', skipConsent } = attempt.request
    const pkce = pkceOf(session, attemptId)
    const choices = { scopes, state: decodeURIComponent(encodedState), skipConsent }
    const parameters = requestParameters(application.clientId, { ...choices, redirectUri, pkce })
    const location = `${portalUrl}${answered.url}`
    const { clearTextCode } = answered
    if (clearTextCode === undefined) {
      return { steps: [authorizeStep(parameters, location, answered.error ?? 'no-code')], choices }
    }
    const rest = await redeemAndUse(application, {
      clearTextCode,
      redirectUri,
      clearTextVerifier: pkce.clearTextVerifier,
      origin: session.browser,
    })
    return { steps: [authorizeStep(parameters, location), ...rest], choices }
  }

  async function redeemAndUse(
    client: Application,
    code: { clearTextCode: string; redirectUri: string; clearTextVerifier: string; origin: BrowserInfo },
  ): Promise<TryOutStep[]> {
    const steps: TryOutStep[] = []
    const { origin } = code
    const credentials = [
      ['client_id', client.clientId],
      ['client_secret', '$CLIENT_SECRET'],
    ] as const
    let tokens: IssuedTokens | undefined
    /** Adds the step, and keeps the tokens that it issued. Returns whether it succeeded. */
    const runStep = async (
      name: TryOutStep['name'],
      request: string,
      work: () => Promise<RawResponse | IssuedTokens>,
    ): Promise<boolean> => {
      const add = (answer: RawResponse, more: Pick<TryOutStep, 'refused' | 'clearTextTokens'> = {}) =>
        steps.push({ name, request: masked(request), answer: masked(responseText(answer)), ...more })
      try {
        const result = await work()
        if ('status' in result) add(result)
        else {
          tokens = result
          add(oauthJson(200, tokenBody(result)), { clearTextTokens: tokensIn(result) })
        }
        return true
      } catch (error) {
        if (!isOAuthRefusal(error)) throw error
        add(oauthErrorResponse(error), { refused: error.reason })
        return false
      }
    }

    try {
      const form = [
        ['grant_type', 'authorization_code'],
        ...credentials,
        ['code', code.clearTextCode],
        ['redirect_uri', code.redirectUri],
        ['code_verifier', code.clearTextVerifier],
      ] as const
      const redeemed = await runStep('token', post('/api/oauth/token', form), () =>
        authorization.tokens.redeemCode({ client, ...code }),
      )
      if (!redeemed || tokens === undefined) return steps

      const { accessToken, refreshToken } = tokens
      const header = `\nAuthorization: Bearer ${accessToken}`
      await runStep('userinfo', `GET ${baseUrl}/api/oauth/userinfo${header}`, async () => {
        const bearer = await authorization.liveTokens.authenticate(accessToken)
        return oauthJson(200, await profile.userinfo(bearer.userId, bearer.scopes))
      })
      if (refreshToken !== undefined) {
        const form = [['grant_type', 'refresh_token'], ...credentials, ['refresh_token', refreshToken]] as const
        const refreshing = { client, clearTextRefreshToken: refreshToken, scope: undefined, origin }
        await runStep('refresh', post('/api/oauth/token', form), () => authorization.tokens.refresh(refreshing))
      }
    } catch (error) {
      if (tokens !== undefined) await authorization.tokens.revoke(revocableToken(tokens), client, origin)
      throw error
    }
    // Revoking the refresh token revokes its whole family. Without a refresh token, the access token is the only token.
    const last = revocableToken(tokens)
    await runStep('revoke', post('/api/oauth/revoke', [['token', last]]), async () => {
      await authorization.tokens.revoke(last, client, origin)
      return oauthEmpty
    })
    return steps
  }

  function authorizeStep(
    parameters: readonly (readonly [string, string])[],
    location: string,
    refused?: string,
  ): TryOutStep {
    const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const request = `GET ${baseUrl}/auth/consent\n?${query.join('\n&')}`
    const answer = `Location: ${location.replace('?', '\n?').replaceAll('&', '\n&')}`
    return { name: 'authorize', request, answer: masked(answer), ...(refused === undefined ? {} : { refused }) }
  }

  function post(path: string, form: readonly (readonly [string, string])[]): string {
    const body = form.map(
      ([name, value]) => `${name}=${value === '$CLIENT_SECRET' ? value : encodeURIComponent(value)}`,
    )
    return `POST ${baseUrl}${path}\nContent-Type: application/x-www-form-urlencoded\n\n${body.join('\n&')}`
  }

  /** A session's number can be reused after the session ends, so the seed also includes the start time. */
  function pkceOf({ number, createdAtMs }: Session, attemptId: AttemptId): PkcePair {
    const seed = `${number}\n${createdAtMs}\n${attemptId}`
    return pairOf(createHmac('sha256', key).update(seed).digest('base64url'))
  }

  return { begin, finish }
}

function revocableToken({ accessToken, refreshToken }: IssuedTokens): string {
  return refreshToken ?? accessToken
}

function tokensIn({ accessToken, refreshToken }: IssuedTokens): NonNullable<TryOutStep['clearTextTokens']> {
  const refresh = refreshToken === undefined ? [] : [{ name: 'refresh_token', clearText: refreshToken }]
  return [{ name: 'access_token', clearText: accessToken }, ...refresh]
}

const shownCharacters = 8_000

function responseText({ status, headers, body }: RawResponse): string {
  const pairs = Array.from({ length: headers.length / 2 }, (_, at) => `${headers[2 * at]}: ${headers[2 * at + 1]}`)
    // Omitted, because the page reformats the body, which changes its length.
    .filter((pair) => !pair.startsWith('content-length:'))
  const pretty = body === '' ? '' : `\n\n${JSON.stringify(JSON.parse(body), null, 2)}`
  const text = `${status} ${STATUS_CODES[status]}\n${pairs.join('\n')}${pretty}`
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}\n…` : text
}

/** Keeps each token's prefix, first and last four characters, so that readers recognize it across steps. */
function masked(text: string): string {
  return text.replace(/(svc_(?:ac|at|rt)_\w{4})\w+(\w{4})/g, '$1…$2')
}

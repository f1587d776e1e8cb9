import { createHmac } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { BrowserInfo, Session } from '../../domain/accounts/accounts.ts'
import type { Application } from '../../domain/applications/applications.ts'
import type { Authorization, IssuedTokens } from '../../domain/authorization/authorization.ts'
import { tryOutAddress } from '../../domain/authorization/try-out.ts'
import type { AttemptId } from '../../domain/ids.ts'
import type { Profile } from '../../domain/profile/profile.ts'
import type { RawResponse } from '../../http/raw-response.ts'
import { isOAuthRefusal, oauthEmpty, oauthErrorAnswer, oauthJson } from '../../oauth/error-reply.ts'
import { tokenBody } from '../../oauth/token-body.ts'
import { requestParameters, type TryOutChoices } from './authorization-url.ts'
import { type PkcePair, pairOf } from './pkce-pair.ts'

/** A request of the round trip with its answer, as text. Codes and tokens in it are masked. */
export interface TryOutStep {
  name: 'authorize' | 'token' | 'userinfo' | 'refresh' | 'revoke'
  request: string
  answer: string
  /** Why it was refused: the `error` of a redirect, or the reason of a refusal. Undefined when it went well. */
  refused?: string
  /** What it yielded, in clear, for whoever wants to see it. */
  clearTextTokens?: readonly { name: string; clearText: string }[]
}

/** The result of a try-out, for its page. */
export interface TryOutResult {
  /** Parameters of the authorization request. */
  choices: TryOutChoices
  /** The steps that were reached. */
  steps: readonly TryOutStep[]
}

/**
 * The round trip of an authorization with an owner's own application, made by the portal in place of the application.
 * Nothing is stored for it: the redirect URI names the attempt, and the PKCE verifier is derived from it and from the
 * portal's session, so that a code is of use in the session that asked for it and in no other.
 */
export class TryOuts {
  readonly #key: Uint8Array
  readonly #baseUrl: string
  readonly #portalUrl: string
  readonly #authorization: Authorization
  readonly #profile: Profile

  constructor(parts: {
    key: Uint8Array
    baseUrl: string
    portalUrl: string
    authorization: Authorization
    profile: Profile
  }) {
    this.#key = parts.key
    this.#baseUrl = parts.baseUrl
    this.#portalUrl = parts.portalUrl
    this.#authorization = parts.authorization
    this.#profile = parts.profile
  }

  /** Begins a try-out. Returns where the browser goes on; or, when the request is refused, its first and only step. */
  async begin(
    session: Session,
    application: Application,
    attemptId: AttemptId,
    choices: TryOutChoices,
  ): Promise<{ address: string } | { refused: TryOutStep }> {
    const redirectUri = tryOutAddress(this.#portalUrl, application.id, attemptId)
    const pkce = this.#pairOf(session, attemptId)
    const parameters = requestParameters(application.clientId, { ...choices, redirectUri, pkce })
    const query = new Map(parameters.map(([name, text]) => [name, [{ text, encoded: encodeURIComponent(text) }]]))
    const reading = await this.#authorization.beginTryOut(query, application, { owner: session.userId, id: attemptId })
    if (reading.kind === 'valid') return { address: `${this.#baseUrl}/auth/consent?attempt=${attemptId}` }
    if (reading.kind !== 'redirect') throw new Error(`a try-out was refused: ${reading.kind}`)
    const answer = this.#authorization.answerAddress(reading, [
      ['error', reading.error],
      ['error_description', reading.description],
    ])
    return { refused: this.#authorizeStep(parameters, answer, reading.error) }
  }

  /**
   * Goes on from the redirect: code, tokens, userinfo, with `offline_access` a refresh, and revocation, until one of
   * them is refused. Whatever was issued is revoked in the end, and what the browser shows can not be used any more.
   *
   * @param answered the path and query that the browser came back with.
   * @returns undefined when there is no such try-out, or its attempt has been pruned.
   */
  async finish(
    session: Session,
    application: Application,
    attemptId: AttemptId,
    answered: { url: string; clearTextCode: string | undefined; error: string | undefined },
  ): Promise<TryOutResult | undefined> {
    const attempt = await this.#authorization.attempt(attemptId)
    if (attempt === undefined || !attempt.request.tryOut || attempt.application.id !== application.id) return undefined
    const { scopes, redirectUri, encodedState = '', skipConsent } = attempt.request
    const pkce = this.#pairOf(session, attemptId)
    const choices = { scopes, state: decodeURIComponent(encodedState), skipConsent }
    const parameters = requestParameters(application.clientId, { ...choices, redirectUri, pkce })
    const location = `${this.#portalUrl}${answered.url}`
    const { clearTextCode } = answered
    if (clearTextCode === undefined) {
      return { steps: [this.#authorizeStep(parameters, location, answered.error ?? 'no-code')], choices }
    }
    const rest = await this.#redeemAndUse(application, {
      clearTextCode,
      redirectUri,
      clearTextVerifier: pkce.clearTextVerifier,
      origin: session.browser,
    })
    return { steps: [this.#authorizeStep(parameters, location), ...rest], choices }
  }

  async #redeemAndUse(
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
    const take = (issued: IssuedTokens): RawResponse => {
      tokens = issued
      return oauthJson(200, tokenBody(issued))
    }
    const send = async (
      name: TryOutStep['name'],
      request: string,
      work: () => Promise<RawResponse>,
    ): Promise<boolean> => {
      const before = tokens
      const { answer, refused } = await answerOf(work)
      const issued = tokens === before || tokens === undefined ? {} : { clearTextTokens: tokensIn(tokens) }
      steps.push({ name, request: masked(request), answer: masked(answerText(answer)), ...refused, ...issued })
      return refused === undefined
    }

    try {
      const form = [
        ['grant_type', 'authorization_code'],
        ...credentials,
        ['code', code.clearTextCode],
        ['redirect_uri', code.redirectUri],
        ['code_verifier', code.clearTextVerifier],
      ] as const
      const redeemed = await send('token', this.#post('/api/oauth/token', form), async () =>
        take(await this.#authorization.redeemCode({ client, ...code })),
      )
      if (!redeemed || tokens === undefined) return steps

      const { accessToken, refreshToken } = tokens
      const header = `\nAuthorization: Bearer ${accessToken}`
      await send('userinfo', `GET ${this.#baseUrl}/api/oauth/userinfo${header}`, async () => {
        const bearer = await this.#authorization.authenticateBearer(accessToken)
        return oauthJson(200, await this.#profile.userinfo(bearer.userId, bearer.scopes))
      })
      if (refreshToken !== undefined) {
        const form = [['grant_type', 'refresh_token'], ...credentials, ['refresh_token', refreshToken]] as const
        await send('refresh', this.#post('/api/oauth/token', form), async () =>
          take(
            await this.#authorization.refresh({
              client,
              clearTextRefreshToken: refreshToken,
              scope: undefined,
              origin,
            }),
          ),
        )
      }
    } catch (error) {
      if (tokens !== undefined) await this.#authorization.revoke(lastOf(tokens), client, origin)
      throw error
    }
    // A refresh token ends with its whole family; without one the access token is all there is.
    const last = lastOf(tokens)
    await send('revoke', this.#post('/api/oauth/revoke', [['token', last]]), async () => {
      await this.#authorization.revoke(last, client, origin)
      return oauthEmpty
    })
    return steps
  }

  #authorizeStep(parameters: readonly (readonly [string, string])[], location: string, refused?: string): TryOutStep {
    const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const request = `GET ${this.#baseUrl}/auth/consent\n?${query.join('\n&')}`
    const answer = `Location: ${location.replace('?', '\n?').replaceAll('&', '\n&')}`
    return { name: 'authorize', request, answer: masked(answer), ...(refused === undefined ? {} : { refused }) }
  }

  #post(path: string, form: readonly (readonly [string, string])[]): string {
    const body = form.map(
      ([name, value]) => `${name}=${value === '$CLIENT_SECRET' ? value : encodeURIComponent(value)}`,
    )
    return `POST ${this.#baseUrl}${path}\nContent-Type: application/x-www-form-urlencoded\n\n${body.join('\n&')}`
  }

  /** Numbers of sessions that are over may be given out again; their beginnings differ. */
  #pairOf({ number, createdAtMs }: Session, attemptId: AttemptId): PkcePair {
    const seed = `${number}\n${createdAtMs}\n${attemptId}`
    return pairOf(createHmac('sha256', this.#key).update(seed).digest('base64url'))
  }
}

/** What the endpoint would answer. Faults of the service are not caught. */
async function answerOf(
  work: () => Promise<RawResponse>,
): Promise<{ answer: RawResponse; refused?: { refused: string } }> {
  try {
    return { answer: await work() }
  } catch (error) {
    if (!isOAuthRefusal(error)) throw error
    return { answer: oauthErrorAnswer(error), refused: { refused: error.reason } }
  }
}

function lastOf({ accessToken, refreshToken }: IssuedTokens): string {
  return refreshToken ?? accessToken
}

function tokensIn({ accessToken, refreshToken }: IssuedTokens): NonNullable<TryOutStep['clearTextTokens']> {
  const refresh = refreshToken === undefined ? [] : [{ name: 'refresh_token', clearText: refreshToken }]
  return [{ name: 'access_token', clearText: accessToken }, ...refresh]
}

/** More than this much of an answer is for a program, not for a page. */
const shownCharacters = 8_000

function answerText({ status, headers, body }: RawResponse): string {
  const pairs = Array.from({ length: headers.length / 2 }, (_, at) => `${headers[2 * at]}: ${headers[2 * at + 1]}`)
    // The body is shown reformatted, with another length.
    .filter((pair) => !pair.startsWith('content-length:'))
  const pretty = body === '' ? '' : `\n\n${JSON.stringify(JSON.parse(body), null, 2)}`
  const text = `${status} ${STATUS_CODES[status]}\n${pairs.join('\n')}${pretty}`
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}\n…` : text
}

/** First characters and last four: enough to follow a token from one step to the next. */
function masked(text: string): string {
  return text.replace(/(svc_(?:ac|at|rt)_\w{4})\w+(\w{4})/g, '$1…$2')
}

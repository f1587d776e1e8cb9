import type { FailurePlace, RequestLog } from '../domain/applications/request-log.ts'
import type { RequestPageFault } from '../domain/authorization/authorization-request.ts'
import { AuthorizationRefusal, type AuthorizationRefusalReason } from '../domain/authorization/refusal.ts'
import type { IssuedTokens } from '../domain/authorization/tokens.ts'
import type { ApplicationId } from '../domain/ids-and-secrets.ts'
import * as limits from '../domain/limits/limits.ts'
import { Refusal } from '../domain/refusal.ts'
import { Type } from '../http/json-schema.ts'
import { type RawResponse, rawResponse } from '../http/raw-exchange.ts'

/** Faults in a request that are detected before any authorization rule is checked. */
type OAuthRequestFault =
  | 'content-type-unsupported'
  | 'body-empty'
  | 'body-malformed'
  | 'body-too-large'
  | 'parameter-repeated'
  | 'parameter-missing'
  | 'parameter-not-a-string'
  | 'grant-type-unsupported'
  | 'client-credentials-missing'
  | 'client-credentials-differ'
  | 'client-authentication-failed'
  | 'too-many-failures'

export class OAuthRefusal extends Refusal<OAuthRequestFault, RefusedRequest> {}

interface RefusedRequest {
  /** The name of the parameter at fault, for the description. Never its value. */
  parameter: string
  retryAfterSeconds: number
  /** Whether the client tried HTTP Basic. If so, the response contains a Basic challenge (RFC 6749, section 5.2). */
  basic: boolean
  /** ID of the client that tried to authenticate, for the log. */
  clientId: string | undefined
}

export const oauthErrorBody = Type.Object(
  {
    error: Type.String('Code of RFC 6749 section 5.2 or RFC 6750 section 3.1.'),
    error_description: Type.String('What happened and what to do, for the developer.'),
  },
  { title: 'OAuthError' },
)

/** Describes the errors of an endpoint that authenticates clients, for the OpenAPI description. */
export function errorsDescribed({ invalid, unauthenticated }: { invalid: string; unauthenticated: string }) {
  return {
    400: { description: invalid, schema: oauthErrorBody },
    401: { description: unauthenticated, schema: oauthErrorBody },
    429: {
      description: 'Over 100 failed client authentications within a minute from this address.',
      schema: oauthErrorBody,
      headers: { 'Retry-After': 'Seconds to wait.' },
    },
    503: unavailableDescribed,
  }
}

export const unavailableDescribed = {
  description: 'The service can not reach its data right now, or it is overloaded.',
  schema: oauthErrorBody,
  headers: { 'Retry-After': 'Seconds to wait.' },
}

interface OAuthWireError {
  status: 400 | 401 | 429 | 503
  error: string
  /** Description sent to the client. `{parameter}` is replaced with the name of the parameter or scope at fault. */
  description: string
}

const invalidRequest = (description: string): OAuthWireError => ({ status: 400, error: 'invalid_request', description })
const invalidGrant = (description: string): OAuthWireError => ({ status: 400, error: 'invalid_grant', description })
const invalidClient = (description: string): OAuthWireError => ({ status: 401, error: 'invalid_client', description })
const invalidToken = (description: string): OAuthWireError => ({ status: 401, error: 'invalid_token', description })

/** The single table of OAuth errors (RFC 6749, section 5.2; RFC 6750, section 3.1). */
const wireErrors: Record<AuthorizationRefusalReason | OAuthRequestFault, OAuthWireError> = {
  'content-type-unsupported': invalidRequest(
    'Send the parameters as application/x-www-form-urlencoded or application/json, and say which in Content-Type.',
  ),
  'body-empty': invalidRequest('The body is empty. Send the parameters in it.'),
  'body-malformed': invalidRequest('The body is not what its Content-Type says. Check its encoding.'),
  'body-too-large': invalidRequest('The body is too large, or has more than 1,000 parameters.'),
  'parameter-repeated': invalidRequest('The parameter {parameter} is repeated. Send it once.'),
  'parameter-missing': invalidRequest('The parameter {parameter} is missing.'),
  'parameter-not-a-string': invalidRequest('The parameter {parameter} must be a string.'),
  'grant-type-unsupported': {
    status: 400,
    error: 'unsupported_grant_type',
    description: 'The grant_type must be authorization_code or refresh_token.',
  },
  'client-credentials-missing': invalidClient(
    'The client did not authenticate. Send client_id and client_secret in the body, or as HTTP Basic.',
  ),
  'client-credentials-differ': invalidRequest(
    'The body and the Authorization header name different client credentials. Send one of them.',
  ),
  'client-authentication-failed': invalidClient(
    'The client_id is unknown or the client_secret is wrong. A rotated secret stops working at once.',
  ),
  'too-many-failures': {
    status: 429,
    error: 'slow_down',
    description: 'Too many failed client authentications from this address. Wait, then check the client_secret.',
  },
  'code-unknown': invalidGrant('The authorization code is not known. Send it exactly as the redirect carried it.'),
  'code-of-another-client': invalidGrant('The authorization code was issued to another client.'),
  'code-expired': invalidGrant('The authorization code has expired; it lives for 5 minutes. Start the flow again.'),
  'code-replayed': invalidGrant(
    'The authorization code was already used, so the tokens it yielded are revoked. Start the flow again.',
  ),
  'code-revoked': invalidGrant('The authorization was revoked before its code was used. Start the flow again.'),
  'redirect-uri-differs': invalidGrant('The redirect_uri is not the one of the authorization request.'),
  'verifier-missing': invalidGrant('The authorization request had a code_challenge, so a code_verifier is needed.'),
  'verifier-unexpected': invalidGrant('There is a code_verifier, but the authorization request had no code_challenge.'),
  'verifier-malformed': invalidGrant(
    'The code_verifier must have 43 to 128 characters, each a letter, a digit or one of -._~ (RFC 7636 section 4.1).',
  ),
  'verifier-wrong': invalidGrant('The code_verifier does not match the code_challenge of the authorization request.'),
  'refresh-token-unknown': invalidGrant('The refresh token is not known. The user has to sign in again.'),
  'refresh-token-of-another-client': invalidGrant('The refresh token was issued to another client.'),
  'refresh-token-expired': invalidGrant('The refresh token has expired; it lives for 30 days from its issue.'),
  'refresh-token-reused': invalidGrant(
    'The refresh token was already used, so its whole token family is revoked. Keep only the newest one.',
  ),
  'refresh-token-revoked': invalidGrant('The token family of this refresh token is revoked.'),
  'scope-exceeds-grant': {
    status: 400,
    error: 'invalid_scope',
    description: 'The scope {parameter} goes beyond what was granted. Ask for a subset, or start the flow again.',
  },
  'access-token-invalid': invalidToken('The access token is not known.'),
  'access-token-expired': invalidToken('The access token has expired; it lives for 15 minutes. Refresh it.'),
  'access-token-revoked': invalidToken('The access token is revoked.'),
}

/** Descriptions of authorization requests whose client or redirect URI can’t be used. */
export const requestFaultDescriptions: Record<RequestPageFault['kind'], string> = {
  'client-id-missing': 'The parameter client_id is missing.',
  'client-id-repeated': 'The parameter client_id is repeated. Send it once.',
  'client-unknown': 'The client_id is unknown.',
  'client-disabled': 'The operator has disabled the application.',
  'redirect-uri-missing': 'The parameter redirect_uri is missing.',
  'redirect-uri-repeated': 'The parameter redirect_uri is repeated. Send it once.',
  'redirect-uri-unregistered': 'The redirect_uri is not registered for this client. It must match exactly.',
}

export type OAuthReason = keyof typeof wireErrors
export const oauthReasons = Object.keys(wireErrors) as OAuthReason[]

export function isOAuthRefusal(error: unknown): error is Refusal<OAuthReason> {
  return error instanceof Refusal && Object.hasOwn(wireErrors, error.reason)
}

/** Returns the error as sent, with the name of the parameter or scope at fault filled in. */
export function oauthErrorOf(refusal: Refusal<OAuthReason>): OAuthWireError {
  const wire = wireErrors[refusal.reason]
  const name = atFault(refusal)
  return { ...wire, description: wire.description.replace(' {parameter}', name === undefined ? '' : ` ${name}`) }
}

/** Returns the error response (RFC 6749, section 5.2), which must not be cached. */
export function oauthErrorResponse(refusal: Refusal<OAuthReason>): RawResponse {
  const { status, error, description: text } = oauthErrorOf(refusal)
  const headers: string[] = []
  if (refusal instanceof OAuthRefusal) {
    const { basic, retryAfterSeconds } = refusal.about
    if (basic && status === 401) headers.push('www-authenticate', 'Basic realm="Gatehouse", charset="UTF-8"')
    if (retryAfterSeconds !== undefined) headers.push('retry-after', String(retryAfterSeconds))
  }
  if (error === 'invalid_token') {
    headers.push('www-authenticate', `Bearer error="invalid_token", error_description="${text}"`)
  }
  return oauthError(status, error, text, headers)
}

export function oauthError(status: number, error: string, description: string, headers?: readonly string[]) {
  return oauthJson(status, { error, error_description: description }, headers)
}

const jsonHeaders = [
  ...['content-type', 'application/json; charset=utf-8'],
  ...['cache-control', 'no-store'],
  ...['pragma', 'no-cache'],
]

/** Returns a JSON response that must not be stored (RFC 6749, section 5.1). */
export function oauthJson(status: number, body: object, headers: readonly string[] = []): RawResponse {
  return rawResponse(status, [...jsonHeaders, ...headers], JSON.stringify(body))
}

/** An empty success response, declared as JSON, because a widely used client rejects an empty one of other types. */
export const oauthEmpty = rawResponse(200, [
  ...['content-type', 'application/json'],
  ...['cache-control', 'no-store'],
  ...['pragma', 'no-cache'],
])

/** Records the error that an application received, so that its owner can see it. Does not record internal errors. */
export function recordRefusal(
  requests: RequestLog,
  error: unknown,
  from: { applicationId: ApplicationId; place: FailurePlace; redirectUri?: string | undefined },
): void {
  if (!isOAuthRefusal(error)) return
  const { applicationId, place, redirectUri = null } = from
  const wire = oauthErrorOf(error)
  requests.recordFailure(applicationId, {
    place,
    error: wire.error,
    description: wire.description,
    reason: error.reason,
    parameter: atFault(error) ?? null,
    // Recorded only if it caused the error.
    redirectUri: error.reason === 'redirect-uri-differs' ? redirectUri : null,
  })
}

function atFault(error: unknown): string | undefined {
  if (error instanceof OAuthRefusal) return error.about.parameter
  return error instanceof AuthorizationRefusal ? error.about.scope : undefined
}

/** Returns the token response (RFC 6749, section 5.1). Its members and their order match the specification's table. */
export function tokenBody({ accessToken, refreshToken, scopes }: IssuedTokens) {
  return {
    access_token: accessToken,
    token_type: 'Bearer' as const,
    expires_in: limits.accessTokenLifetimeSeconds,
    scope: scopes.join(' '),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}

import type { Application } from '../applications/applications.ts'
import { matchesRedirectUri } from '../applications/redirect-uri.ts'
import { asClientId, type ClientId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { isCodeChallenge } from './pkce.ts'
import { isSubset, nameableBeyond, parseScopes } from './scope.ts'

export interface AuthorizationRequest {
  application: Application
  redirectUri: string
  scopes: readonly string[]
  /** Exact bytes, percent-encoded. `undefined` if the client sent none. */
  encodedState: string | undefined
  codeChallenge: string | undefined
  skipConsent: boolean
  /** The owner's test run redirects to a portal page; see `tryOutAddress`. */
  tryOut: boolean
}

/** Shown on a page instead of a redirect, because the client or its redirect URI is not known, or the client disabled. */
export type RequestPageFault =
  | { kind: 'client-id-missing' | 'client-id-repeated' | 'client-unknown' }
  | { kind: 'client-disabled' | 'redirect-uri-missing' | 'redirect-uri-repeated'; application: Application }
  | { kind: 'redirect-uri-unregistered'; application: Application; redirectUri: string }

/** Reported to the application by redirect (RFC 6749 section 4.1.2.1). */
export interface RequestRedirectFault {
  kind: 'redirect'
  application: Application
  redirectUri: string
  encodedState: string | undefined
  error: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope'
  reason: RedirectFaultReason
  /** Set only if the reason can apply to several parameters or scopes. */
  parameter: string | undefined
  description: string
}

export type RequestFault = Pick<RequestRedirectFault, 'error' | 'reason' | 'parameter' | 'description'>

export const redirectFaultReasons = [
  'parameter-repeated',
  'state-too-long',
  'response-type-missing',
  'response-type-unsupported',
  'scope-missing',
  'scope-unknown',
  'challenge-missing',
  'challenge-method-unsupported',
  'challenge-malformed',
  'pkce-required',
] as const
export type RedirectFaultReason = (typeof redirectFaultReasons)[number]

export type RequestReading = { kind: 'valid'; request: AuthorizationRequest } | RequestPageFault | RequestRedirectFault

type Parameters = ReadonlyMap<string, readonly QueryValue[]>

const singleParameters = [
  'response_type',
  'scope',
  'state',
  'consent',
  'prompt',
  'code_challenge',
  'code_challenge_method',
] as const

/** Validates a request (RFC 6749 section 4.1.1): first the client and redirect URI, to which later errors are sent. */
export async function readAuthorizationRequest(
  parameters: Parameters,
  lookups: {
    clientById(clientId: ClientId): Promise<Application | undefined>
    knownScopes(needed: readonly string[]): Promise<readonly string[]>
  },
): Promise<RequestReading> {
  const clientIds = parameters.get('client_id') ?? []
  if (clientIds.length > 1) return { kind: 'client-id-repeated' }
  if (!clientIds[0]?.text) return { kind: 'client-id-missing' }
  const application = await lookups.clientById(asClientId(clientIds[0].text))
  if (application === undefined) return { kind: 'client-unknown' }
  if (application.disabled) return { kind: 'client-disabled', application }

  const redirectUris = parameters.get('redirect_uri') ?? []
  if (redirectUris.length > 1) return { kind: 'redirect-uri-repeated', application }
  const redirectUri = redirectUris[0]?.text
  if (!redirectUri) return { kind: 'redirect-uri-missing', application }
  if (!matchesRedirectUri(application.redirectUris, redirectUri, application.environment)) {
    return { kind: 'redirect-uri-unregistered', application, redirectUri }
  }

  const states = parameters.get('state') ?? []
  // With several, it is unclear which of them the client expects.
  const [state] = states.length === 1 ? states : []
  const encodedState = state?.encoded
  const refused = (fault: RequestFault): RequestRedirectFault => ({
    kind: 'redirect',
    application,
    redirectUri,
    encodedState,
    ...fault,
  })
  const invalid = (reason: RedirectFaultReason, description: string, parameter?: string) =>
    refused({ error: 'invalid_request', reason, parameter, description })

  const repeated = singleParameters.find((name) => (parameters.get(name)?.length ?? 0) > 1)
  if (repeated !== undefined) {
    return invalid('parameter-repeated', `The parameter ${repeated} is repeated. Send it once.`, repeated)
  }
  const one = (name: string): string | undefined => parameters.get(name)?.[0]?.text || undefined

  if (state !== undefined && [...state.text].length > limits.stateMaxCharacters) {
    return invalid('state-too-long', `The parameter state is longer than ${limits.stateMaxCharacters} characters.`)
  }
  const responseType = one('response_type')
  if (responseType === undefined)
    return invalid('response-type-missing', 'The parameter response_type is missing. Send code.')
  if (responseType !== 'code') {
    const description = 'The response_type must be code.'
    const [error, reason] = ['unsupported_response_type', 'response-type-unsupported'] as const
    return refused({ error, reason, parameter: undefined, description })
  }

  const scopes = parseScopes(one('scope') ?? '')
  if (scopes.length === 0) {
    const description = 'The parameter scope is missing. Send at least one scope, for example user.identify.'
    return invalid('scope-missing', description)
  }
  const scopeFault = unknownScopeFault(scopes, await lookups.knownScopes(scopes))
  if (scopeFault !== undefined) return refused(scopeFault)

  const codeChallenge = one('code_challenge')
  const method = one('code_challenge_method')
  if (codeChallenge === undefined && method !== undefined) {
    return invalid('challenge-missing', 'code_challenge_method came without code_challenge. Send both or neither.')
  }
  if (codeChallenge !== undefined && method !== 'S256') {
    const description = 'Only code_challenge_method=S256 is supported, and a missing method means plain.'
    return invalid('challenge-method-unsupported', description)
  }
  if (codeChallenge !== undefined && !isCodeChallenge(codeChallenge)) {
    return invalid('challenge-malformed', 'code_challenge must be the base64url of a SHA-256 digest, 43 characters.')
  }
  if (codeChallenge === undefined && application.requirePkce) {
    return invalid('pkce-required', 'This application requires PKCE. Send code_challenge with method S256.')
  }

  const skipConsent = one('consent') === 'skip' || one('prompt') === 'none'
  const request = { application, redirectUri, scopes, encodedState, codeChallenge, skipConsent, tryOut: false }
  return { kind: 'valid', request }
}

export function unknownScopeFault(scopes: readonly string[], known: readonly string[]): RequestFault | undefined {
  if (isSubset(scopes, known)) return undefined
  const parameter = nameableBeyond(scopes, known)
  const subject = parameter === undefined ? 'A requested scope' : `The scope ${parameter}`
  const description = `${subject} does not exist. The scopes are listed in the OpenAPI description.`
  return { error: 'invalid_scope', reason: 'scope-unknown', parameter, description }
}

export function responseAddress(
  request: { redirectUri: string; encodedState: string | undefined },
  parameters: readonly (readonly [string, string])[],
): string {
  const state = request.encodedState === undefined ? [] : [['state', request.encodedState] as const]
  const encoded = parameters.map(([name, text]) => [name, encodeURIComponent(text)] as const)
  return withQuery(request.redirectUri, [...encoded, ...state])
}

export interface QueryValue {
  /** Decoded as UTF-8. Invalid bytes are replaced. */
  text: string
  /** The exact bytes, percent-encoded. Safe to append to any URL. */
  encoded: string
}

/** Decodes like form data: `+` is a space. Also keeps each value as encoded: `state` must be returned unchanged. */
export function parseQuery(address: string): Map<string, QueryValue[]> {
  const parameters = new Map<string, QueryValue[]>()
  const from = address.indexOf('?')
  if (from === -1) return parameters
  for (const pair of address.slice(from + 1).split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals)).toString('utf8')
    const bytes = decode(equals === -1 ? '' : pair.slice(equals + 1))
    parameters.getOrInsert(name, []).push({ text: bytes.toString('utf8'), encoded: encode(bytes) })
  }
  return parameters
}

/** Keeps the URI's registered query unchanged. */
export function withQuery(redirectUri: string, parameters: readonly (readonly [string, string])[]): string {
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return redirectUri + separator + parameters.map(([name, encoded]) => `${name}=${encoded}`).join('&')
}

function decode(text: string): Buffer {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(bytes, 'latin1')
}

function encode(bytes: Buffer): string {
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  return bytes.toString('latin1').replace(/[^A-Za-z0-9._~-]/g, percent)
}

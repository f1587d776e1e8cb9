import * as limits from '../limits/limits.ts'

export const environments = ['development', 'production'] as const
/**
 * `production` allows only `https://` redirect URIs. `development` also allows `http://` on the browser's own machine.
 */
export type Environment = (typeof environments)[number]

export type RedirectUriFault =
  | 'redirect-uri-too-long'
  | 'redirect-uri-several'
  | 'redirect-uri-not-absolute'
  | 'redirect-uri-characters'
  | 'redirect-uri-wildcard'
  | 'redirect-uri-fragment'
  | 'redirect-uri-user'
  | 'redirect-uri-response-parameter'
  | 'redirect-uri-host'
  | 'redirect-uri-not-https'
  | 'redirect-uri-http-elsewhere'

/** Stored exactly as written, because requests are compared with it character by character. */
export type RedirectUriReading = { redirectUri: string } | { fault: RedirectUriFault }

/**
 * Checks whether a redirect URI may be registered (RFC 6749 section 3.1.2, RFC 8252 section 7.3). The URI must be
 * absolute and must not contain a fragment, user information, a wildcard or a parameter of the response.
 */
export function parseRedirectUri(text: string, environment: Environment): RedirectUriReading {
  if (text.length > limits.redirectUriMaxCharacters) return { fault: 'redirect-uri-too-long' }
  // Several URIs joined by a comma or semicolon would otherwise be one valid URI.
  if (/\S[,;\s]\s*[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { fault: 'redirect-uri-several' }
  // Allows printable ASCII without the characters that RFC 3986 excludes, such as the backslash, which browsers treat
  // as a slash.
  if (!/^[!-~]*$/.test(text) || /["<>\\^`{|}]/.test(text)) return { fault: 'redirect-uri-characters' }
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?/i.exec(text) ?? []
  if (scheme === undefined) return { fault: 'redirect-uri-not-absolute' }
  if (!/^https?$/i.test(scheme)) return { fault: 'redirect-uri-not-https' }
  if (authority === undefined || !URL.canParse(text)) return { fault: 'redirect-uri-not-absolute' }
  if (text.includes('#')) return { fault: 'redirect-uri-fragment' }
  // An `@` with nothing before it is also user information, although the parsed URL shows none.
  if (authority.includes('@')) return { fault: 'redirect-uri-user' }
  if (text.includes('*')) return { fault: 'redirect-uri-wildcard' }
  if (responseParameters.some((name) => new URL(text).searchParams.has(name))) {
    return { fault: 'redirect-uri-response-parameter' }
  }
  // Rejects hosts that browsers rewrite to a different one, such as `127.1`, `%2e`, or an empty host.
  if (authority.replace(/:\d*$/, '').toLowerCase() !== new URL(text).hostname) return { fault: 'redirect-uri-host' }
  if (scheme.length === 'https'.length) return { redirectUri: text }
  if (environment === 'production') return { fault: 'redirect-uri-not-https' }
  return isLocal(authority) ? { redirectUri: text } : { fault: 'redirect-uri-http-elsewhere' }
}

/** The parameters of an authorization response (RFC 6749 sections 4.1.2 and 4.1.2.1, RFC 9207 section 2). */
const responseParameters = ['code', 'state', 'error', 'error_description', 'error_uri', 'iss']

/**
 * Compares URIs character by character. In development, the port of the two loopback IP addresses is ignored, because
 * native clients use a free one each time (RFC 8252 section 7.3). `localhost` is a name, so its port is compared.
 */
export function matchesRedirectUri(
  registered: readonly string[],
  presented: string,
  environment: Environment,
): boolean {
  if (registered.includes(presented)) return true
  if (environment !== 'development') return false
  const wanted = splitLoopback(presented)
  if (wanted === undefined) return false
  return registered.some((uri) => {
    const own = splitLoopback(uri)
    return own !== undefined && own.host === wanted.host && own.rest === wanted.rest
  })
}

export type NotAdded = { kind: 'registered' } | { kind: 'refused'; reason: RedirectUriFault | 'redirect-uris-too-many' }

export type RedirectUriAddition = NotAdded | { kind: 'possible'; risks: readonly AdditionRisk[] }

/**
 * A reason to ask the owner before adding a redirect URI. Anyone can send a link with any redirect URI, and codes go to
 * every registered one.
 *
 * - `new-host`: no registered redirect URI has this host.
 * - `new-address`: one has this host, but the difference is none of the slips of {@link withoutSlips}. Ports, paths and
 *   queries of a host can belong to different people or programs, or redirect onwards.
 * - `marks-end`: the application would lose the operator's marks (see `operatorMarksAfter`).
 */
export type AdditionRisk = 'new-host' | 'new-address' | 'marks-end'

export function redirectUriAddition(
  application: { redirectUris: readonly string[]; environment: Environment; verified: boolean; firstParty: boolean },
  redirectUri: string,
): RedirectUriAddition {
  const { redirectUris, environment, verified, firstParty } = application
  if (redirectUris.includes(redirectUri)) return { kind: 'registered' }
  const reading = parseRedirectUri(redirectUri, environment)
  if ('fault' in reading) return { kind: 'refused', reason: reading.fault }
  if (redirectUris.length >= limits.redirectUrisPerApplication)
    return { kind: 'refused', reason: 'redirect-uris-too-many' }
  const { hostname } = new URL(redirectUri)
  const risks: AdditionRisk[] = []
  const slipless = withoutSlips(redirectUri)
  if (!redirectUris.some((uri) => new URL(uri).hostname === hostname)) risks.push('new-host')
  else if (!redirectUris.some((uri) => withoutSlips(uri) === slipless)) risks.push('new-address')
  if (verified || firstParty) risks.push('marks-end')
  return { kind: 'possible', risks }
}

/** Removes what people get wrong by accident: the scheme, a trailing slash, and the case of the path. */
function withoutSlips(uri: string): string {
  const { host, pathname, search } = new URL(uri)
  return `${host}${pathname.toLowerCase().replace(/\/$/, '')}${search}`
}

function isLocal(authority: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(authority)
}

/** Splits a loopback URI around its port. Returns `undefined` for any other URI. */
function splitLoopback(uri: string): { host: string; rest: string } | undefined {
  const [, host, rest = ''] = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?![^/?])(.*)$/s.exec(uri) ?? []
  // The pattern accepts any path and query, so validate the whole URI.
  if (host === undefined || 'fault' in parseRedirectUri(uri, 'development')) return undefined
  return { host, rest }
}

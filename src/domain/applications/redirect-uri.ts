import { redirectUriMaxCharacters } from '../limits/limits.ts'

export const environments = ['development', 'production'] as const
/** `production` takes `https://` only; `development` also `http://` on this very machine. */
export type Environment = (typeof environments)[number]

export function parseEnvironment(text: string): Environment | undefined {
  return environments.find((environment) => environment === text)
}

export type RedirectUriFault =
  | 'redirect-uri-too-long'
  | 'redirect-uri-not-absolute'
  | 'redirect-uri-characters'
  | 'redirect-uri-wildcard'
  | 'redirect-uri-fragment'
  | 'redirect-uri-user'
  | 'redirect-uri-host'
  | 'redirect-uri-not-https'
  | 'redirect-uri-http-elsewhere'

/** The text is kept as written: it is compared character by character, so it must not be rewritten. */
export type RedirectUriReading = { redirectUri: string } | { fault: RedirectUriFault }

/**
 * Whether a redirect URI may be registered (RFC 6749 section 3.1.2, RFC 8252 section 7.3): absolute, without
 * fragment, user information or wildcard.
 */
export function parseRedirectUri(text: string, environment: Environment): RedirectUriReading {
  if (text.length > redirectUriMaxCharacters) return { fault: 'redirect-uri-too-long' }
  // Printable ASCII without what RFC 3986 leaves out; among that the backslash, which browsers read as a slash.
  if (!/^[!-~]*$/.test(text) || /["<>\\^`{|}]/.test(text)) return { fault: 'redirect-uri-characters' }
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?/i.exec(text) ?? []
  if (scheme === undefined) return { fault: 'redirect-uri-not-absolute' }
  if (!/^https?$/i.test(scheme)) return { fault: 'redirect-uri-not-https' }
  if (authority === undefined || !URL.canParse(text)) return { fault: 'redirect-uri-not-absolute' }
  if (text.includes('#')) return { fault: 'redirect-uri-fragment' }
  // An `@` with nothing before it is user information too, though the parsed URL shows none.
  if (authority.includes('@')) return { fault: 'redirect-uri-user' }
  if (text.includes('*')) return { fault: 'redirect-uri-wildcard' }
  // A host that browsers rewrite (`127.1`, `%2e`, none at all) is not the one its owner reads.
  if (authority.replace(/:\d*$/, '').toLowerCase() !== new URL(text).hostname) return { fault: 'redirect-uri-host' }
  if (scheme.length === 'https'.length) return { redirectUri: text }
  if (environment === 'production') return { fault: 'redirect-uri-not-https' }
  return isLocal(authority) ? { redirectUri: text } : { fault: 'redirect-uri-http-elsewhere' }
}

/**
 * Whether the presented URI is registered: the same, character by character. In development the port of the
 * two loopback literals is left out of the comparison, since native clients take a free one each time
 * (RFC 8252 section 7.3); `localhost` is a name and gets no such licence.
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

/** On the machine of the browser. */
function isLocal(authority: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(authority)
}

/** A loopback literal with whatever port, split around the port; undefined for everything else. */
function splitLoopback(uri: string): { host: string; rest: string } | undefined {
  const [, host, rest = ''] = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?![^/?])(.*)$/s.exec(uri) ?? []
  // What follows the port must not hold anything that could not have been registered.
  if (host === undefined || 'fault' in parseRedirectUri(uri, 'development')) return undefined
  return { host, rest }
}

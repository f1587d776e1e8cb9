import { redirectUrisPerApplication } from '../limits/limits.ts'
import { type Environment, parseRedirectUri, type RedirectUriFault } from './redirect-uri.ts'

/** The reason why a redirect URI is not added: it is already registered, or its registration is not allowed. */
export type NotAdded = { kind: 'registered' } | { kind: 'refused'; reason: RedirectUriFault | 'redirect-uris-too-many' }

/** The result of checking whether a redirect URI from a request can be registered for the application. */
export type RedirectUriAddition = NotAdded | { kind: 'possible'; risks: readonly AdditionRisk[] }

/**
 * A reason to ask the owner before adding a redirect URI. Anyone can send a link with any redirect URI, and codes go to
 * every registered one.
 *
 * - `new-host`: no registered redirect URI has this host.
 * - `marks-end`: the application would lose the operator's marks (see `operator-marks.ts`).
 */
export type AdditionRisk = 'new-host' | 'marks-end'

export function redirectUriAddition(
  application: { redirectUris: readonly string[]; environment: Environment; verified: boolean; firstParty: boolean },
  redirectUri: string,
): RedirectUriAddition {
  const { redirectUris, environment, verified, firstParty } = application
  if (redirectUris.includes(redirectUri)) return { kind: 'registered' }
  const reading = parseRedirectUri(redirectUri, environment)
  if ('fault' in reading) return { kind: 'refused', reason: reading.fault }
  if (redirectUris.length >= redirectUrisPerApplication) return { kind: 'refused', reason: 'redirect-uris-too-many' }
  const { hostname } = new URL(redirectUri)
  const risks: AdditionRisk[] = []
  if (!redirectUris.some((uri) => new URL(uri).hostname === hostname)) risks.push('new-host')
  if (verified || firstParty) risks.push('marks-end')
  return { kind: 'possible', risks }
}

import type { FastifyRequest } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'

/** What is chosen in the generator, from the page's query. */
export interface UrlChoices {
  scopes: readonly string[]
  redirectUri: string
  state: string
  skipConsent: boolean
}

/** Reads the generator's form. Before anything is chosen it stands on the smallest useful request. */
export function readUrlChoices(
  request: FastifyRequest,
  application: OwnedApplication,
  knownScopes: readonly string[],
): UrlChoices {
  const query = request.query as Record<string, string | string[] | undefined>
  const all = (name: string) => [query[name] ?? []].flat()
  const [redirectUri] = all('redirect_uri')
  const asked = redirectUri !== undefined
  return {
    scopes: asked ? knownScopes.filter((scope) => all('scope').includes(scope)) : ['user.identify'],
    redirectUri: application.redirectUris.find((uri) => uri === redirectUri) ?? application.redirectUris[0] ?? '',
    state: all('state')[0] ?? '',
    skipConsent: all('consent')[0] === 'skip',
  }
}

/**
 * The address that starts a sign-in (RFC 6749 section 4.1.1); undefined without a scope. The browser module of the
 * same name makes it while one types.
 */
export function authorizationUrl(
  client: { baseUrl: string; clientId: string },
  { scopes, redirectUri, state, skipConsent }: UrlChoices,
): string | undefined {
  if (scopes.length === 0) return undefined
  const parameters = [
    ['client_id', client.clientId],
    ['redirect_uri', redirectUri],
    ['response_type', 'code'],
    ['scope', scopes.join(' ')],
    ...(state === '' ? [] : [['state', state] as const]),
    ...(skipConsent ? [['consent', 'skip'] as const] : []),
  ] as const
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `${client.baseUrl}/auth/consent?${query}`
}

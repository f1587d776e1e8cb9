import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { codeChallengeOf } from '../../domain/authorization/pkce.ts'
import { describeScopes, needsPin } from '../../domain/authorization/scope.ts'
import type { ApplicationId } from '../../domain/ids-and-secrets.ts'
import { scopeWords } from '../../pages/components/elements.ts'
import { pinLock } from '../../pages/components/pictures.ts'
import { severalOf, textField } from '../../pages/form.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'

export interface UrlChoices {
  scopes: readonly string[]
  redirectUri: string
  state: string
  skipConsent: boolean
  /** A new PKCE pair each time the page is rendered. `undefined` if PKCE is off. */
  pkce: PkcePair | undefined
}

/** Reads the generator's form from the query. If there is none, chooses `user.identify` and the first redirect URI. */
export function readUrlChoices(
  request: FastifyRequest,
  application: OwnedApplication,
  knownScopes: readonly string[],
): UrlChoices {
  const query = request.query as Record<string, string | string[] | undefined>
  const all = (name: string) => [query[name] ?? []].flat()
  const [redirectUri] = all('redirect_uri')
  const asked = redirectUri !== undefined
  const usesPkce = asked ? all('pkce')[0] === 'S256' : application.requirePkce
  return {
    scopes: asked ? knownScopes.filter((scope) => all('scope').includes(scope)) : ['user.identify'],
    redirectUri: application.redirectUris.find((uri) => uri === redirectUri) ?? application.redirectUris[0] ?? '',
    state: all('state')[0] ?? '',
    skipConsent: all('consent')[0] === 'skip',
    pkce: usesPkce ? pairOf(randomBytes(32).toString('base64url')) : undefined,
  }
}

/** Returns the authorization URL (RFC 6749 section 4.1.1), `undefined` without scopes. A browser module updates it. */
export function authorizationUrl(
  client: { baseUrl: string; clientId: string },
  choices: UrlChoices,
): string | undefined {
  if (choices.scopes.length === 0) return undefined
  const parameters = requestParameters(client.clientId, choices)
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `${client.baseUrl}/auth/consent?${query}`
}

/** Returns an authorization request's parameters, in the specification's order. */
export function requestParameters(
  clientId: string,
  { scopes, redirectUri, state, skipConsent, pkce }: UrlChoices,
): (readonly [string, string])[] {
  return [
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['response_type', 'code'],
    ['scope', scopes.join(' ')],
    ...(state === '' ? [] : [['state', state] as const]),
    ...(skipConsent ? [['consent', 'skip'] as const] : []),
    ...(pkce === undefined
      ? []
      : ([
          ['code_challenge', pkce.challenge],
          ['code_challenge_method', 'S256'],
        ] as const)),
  ]
}

export type TryOutChoices = Pick<UrlChoices, 'scopes' | 'state' | 'skipConsent'>

/** Returns the URL of the page that starts a try-out, with these choices already made. */
export function tryItAddress(applicationId: ApplicationId, { scopes, state, skipConsent }: TryOutChoices): string {
  const query = new URLSearchParams([
    ['redirect_uri', ''],
    ...scopes.map((scope) => ['scope', scope]),
    ...(state === '' ? [] : [['state', state]]),
    ...(skipConsent ? [['consent', 'skip']] : []),
  ])
  return `/apps/${applicationId}/try-outs?${query}`
}

/** A PKCE verifier and its S256 challenge (RFC 7636 section 4). `authorization-url.js` makes them, too. */
export interface PkcePair {
  clearTextVerifier: string
  challenge: string
}

export function pairOf(clearTextVerifier: string): PkcePair {
  return { clearTextVerifier, challenge: codeChallengeOf(clearTextVerifier) }
}

export interface DescribedScope {
  name: string
  inWords: Text
}

export async function describedScopes({ scopes }: Pick<Authorization, 'scopes'>): Promise<DescribedScope[]> {
  const descriptions = describeScopes(await scopes.list())
  return Object.keys(descriptions).map((name) => ({ name, inWords: scopeWords(name, descriptions) }))
}

export function stateField(state: string): Html {
  const hint = t`Returned unchanged. Use a new unguessable value for each sign-in.`
  return textField({ label: t.in('parameter')`State`, hint, autocomplete: 'off', code: true }).show('state', state)
}

export function consentChoice(skipConsent: boolean): Html {
  return severalOf({
    label: t`Consent screen`,
    among: [
      {
        value: 'skip',
        label: t`Skip for users who have already allowed these scopes`,
        hint: t.html`Other users return with <code>error=consent_required</code>.`,
      },
    ],
  }).show('consent', skipConsent ? ['skip'] : [])
}

/** Renders a check box per scope. `described` says whether each box also says what its scope allows. */
export function scopeChoices(scopes: readonly DescribedScope[], chosen: readonly string[], described: boolean): Html {
  return severalOf({
    label: t`Scopes`,
    inline: true,
    among: scopes.map(({ name, inWords }) => ({
      value: name,
      label: html`<code>${name}</code>${needsPin([name]) && html` ${pinLock()}`}`,
      ...(described && { hint: inWords }),
    })),
  }).show('scope', chosen)
}

import { loopbackOf } from './surface-address.ts'

interface ProviderClient {
  name: string
  issuer: string
  clientId: string
  clientSecret: string
}

/** A provider with its own user profile format. */
export interface OAuthProviderSettings extends ProviderClient {
  key: 'chat-platform' | 'code-hosting'
  authorizeUrl: string
  tokenUrl: string
  userinfoUrl: string
  /** Scopes to request, separated by spaces. If empty, no scopes are requested. */
  scopes: string
}

/** An OpenID Connect provider, discovered from its issuer. */
export interface OpenIdProviderSettings extends ProviderClient {
  key: 'upstream'
}

export type ProviderSettings = OAuthProviderSettings | OpenIdProviderSettings

interface Preset extends Omit<OAuthProviderSettings, 'clientId' | 'clientSecret'> {
  /** Display name for a provider with its own endpoints but no configured name. */
  genericName: string
}

const discord: Preset = {
  key: 'chat-platform',
  name: 'Discord',
  genericName: 'the chat platform',
  issuer: 'https://discord.com',
  authorizeUrl: 'https://discord.com/oauth2/authorize',
  tokenUrl: 'https://discord.com/api/oauth2/token',
  userinfoUrl: 'https://discord.com/api/users/@me',
  // Omits `openid`: the ID token would have to be verified and adds nothing to the profile.
  scopes: 'identify email',
}

const github: Preset = {
  key: 'code-hosting',
  name: 'GitHub',
  genericName: 'the code-hosting platform',
  // Issuer. Must equal the `iss` parameter in GitHub's redirects (RFC 9207).
  issuer: 'https://github.com/login/oauth',
  authorizeUrl: 'https://github.com/login/oauth/authorize',
  tokenUrl: 'https://github.com/login/oauth/access_token',
  userinfoUrl: 'https://api.github.com/user',
  scopes: '',
}

const endpoints = ['AUTHORIZE_URL', 'TOKEN_URL', 'USERINFO_URL'] as const

export interface SettingsReader {
  given(variable: string): string | undefined
  /** @param expected the values that the variable accepts. Not for secrets: the message quotes the current value. */
  fault(variable: string, expected: string): void
  faults: string[]
}

/** Returns the configured providers. Reports providers whose settings are incomplete. */
export function readProviders(read: SettingsReader): ProviderSettings[] {
  const providers = [
    oauthProvider(read, 'CHAT_PLATFORM', discord),
    oauthProvider(read, 'CODE_HOSTING', github),
    openIdProvider(read),
  ]
  return providers.filter((provider) => provider !== undefined)
}

function oauthProvider(read: SettingsReader, prefix: string, preset: Preset): OAuthProviderSettings | undefined {
  const variables = ['NAME', 'ISSUER', ...endpoints, 'SCOPES']
  const client = clientOf(read, prefix, ['CLIENT_ID', 'CLIENT_SECRET'], variables)
  const own = endpoints.filter((endpoint) => read.given(`${prefix}_${endpoint}`) !== undefined)
  const urls = endpoints.map((endpoint) => address(read, `${prefix}_${endpoint}`))
  const issuer = address(read, `${prefix}_ISSUER`)
  if (own.length > 0 && own.length < endpoints.length) {
    for (const endpoint of endpoints.filter((candidate) => !own.includes(candidate))) {
      read.faults.push(`${prefix}_${endpoint} is missing; set all three endpoints of a provider, or none`)
    }
  }
  if (client === undefined) return undefined
  const [authorizeUrl, tokenUrl, userinfoUrl] = urls
  const { genericName, ...common } = preset
  const defaults =
    authorizeUrl === undefined || tokenUrl === undefined || userinfoUrl === undefined
      ? common
      : { name: genericName, issuer: new URL(authorizeUrl).origin, authorizeUrl, tokenUrl, userinfoUrl, scopes: '' }
  return {
    key: preset.key,
    ...client,
    ...defaults,
    name: read.given(`${prefix}_NAME`) ?? defaults.name,
    issuer: issuer ?? defaults.issuer,
    scopes: read.given(`${prefix}_SCOPES`) ?? defaults.scopes,
  }
}

function openIdProvider(read: SettingsReader): OpenIdProviderSettings | undefined {
  const client = clientOf(read, 'UPSTREAM', ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'], ['NAME'])
  const issuer = address(read, 'UPSTREAM_ISSUER')
  if (client === undefined || issuer === undefined) return undefined
  return { key: 'upstream', ...client, issuer, name: read.given('UPSTREAM_NAME') ?? new URL(issuer).host }
}

/** Returns the client if all its variables are set. If only some are set, reports each missing one. */
function clientOf(
  read: SettingsReader,
  prefix: string,
  required: readonly string[],
  optional: readonly string[],
): { clientId: string; clientSecret: string } | undefined {
  const isGiven = (name: string) => read.given(`${prefix}_${name}`) !== undefined
  const absent = required.filter((name) => !isGiven(name))
  if (absent.length === 0) {
    const [clientId, clientSecret] = [read.given(`${prefix}_CLIENT_ID`), read.given(`${prefix}_CLIENT_SECRET`)]
    return clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret }
  }
  const present = [...required, ...optional].find(isGiven)
  if (present === undefined) return undefined
  for (const name of absent) {
    read.faults.push(`${prefix}_${name} is missing, but ${prefix}_${present} is set; set both or neither`)
  }
  return undefined
}

/** Returns a provider URL as written. Requires TLS, except on this machine: codes and secrets are sent there. */
function address(read: SettingsReader, variable: string): string | undefined {
  const text = read.given(variable)
  if (text === undefined) return undefined
  if (URL.canParse(text)) {
    const url = new URL(text)
    const plain = url.username === '' && url.password === '' && url.hash === ''
    if (plain && (url.protocol === 'https:' || (url.protocol === 'http:' && loopbackOf(url) !== undefined))) return text
  }
  read.fault(variable, 'an https:// URL without user or fragment, or http:// on this machine')
  return undefined
}

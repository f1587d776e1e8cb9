/** What the operator says of a provider that people can sign in with. */
interface ProviderClient {
  /** As people know it. */
  name: string
  issuer: string
  clientId: string
  clientSecret: string
}

/** A provider that speaks OAuth 2.0 and tells in its own words who is there. */
export interface OAuthProviderSettings extends ProviderClient {
  key: 'chat-platform' | 'code-hosting'
  authorizeUrl: string
  tokenUrl: string
  userinfoUrl: string
  /** Separated by spaces; empty: none are asked for. */
  scopes: string
}

/** A provider that speaks OpenID Connect and describes itself at its issuer. */
export interface OpenIdProviderSettings extends ProviderClient {
  key: 'upstream'
}

export type ProviderSettings = OAuthProviderSettings | OpenIdProviderSettings

interface Preset {
  key: OAuthProviderSettings['key']
  name: string
  /** Where the endpoints are other ones. */
  nameElsewhere: string
  issuer: string
  authorizeUrl: string
  tokenUrl: string
  userinfoUrl: string
  scopes: string
}

const discord: Preset = {
  key: 'chat-platform',
  name: 'Discord',
  nameElsewhere: 'the chat platform',
  issuer: 'https://discord.com',
  authorizeUrl: 'https://discord.com/oauth2/authorize',
  tokenUrl: 'https://discord.com/api/oauth2/token',
  userinfoUrl: 'https://discord.com/api/users/@me',
  // Without `openid`: its ID token would have to be judged and tells nothing that the profile does not.
  scopes: 'identify email',
}

const github: Preset = {
  key: 'code-hosting',
  name: 'GitHub',
  nameElsewhere: 'the code-hosting platform',
  // It sends `iss` with its redirects (RFC 9207), and this is what it says there.
  issuer: 'https://github.com/login/oauth',
  authorizeUrl: 'https://github.com/login/oauth/authorize',
  tokenUrl: 'https://github.com/login/oauth/access_token',
  userinfoUrl: 'https://api.github.com/user',
  scopes: '',
}

const endpoints = ['AUTHORIZE_URL', 'TOKEN_URL', 'USERINFO_URL'] as const

/** How the settings read the environment, and where they say what is wrong with it. */
export interface SettingsReader {
  /** Undefined when it is not given. */
  given(variable: string): string | undefined
  /** @param takes what the variable's value can be; the value itself is repeated, so it must be no secret. */
  fault(variable: string, takes: string): void
  /** @param message a whole sentence that names the variable. */
  missing(variable: string, message: string): void
}

/** The providers that are configured; each is all there or not at all. */
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
      const variable = `${prefix}_${endpoint}`
      read.missing(variable, `${variable} is missing; the three endpoints of a provider go together`)
    }
  }
  const [authorizeUrl, tokenUrl, userinfoUrl] = urls
  if (client === undefined) return undefined
  const scopes = read.given(`${prefix}_SCOPES`)
  const name = read.given(`${prefix}_NAME`)
  const { key } = preset
  if (authorizeUrl === undefined || tokenUrl === undefined || userinfoUrl === undefined) {
    const { nameElsewhere: _, ...defaults } = preset
    return { ...defaults, ...client, ...defined({ name, issuer, scopes }) }
  }
  return {
    key,
    ...client,
    name: name ?? preset.nameElsewhere,
    issuer: issuer ?? new URL(authorizeUrl).origin,
    authorizeUrl,
    tokenUrl,
    userinfoUrl,
    scopes: scopes ?? '',
  }
}

function openIdProvider(read: SettingsReader): OpenIdProviderSettings | undefined {
  const client = clientOf(read, 'UPSTREAM', ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'], ['NAME'])
  const issuer = address(read, 'UPSTREAM_ISSUER')
  if (client === undefined || issuer === undefined) return undefined
  return { key: 'upstream', ...client, issuer, name: read.given('UPSTREAM_NAME') ?? new URL(issuer).host }
}

/** The client, when all of it is given; a fault for each part that is missing beside one that is not. */
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
    const variable = `${prefix}_${name}`
    read.missing(variable, `${variable} is missing; it goes with ${prefix}_${present}, so give both or neither`)
  }
  return undefined
}

/** An address of a provider as written; a code must not travel in the clear, except within this machine. */
function address(read: SettingsReader, variable: string): string | undefined {
  const text = read.given(variable)
  if (text === undefined) return undefined
  if (URL.canParse(text)) {
    const { protocol, hostname, username, password, hash } = new URL(text)
    const plain = username === '' && password === '' && hash === ''
    const loopback = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
    if (plain && (protocol === 'https:' || (protocol === 'http:' && loopback))) return text
  }
  read.fault(variable, 'an https:// address without user or fragment, or http:// on this machine')
  return undefined
}

function defined<Members extends object>(members: Members): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}

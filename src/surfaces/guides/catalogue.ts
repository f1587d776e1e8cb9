export const guideGroups = ['start', 'sign-in', 'libraries', 'bots'] as const
export type GuideGroup = (typeof guideGroups)[number]

interface CatalogueEntry {
  /** The guide's path below `/guides/`. */
  name: string
  /** The guide's path in the repository. */
  file: string
  group: GuideGroup
}

/** Every guide, in display order. No other files can be requested. */
export const catalogue = [
  { name: 'quick-start', file: 'docs/quick-start.md', group: 'start' },
  { name: 'errors', file: 'docs/errors.md', group: 'start' },
  { name: 'glossary', file: 'docs/glossary.md', group: 'start' },
  { name: 'sign-in', file: 'docs/integrate/README.md', group: 'sign-in' },
  { name: 'programs', file: 'docs/integrate/programs.md', group: 'sign-in' },
  { name: 'scopes', file: 'docs/scopes.md', group: 'sign-in' },
  { name: 'express', file: 'docs/integrate/express.md', group: 'libraries' },
  { name: 'openid-client', file: 'docs/integrate/openid-client.md', group: 'libraries' },
  { name: 'oauth4webapi', file: 'docs/integrate/oauth4webapi.md', group: 'libraries' },
  { name: 'authjs', file: 'docs/integrate/authjs.md', group: 'libraries' },
  { name: 'better-auth', file: 'docs/integrate/better-auth.md', group: 'libraries' },
  { name: 'passport-oauth2', file: 'docs/integrate/passport-oauth2.md', group: 'libraries' },
  { name: 'simple-oauth2', file: 'docs/integrate/simple-oauth2.md', group: 'libraries' },
  { name: 'arctic', file: 'docs/integrate/arctic.md', group: 'libraries' },
  { name: 'authlib', file: 'docs/integrate/authlib.md', group: 'libraries' },
  { name: 'requests-oauthlib', file: 'docs/integrate/requests-oauthlib.md', group: 'libraries' },
  { name: 'x-oauth2', file: 'docs/integrate/x-oauth2.md', group: 'libraries' },
  { name: 'omniauth-oauth2', file: 'docs/integrate/omniauth-oauth2.md', group: 'libraries' },
  { name: 'league-oauth2-client', file: 'docs/integrate/league-oauth2-client.md', group: 'libraries' },
  { name: 'webhooks', file: 'docs/webhooks.md', group: 'bots' },
  { name: 'owner-api', file: 'docs/owner-api.md', group: 'bots' },
  { name: 'events', file: 'docs/events.md', group: 'bots' },
  { name: 'runtime-protocol', file: 'docs/runtime-protocol.md', group: 'bots' },
  { name: 'typescript-client', file: 'clients/typescript/README.md', group: 'bots' },
  { name: 'python-client', file: 'clients/python/README.md', group: 'bots' },
  { name: 'cli', file: 'clients/cli/README.md', group: 'bots' },
  { name: 'conformance-kit', file: 'clients/conformance/README.md', group: 'bots' },
] as const satisfies readonly CatalogueEntry[]

export type GuideEntry = (typeof catalogue)[number]
export type GuideName = GuideEntry['name']

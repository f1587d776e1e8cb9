import { type Text, t, type Words } from '../../pages/html.ts'

export const guideGroups = {
  start: t`Start here`,
  'sign-in': t`Sign users in`,
  libraries: t`OAuth libraries`,
  bots: t`Webhooks and bots`,
}

export interface GuideEntry {
  group: keyof typeof guideGroups
  name: string
  /** One short line, because the list is long. */
  about: Words | string
  /** The guide's path in the repository. */
  file: string
}

/** Every guide, in display order. No other files can be requested. */
export const catalogue: readonly GuideEntry[] = [
  guide('start', 'quick-start', t`Get a token with curl, receive a webhook in your own bot, and replay a dead letter`),
  guide('start', 'errors', t`All errors from the public endpoints, and what to do about them`),
  guide('start', 'glossary', t`Definitions of terms`),
  guide('sign-in', 'sign-in', t`Endpoints, state, PKCE, refreshing and signing out`, 'docs/integrate/README.md'),
  guide(
    'sign-in',
    'programs',
    t`Settings of n8n, MCP clients, Apache and other programs`,
    'docs/integrate/programs.md',
  ),
  guide('sign-in', 'scopes', t`The data that each scope gives access to`),
  library('express', javaScript(t`a complete application`)),
  library('openid-client', javaScript(t`recommended`)),
  library('oauth4webapi', javaScript(t`without dependencies`)),
  library('authjs', javaScript(t`next-auth 5 and 4, other frameworks`)),
  library('better-auth', javaScript(t`generic OAuth plugin`)),
  library('passport-oauth2', javaScript(t`for Express`)),
  library('simple-oauth2', 'JavaScript, TypeScript'),
  library('arctic', javaScript(t`deprecated by its author`)),
  library('authlib', t`Python, with a Flask application`),
  library('requests-oauthlib', 'Python'),
  library('x-oauth2', 'Go'),
  library('omniauth-oauth2', 'Ruby'),
  library('league-oauth2-client', 'PHP'),
  guide('bots', 'webhooks', t`Send webhooks to a bot: keys, signatures, duplicates and order`),
  guide('bots', 'owner-api', t`Manage deliveries, flows, keys, runtimes and logs with your own scripts`),
  guide(
    'bots',
    'events',
    t`Signed requests to your server when a bot goes offline, webhooks fail or a user revokes access`,
  ),
  guide('bots', 'runtime-protocol', t`How a bot runtime receives webhooks and reports its state`),
  guide('bots', 'typescript-client', t`Bot runtime in Node`, 'clients/typescript/README.md'),
  guide('bots', 'python-client', t`Bot runtime in Python`, 'clients/python/README.md'),
  guide('bots', 'cli', t`Receive and send webhooks in a terminal`, 'clients/cli/README.md'),
  guide('bots', 'conformance-kit', t`Tests for runtime clients in any language`, 'clients/conformance/README.md'),
]

function guide(group: GuideEntry['group'], name: string, about: Words | string, file = `docs/${name}.md`): GuideEntry {
  return { group, name, about, file }
}

function library(name: string, about: Words | string): GuideEntry {
  return guide('libraries', name, about, `docs/integrate/${name}.md`)
}

function javaScript(what: Text): Words {
  return t`JavaScript, TypeScript: ${what}`
}

import { sourceLanguage } from '../../domain/language.ts'
import { html, type Text, t, Words } from '../../pages/html.ts'
import type { GuideGroup, GuideName } from './catalogue.ts'

const groups: Record<GuideGroup, Words> = {
  start: t`Start here`,
  'sign-in': t`Sign users in`,
  libraries: t`OAuth libraries`,
  bots: t`Webhooks and bots`,
}

/** Describes each guide in one short line, because the list is long. */
const about: Record<GuideName, Words | string> = {
  'quick-start': t`Get a token with curl, receive a webhook in your own bot, and replay a dead letter`,
  errors: t`All errors from the public endpoints, and what to do about them`,
  glossary: t`Definitions of terms`,
  'sign-in': t`Endpoints, state, PKCE, refreshing and signing out`,
  programs: t`Settings of n8n, MCP clients, Apache and other programs`,
  scopes: t`The data that each scope gives access to`,
  express: javaScript(t`a complete application`),
  'openid-client': javaScript(t`recommended`),
  oauth4webapi: javaScript(t`without dependencies`),
  authjs: javaScript(t`next-auth 5 and 4, other frameworks`),
  'better-auth': javaScript(t`generic OAuth plugin`),
  'passport-oauth2': javaScript(t`for Express`),
  'simple-oauth2': 'JavaScript, TypeScript',
  arctic: javaScript(t`deprecated by its author`),
  authlib: t`Python, with a Flask application`,
  'requests-oauthlib': 'Python',
  'x-oauth2': 'Go',
  'omniauth-oauth2': 'Ruby',
  'league-oauth2-client': 'PHP',
  webhooks: t`Send webhooks to a bot: keys, signatures, duplicates and order`,
  'owner-api': t`Manage deliveries, flows, keys, runtimes and logs with your own scripts`,
  events: t`Signed requests to your server when a bot goes offline, webhooks fail or a user revokes access`,
  'runtime-protocol': t`How a bot runtime receives webhooks and reports its state`,
  'typescript-client': t`Bot runtime in Node`,
  'python-client': t`Bot runtime in Python`,
  cli: t`Receive and send webhooks in a terminal`,
  'conformance-kit': t`Tests for runtime clients in any language`,
}

function javaScript(what: Text): Words {
  return t`JavaScript, TypeScript: ${what}`
}

export const guideWords = {
  groups,
  about,
  englishOnly: new Words((language) =>
    language === sourceLanguage ? '' : html`<p class="soft">${t`The guides are only in English.`}</p>`,
  ),
  /** Requires at least one of the two names. */
  valuesOf: (application: string | undefined, bot: string | undefined): Words => {
    if (bot === undefined) return t.html`The examples use the client ID of <strong>${application}</strong>.`
    if (application === undefined) return t.html`The examples use the bot <strong>${bot}</strong>.`
    return t.html`The examples use the client ID of <strong>${application}</strong> and the bot <strong>${bot}</strong>.`
  },
}

import { html, type Words, words } from '../../pages/html.ts'
import type { GuideGroup, GuideName } from './catalogue.ts'

const groups: Record<GuideGroup, Words> = {
  start: words({ en: 'Start here', de: 'Einstieg' }),
  'sign-in': words({ en: 'Sign users in', de: 'Benutzer anmelden' }),
  libraries: words({ en: 'OAuth libraries', de: 'OAuth-Bibliotheken' }),
  bots: words({ en: 'Webhooks and bots', de: 'Webhooks und Bots' }),
}

/** Describes each guide in one short line, because the list is long. */
const about: Record<GuideName, Words | string> = {
  'quick-start': words({
    en: 'Get a token with curl, receive a webhook in your own bot, and replay a dead letter',
    de: 'Ein Token mit curl abrufen, einen Webhook im eigenen Bot empfangen und erneut einreihen',
  }),
  errors: words({
    en: 'All errors from the public endpoints, and what to do about them',
    de: 'Alle Fehler der öffentlichen Endpunkte und wie Sie sie beheben',
  }),
  glossary: words({ en: 'Definitions of terms', de: 'Begriffe und ihre Bedeutung' }),
  'sign-in': words({
    en: 'Endpoints, state, PKCE, refreshing and signing out',
    de: 'Endpunkte, State, PKCE, Erneuern und Abmelden',
  }),
  scopes: words({ en: 'The data that each scope gives access to', de: 'Welche Daten die einzelnen Scopes freigeben' }),
  express: javaScript('a complete application', 'eine vollständige Anwendung'),
  'openid-client': javaScript('recommended', 'empfohlen'),
  oauth4webapi: javaScript('without dependencies', 'ohne Abhängigkeiten'),
  authjs: javaScript('next-auth 5 and 4, other frameworks', 'next-auth 5 und 4, andere Frameworks'),
  'better-auth': javaScript('generic OAuth plugin', 'allgemeines OAuth-Plugin'),
  'passport-oauth2': javaScript('for Express', 'für Express'),
  'simple-oauth2': 'JavaScript, TypeScript',
  arctic: javaScript('deprecated by its author', 'vom Autor eingestellt'),
  authlib: words({ en: 'Python, with a Flask application', de: 'Python, mit einer Flask-Anwendung' }),
  'requests-oauthlib': 'Python',
  'x-oauth2': 'Go',
  'omniauth-oauth2': 'Ruby',
  'league-oauth2-client': 'PHP',
  webhooks: words({
    en: 'Send webhooks to a bot: keys, signatures, duplicates and order',
    de: 'Webhooks an einen Bot senden: Schlüssel, Signaturen, Duplikate und Reihenfolge',
  }),
  'owner-api': words({
    en: 'Manage deliveries, flows, keys, runtimes and logs with your own scripts',
    de: 'Zustellungen, Flows, Schlüssel, Runtimes und Protokolle mit eigenen Skripten verwalten',
  }),
  events: words({
    en: 'Signed requests to your server when a bot goes offline, webhooks fail or a user revokes access',
    de: 'Signierte Anfragen an Ihren Server, wenn ein Bot offline geht, Webhooks unzustellbar werden oder ein Benutzer den Zugriff entzieht',
  }),
  'runtime-protocol': words({
    en: 'How a bot runtime receives webhooks and reports its state',
    de: 'Wie eine Bot-Runtime Webhooks empfängt und ihren Zustand meldet',
  }),
  'typescript-client': words({ en: 'Bot runtime in Node', de: 'Bot-Runtime in Node' }),
  'python-client': words({ en: 'Bot runtime in Python', de: 'Bot-Runtime in Python' }),
  cli: words({ en: 'Receive and send webhooks in a terminal', de: 'Webhooks im Terminal empfangen und senden' }),
  'conformance-kit': words({
    en: 'Tests for runtime clients in any language',
    de: 'Tests für Runtime-Clients in jeder Programmiersprache',
  }),
}

function javaScript(en: string, de: string): Words {
  return words({ en: `JavaScript, TypeScript: ${en}`, de: `JavaScript, TypeScript: ${de}` })
}

/** Text on the guides' pages, except for the guides themselves, which are in English. */
export const guideWords = {
  groups,
  about,
  title: words({ en: 'Guides', de: 'Anleitungen' }),
  englishOnly: words({ en: html``, de: html`<p class="soft">Die Anleitungen gibt es nur auf Englisch.</p>` }),
  search: words({ en: 'Search', de: 'Suchen' }),
  searchField: words({ en: 'Search the guides', de: 'Anleitungen durchsuchen' }),
  results: (search: string): Words => words({ en: `Results for “${search}”`, de: `Treffer für „${search}“` }),
  nothingFound: words({ en: 'Nothing found', de: 'Nichts gefunden' }),
  nothingFoundHint: words({
    en: 'Results must contain every word you enter. Try fewer words.',
    de: 'Treffer müssen alle eingegebenen Wörter enthalten. Versuchen Sie es mit weniger Wörtern.',
  }),
  allGuides: words({ en: 'All guides', de: 'Alle Anleitungen' }),
  onThisPage: words({ en: 'On this page', de: 'Auf dieser Seite' }),
  markdown: words({ en: 'View as Markdown', de: 'Als Markdown anzeigen' }),
  packages: words({
    en: html`Find the runtime clients and the command line under <a href="/packages">Packages</a>.`,
    de: html`Die Runtime-Clients und die Kommandozeile finden Sie unter <a href="/packages">Pakete</a>.`,
  }),
  /** Requires at least one of the two names. */
  valuesOf: (application: string | undefined, bot: string | undefined): Words => {
    if (bot === undefined) {
      return words({
        en: html`The examples use the client ID of <strong>${application}</strong>.`,
        de: html`Die Beispiele verwenden die Client-ID von <strong>${application}</strong>.`,
      })
    }
    if (application === undefined) {
      return words({
        en: html`The examples use the bot <strong>${bot}</strong>.`,
        de: html`Die Beispiele verwenden den Bot <strong>${bot}</strong>.`,
      })
    }
    return words({
      en: html`The examples use the client ID of <strong>${application}</strong> and the bot <strong>${bot}</strong>.`,
      de: html`Die Beispiele verwenden die Client-ID von <strong>${application}</strong> und den Bot <strong>${bot}</strong>.`,
    })
  },
}

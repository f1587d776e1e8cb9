import { html, type Words, words } from '../../pages/html.ts'
import { frameWords } from '../../pages/words/frame.ts'
import type { HitKind } from './hits.ts'

/** Names of pages that every user has, unless another surface already defines them. */
export const pageNames = {
  newApplication: words({ en: 'Register an application', de: 'Anwendung registrieren' }),
  name: words({ en: 'Change your name', de: 'Namen ändern' }),
  email: words({ en: 'Change your email address', de: 'E-Mail-Adresse ändern' }),
  password: words({ en: 'Password', de: 'Passwort' }),
  pin: words({ en: 'PIN', de: 'PIN' }),
  passkeys: words({ en: 'Passkeys', de: 'Passkeys' }),
  linked: words({ en: 'Linked accounts', de: 'Verknüpfte Konten' }),
  tokens: words({ en: 'Personal access tokens', de: 'Persönliche Zugriffstokens' }),
  subscriptions: words({ en: 'Event subscriptions', de: 'Ereignis-Abonnements' }),
}

/**
 * Words that users search for although the page's name doesn't contain them, in all languages, by the page's path. Paths
 * of an application's or bot's pages are relative to it.
 */
export const synonymsOfPages: Readonly<Record<string, string>> = {
  '/account': 'user ID Benutzer',
  '/account/security': '2FA MFA two-factor Zwei-Faktor login keys Schlüssel',
  '/account/sessions': 'devices Geräte sign-out logout abmelden browsers',
  '/account/applications': 'apps access grants consents permissions Zugriffe Berechtigungen',
  '/account/activity': 'history audit log Verlauf events Ereignisse Protokoll',
  '/account/name': 'profile',
  '/account/email': 'mail address Mailadresse',
  '/account/password': 'login Kennwort',
  '/account/pin': 'unlock code entsperren',
  '/account/passkeys': '2FA MFA WebAuthn security keys Sicherheitsschlüssel',
  '/account/linked': 'connections social login Verbindungen',
  '/account/tokens': 'API keys PAT API-Schlüssel',
  '/account/subscriptions': 'events outgoing webhooks notifications alerts Ereignisse Benachrichtigungen',
  '/': 'apps OAuth clients',
  '/apps/new': 'create new app client erstellen',
  '/reference': 'documentation docs OpenAPI endpoints Dokumentation',
  '/guides': 'documentation docs help manuals tutorials Dokumentation Hilfe',
  '/packages': 'downloads install SDK CLI libraries Bibliotheken herunterladen',
  '/try-outs': 'test authorization URL testen',
  '/usage': 'statistics metrics requests Statistik Anfragen',
  '/flows': 'webhooks URLs keys signatures Schlüssel Signaturen',
  '/deliveries': 'events webhooks queue dead letters replay Ereignisse Warteschlange wiederholen',
  '/logs': 'errors requests Fehler Anfragen',
  '/activity': 'history audit Verlauf events Ereignisse',
  '/runtimes': 'keys connections hosting Schlüssel Verbindungen',
  '/coworkers': 'members team people users access invitations Mitglieder Benutzer Zugriff Einladungen',
  '/settings': 'hosting public status notice öffentlicher Status Hinweis',
}

/** Text for `/search`. */
export const searchPageWords = {
  title: frameWords.search,
  results: (search: string): Words => words({ en: `Results for “${search}”`, de: `Treffer für „${search}“` }),
  field: words({ en: 'Name, ID or page', de: 'Name, ID oder Seite' }),
  hint: words({
    en: 'Searches your applications, bots, flows and pages, the guides, and webhooks by ID.',
    de: 'Durchsucht Ihre Anwendungen, Bots, Flows und Seiten sowie die Anleitungen. Webhooks finden Sie anhand der ID.',
  }),
  goTo: words({ en: 'Go to', de: 'Direkt zu' }),
  found: words({ en: 'Results', de: 'Treffer' }),
  count: (count: number, more: boolean): Words => {
    if (more) return words({ en: `First ${count} results`, de: `Erste ${count} Treffer` })
    return count === 1
      ? words({ en: '1 result', de: '1 Treffer' })
      : words({ en: `${count} results`, de: `${count} Treffer` })
  },
  nothing: words({ en: 'Nothing found', de: 'Nichts gefunden' }),
  nothingHint: words({
    en: html`<p>Results must contain every word you enter. To find a webhook, enter its whole ID.</p>`,
    de: html`<p>Treffer müssen alle eingegebenen Wörter enthalten. Für einen Webhook geben Sie die vollständige ID ein.</p>`,
  }),
  kinds: {
    application: words({ en: 'Application', de: 'Anwendung' }),
    bot: words({ en: 'Bot', de: 'Bot' }),
    flow: words({ en: 'Flow', de: 'Flow' }),
    page: words({ en: 'Page', de: 'Seite' }),
    guide: words({ en: 'Guide', de: 'Anleitung' }),
    event: words({ en: 'Webhook', de: 'Webhook' }),
  } satisfies Record<HitKind, Words>,
}

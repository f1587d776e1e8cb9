import { t, type Words } from '../../pages/html.ts'
import type { HitKind } from './hits.ts'

/** Names of pages that every user has, unless another surface already defines them. */
export const pageNames = {
  newApplication: t`Register an application`,
  name: t`Change your name`,
  email: t`Change your email address`,
  password: t`Password`,
  pin: t`PIN`,
  passkeys: t`Passkeys`,
  linked: t`Linked accounts`,
  tokens: t`Personal access tokens`,
  subscriptions: t`Event subscriptions`,
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
  title: t`Search`,
  count: (count: number, more: boolean): Words => {
    if (more) return t`First ${count} results`
    return count === 1 ? t`1 result` : t`${count} results`
  },
  kinds: {
    application: t`Application`,
    bot: t`Bot`,
    flow: t`Flow`,
    page: t`Page`,
    guide: t`Guide`,
    event: t`Webhook`,
  } satisfies Record<HitKind, Words>,
}

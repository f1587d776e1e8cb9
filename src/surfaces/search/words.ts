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

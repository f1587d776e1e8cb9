import { html, type Text, type Words, words } from '../../../pages/html.ts'

export const listWords = {
  title: words({ en: 'Applications', de: 'Anwendungen' }),
  caption: words({ en: 'Your applications', de: 'Ihre Anwendungen' }),
  register: words({ en: 'Register an application', de: 'Anwendung registrieren' }),
  deleted: words({
    en: 'Application deleted. Its tokens no longer work.',
    de: 'Anwendung gelöscht. Alle Tokens sind ungültig.',
  }),
  name: words({ en: 'Name', de: 'Name' }),
  clientId: words({ en: 'Client ID', de: 'Client-ID' }),
  users: words({ en: 'Users', de: 'Benutzer' }),
  lastActivity: words({ en: 'Last activity', de: 'Letzte Aktivität' }),
  notUsedYet: words({ en: 'Not used yet', de: 'Noch nicht verwendet' }),
  state: words({ en: 'Environment', de: 'Umgebung' }),
  searchField: words({ en: 'Name, website or client ID', de: 'Name, Website oder Client-ID' }),
  failed: words({ en: 'Failed in 7 days', de: 'Fehler der letzten 7 Tage' }),
  sorts: {
    newest: words({ en: 'Newest first', de: 'Neueste zuerst' }),
    name: words({ en: 'Name', de: 'Name' }),
    failed: words({ en: 'Most failed requests', de: 'Meiste Fehler' }),
    used: words({ en: 'Last activity', de: 'Letzte Aktivität' }),
  },
  noneFound: words({ en: 'No applications found', de: 'Keine Anwendungen gefunden' }),
  noneFoundHint: words({
    en: 'Search for any part of the name, website or client ID.',
    de: 'Sie können nach einem Teil des Namens, der Website oder der Client-ID suchen.',
  }),
  emptyTitle: words({ en: 'You have no applications yet', de: 'Sie haben noch keine Anwendungen' }),
  empty: words({
    en: html`<p>An application lets users sign in to your product with their account here. It reads only what they allow, such as their name, bots or logs.</p>
<ol>
<li>Register it. You get a client ID and a client secret.</li>
<li>Send users to its authorization URL. They give their consent and return with a code.</li>
<li>Exchange the code for tokens on your server, then read the user’s data.</li>
</ol>`,
    de: html`<p>Über eine Anwendung melden sich Benutzer mit ihrem Gatehouse-Konto bei Ihrem Produkt an. Die Anwendung kann nur abrufen, was die Benutzer erlauben, etwa Name, Bots oder Protokolle.</p>
<ol>
<li>Registrieren Sie die Anwendung. Sie erhalten eine Client-ID und ein Client-Secret.</li>
<li>Leiten Sie Benutzer zur Autorisierungs-URL weiter. Nach der Zustimmung werden sie mit einem Code zurückgeleitet.</li>
<li>Lösen Sie den Code auf Ihrem Server gegen Tokens ein. Damit können Sie die Daten abrufen.</li>
</ol>`,
  }),
}

export const registrationWords = {
  title: listWords.register,
  failed: words({ en: 'Application not registered', de: 'Anwendung nicht registriert' }),
  submit: words({ en: 'Register application', de: 'Anwendung registrieren' }),
}

/** Text on every page about an application. */
export const frameWords = {
  title: (part: Text, application: string): Words =>
    words({ en: html`${part}: ${application}`, de: html`${part}: ${application}` }),
  partsOfApplication: words({ en: 'Sections of this application', de: 'Bereiche dieser Anwendung' }),
  verified: words({ en: 'Verified', de: 'Geprüft' }),
  disabled: words({ en: 'Disabled', de: 'Gesperrt' }),
  disabledTitle: words({ en: 'This application is disabled', de: 'Diese Anwendung ist gesperrt' }),
  disabledMeans: words({
    en: 'An administrator disabled it. Users can’t sign in with it, and its requests, codes and tokens are rejected. Only an administrator can enable it again.',
    de: 'Ein Administrator hat sie gesperrt. Benutzer können sich damit nicht anmelden, und ihre Anfragen, Codes und Tokens werden abgelehnt. Nur ein Administrator kann sie wieder freigeben.',
  }),
}

/** Text of the figures at the top of the overview. */
export const factsWords = {
  users: words({ en: 'Users with access', de: 'Benutzer mit Zugriff' }),
  lastUsed: words({ en: 'Last activity', de: 'Letzte Aktivität' }),
  failed: words({ en: 'Failed requests in 7 days', de: 'Fehlgeschlagene Anfragen in 7 Tagen' }),
  seeLogs: (count: number): Words => words({ en: `${count}: see logs`, de: `${count}: zum Protokoll` }),
}

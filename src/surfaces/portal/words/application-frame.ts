import { html, type Text, type Words, words } from '../../../pages/html.ts'

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

import { words } from '../html.ts'

/** Text in the frame around every page. */
export const frameWords = {
  gatehouse: 'Gatehouse',
  skip: words({ en: 'Skip to content', de: 'Zum Inhalt springen' }),
  main: words({ en: 'Main', de: 'Hauptnavigation' }),
  menu: words({ en: 'Menu for', de: 'Menü von' }),
  more: words({ en: 'More pages', de: 'Weitere Seiten' }),
  account: words({ en: 'Account', de: 'Konto' }),
  yourAccount: words({ en: 'Your account', de: 'Ihr Konto' }),
  bots: words({ en: 'Bots', de: 'Bots' }),
  portal: words({ en: 'Developer portal', de: 'Entwicklerportal' }),
  applications: words({ en: 'Applications', de: 'Anwendungen' }),
  reference: words({ en: 'API reference', de: 'API-Referenz' }),
  search: words({ en: 'Search', de: 'Suchen' }),
  /** The key that opens the search, as on the keyboard. */
  searchKey: words({ en: 'Ctrl K', de: 'Strg K' }),
  guides: words({ en: 'Guides', de: 'Anleitungen' }),
  packages: words({ en: 'Packages', de: 'Pakete' }),
  documentation: words({ en: 'Documentation', de: 'Dokumentation' }),
  signOut: words({ en: 'Sign out', de: 'Abmelden' }),
  theme: words({ en: 'Theme', de: 'Design' }),
  themes: {
    light: words({ en: 'Light', de: 'Hell' }),
    dark: words({ en: 'Dark', de: 'Dunkel' }),
    system: words({ en: 'System', de: 'System' }),
  },
  language: words({ en: 'Language', de: 'Sprache' }),
  formIgnored: {
    title: words({ en: 'You’re signed in again', de: 'Sie sind wieder angemeldet' }),
    body: words({
      en: 'Your session had expired, so nothing was saved.',
      de: 'Ihre Sitzung war abgelaufen, daher wurde nichts gespeichert.',
    }),
  },
  /** The script replaces “UTC” with the browser's time zone. */
  zone: words({ en: 'Times in UTC', de: 'Zeiten in UTC' }),
  current: words({ en: '(current)', de: '(aktuell)' }),
}

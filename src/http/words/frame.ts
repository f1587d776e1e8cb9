import { words } from '../html.ts'

/** Around every page. */
export const frameWords = {
  skip: words({ en: 'Skip to content', de: 'Zum Inhalt springen' }),
  main: words({ en: 'Main', de: 'Hauptbereiche' }),
  account: words({ en: 'Account', de: 'Konto' }),
  bots: words({ en: 'Bots', de: 'Bots' }),
  signOut: words({ en: 'Sign out', de: 'Abmelden' }),
  colours: words({ en: 'Colours', de: 'Farben' }),
  themes: {
    light: words({ en: 'Light', de: 'Hell' }),
    dark: words({ en: 'Dark', de: 'Dunkel' }),
    system: words({ en: 'System', de: 'System' }),
  },
  language: words({ en: 'Language', de: 'Sprache' }),
  inUse: words({ en: '(in use)', de: '(in Gebrauch)' }),
}

import { words } from '../html.ts'

/** Around every page. */
export const frameWords = {
  skip: words({ en: 'Skip to content', de: 'Zum Inhalt springen' }),
  main: words({ en: 'Main', de: 'Hauptbereiche' }),
  account: words({ en: 'Account', de: 'Konto' }),
  yourAccount: words({ en: 'Your account', de: 'Ihr Konto' }),
  bots: words({ en: 'Bots', de: 'Bots' }),
  portal: words({ en: 'Developer portal', de: 'Entwicklerportal' }),
  applications: words({ en: 'Applications', de: 'Anwendungen' }),
  reference: words({ en: 'API reference', de: 'API-Referenz' }),
  guides: words({ en: 'Guides', de: 'Anleitungen' }),
  signOut: words({ en: 'Sign out', de: 'Abmelden' }),
  colours: words({ en: 'Colours', de: 'Farben' }),
  themes: {
    light: words({ en: 'Light', de: 'Hell' }),
    dark: words({ en: 'Dark', de: 'Dunkel' }),
    system: words({ en: 'System', de: 'System' }),
  },
  language: words({ en: 'Language', de: 'Sprache' }),
  kept: {
    title: words({ en: 'You are signed in again', de: 'Sie sind wieder angemeldet' }),
    body: words({
      en: 'Your session had ended, so what you sent did nothing. What you typed stands below, except passwords and other secrets. Check it and send it again.',
      de: 'Ihre Sitzung war beendet, deshalb hat das Gesendete nichts bewirkt. Was Sie eingegeben haben, steht unten, außer Passwörtern und anderen Geheimnissen. Prüfen Sie es und senden Sie es noch einmal.',
    }),
  },
  inUse: words({ en: '(in use)', de: '(in Gebrauch)' }),
}

import { html, type Text, type Words, words } from '../html.ts'

/** Text in components. */
export const componentWords = {
  trail: words({ en: 'Breadcrumbs', de: 'Pfad' }),
  copy: {
    copy: words({ en: 'Copy', de: 'Kopieren' }),
    copied: words({ en: 'Copied', de: 'Kopiert' }),
    selected: words({ en: 'Selected', de: 'Markiert' }),
    withTheKeyboard: words({
      en: 'Selected. Copy it with your keyboard.',
      de: 'Markiert. Kopieren Sie den Text mit der Tastatur.',
    }),
  },
  error: words({ en: 'Error: ', de: 'Fehler: ' }),
  faults: (count: number): Words =>
    count === 1
      ? words({ en: 'Check 1 field', de: 'Bitte 1 Feld prüfen' })
      : words({ en: `Check ${count} fields`, de: `Bitte ${count} Felder prüfen` }),
  sampleLanguage: (title: Text): Words => words({ en: html`${title}: language`, de: html`${title}: Sprache` }),
}

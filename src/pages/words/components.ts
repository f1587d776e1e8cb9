import { html, type Text, type Words, words } from '../html.ts'

/** Text in the shared page components. */
export const componentWords = {
  trail: words({ en: 'Breadcrumbs', de: 'Navigationspfad' }),
  copy: {
    copy: words({ en: 'Copy', de: 'Kopieren' }),
    copied: words({ en: 'Copied', de: 'Kopiert' }),
    selected: words({ en: 'Selected', de: 'Markiert' }),
    withTheKeyboard: words({
      en: 'The text is selected. Copy it with your keyboard.',
      de: 'Der Text ist markiert. Kopieren Sie ihn mit der Tastatur.',
    }),
  },
  list: {
    sort: words({ en: 'Sort by', de: 'Sortieren nach' }),
    show: words({ en: 'Search', de: 'Suchen' }),
    all: words({ en: 'Show all', de: 'Alle anzeigen' }),
    found: (count: number, all: number): Words =>
      words({ en: `${count} of ${all} match.`, de: `${count} von ${all} gefunden.` }),
    noneFound: words({ en: 'Nothing matches', de: 'Keine Treffer' }),
    noneFoundHint: words({
      en: 'Search for any part of a name or ID.',
      de: 'Sie können nach einem Teil des Namens oder der ID suchen.',
    }),
  },
  error: words({ en: 'Error: ', de: 'Fehler: ' }),
  faults: (count: number): Words =>
    count === 1
      ? words({ en: 'Check 1 field', de: 'Bitte 1 Feld prüfen' })
      : words({ en: `Check ${count} fields`, de: `Bitte ${count} Felder prüfen` }),
  sampleLanguage: (title: Text): Words => words({ en: html`${title}: language`, de: html`${title}: Sprache` }),
}

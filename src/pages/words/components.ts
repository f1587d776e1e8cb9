import type { DifferenceKind } from '../../domain/applications/redirect-uri-difference.ts'
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

/** Text in tables of client secrets, flow keys, runtime keys and other access that can be revoked. */
export const secretTableWords = {
  label: words({ en: 'Label', de: 'Bezeichnung' }),
  currentKey: words({ en: 'Current key', de: 'Aktueller Schlüssel' }),
  previousKey: words({ en: 'Previous key', de: 'Vorheriger Schlüssel' }),
  key: words({ en: 'Key', de: 'Schlüssel' }),
  created: words({ en: 'Created', de: 'Erstellt' }),
  lastUsed: words({ en: 'Last used', de: 'Zuletzt verwendet' }),
  never: words({ en: 'Never', de: 'Nie' }),
  /** Last-use times are collected in memory; `startFlushing` in `upkeep/upkeep.ts` stores them every minute. */
  lastUsedIsLate: words({
    en: 'Last-used times are updated every minute.',
    de: 'Angaben zur letzten Verwendung werden jede Minute aktualisiert.',
  }),
  expires: (when: Text): Words => words({ en: html`Expires ${when}`, de: html`Läuft ${when} ab` }),
  shownAbove: words({ en: 'Shown above', de: 'Oben angezeigt' }),
  action: words({ en: 'Action', de: 'Aktion' }),
  revoke: words({ en: 'Revoke', de: 'Widerrufen' }),
  replaceOnly: words({ en: 'Can only be replaced', de: 'Nicht widerrufbar, nur ersetzbar' }),
}

/** Text that compares the redirect URI in a request with the most similar registered one. */
export const differenceWords = {
  registered: words({ en: 'Registered', de: 'Registriert' }),
  add: words({ en: 'Add this redirect URI', de: 'Diese Redirect-URI hinzufügen' }),
  sent: words({ en: 'Sent', de: 'Gesendet' }),
  kinds: {
    'slash-at-end': words({
      en: 'They differ only in the slash at the end.',
      de: 'Die beiden URIs unterscheiden sich nur durch den Schrägstrich am Ende.',
    }),
    case: words({
      en: 'They differ only in capitalization.',
      de: 'Die beiden URIs unterscheiden sich nur in der Groß- und Kleinschreibung.',
    }),
    scheme: words({
      en: 'They differ only in the scheme: http and https.',
      de: 'Die beiden URIs unterscheiden sich nur im Schema: http und https.',
    }),
    www: words({
      en: 'One has www. before the host, and the other doesn’t.',
      de: 'Die beiden URIs unterscheiden sich nur durch „www.“ vor dem Host.',
    }),
    port: words({ en: 'They differ only in the port.', de: 'Die beiden URIs unterscheiden sich nur im Port.' }),
    query: words({
      en: 'They differ only in the query.',
      de: 'Die beiden URIs unterscheiden sich nur in den Query-Parametern.',
    }),
    otherwise: words({
      en: 'This is the closest registered URI. Differences are marked.',
      de: 'Diese registrierte URI ist am ähnlichsten. Unterschiede sind markiert.',
    }),
  } satisfies Record<DifferenceKind, Words>,
}

import { html, type Text, type Words, words } from '../html.ts'

/** Text in tables of client secrets, flow keys, runtime keys and other access that can be revoked. */
export const secretTableWords = {
  label: words({ en: 'Label', de: 'Bezeichnung' }),
  currentKey: words({ en: 'Current key', de: 'Aktueller Schlüssel' }),
  previousKey: words({ en: 'Previous key', de: 'Vorheriger Schlüssel' }),
  key: words({ en: 'Key', de: 'Schlüssel' }),
  created: words({ en: 'Created', de: 'Erstellt' }),
  lastUsed: words({ en: 'Last used', de: 'Zuletzt verwendet' }),
  never: words({ en: 'Never', de: 'Nie' }),
  /** Times of use are collected in memory, and `upkeep/upkeep.ts` stores them every minute. */
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

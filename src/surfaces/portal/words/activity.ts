import { type Words, words } from '../../../pages/html.ts'

/** Texts of the events of an application. */
export const activityWords = {
  title: words({ en: 'Recent activity', de: 'Letzte Ereignisse' }),
  about: words({
    en: 'What you, the people who use it, and its own calls did. Where people browse from is not shown.',
    de: 'Was Sie, ihre Benutzer und ihre eigenen Aufrufe getan haben. Von wo aus jemand surft, wird nicht gezeigt.',
  }),
  nothing: words({
    en: 'Nothing yet. Grants, revocations and changes will stand here.',
    de: 'Noch nichts. Erteilte Zugriffe, Widerrufe und Änderungen werden hier stehen.',
  }),
  all: words({ en: 'All activity', de: 'Alle Ereignisse' }),
  pageTitle: (name: string): Words => words({ en: `Activity of ${name}`, de: `Ereignisse von ${name}` }),
  heading: words({ en: 'Activity', de: 'Ereignisse' }),
  kept: words({
    en: 'Kept for 400 days. Where the people who use it browse from is not shown.',
    de: '400 Tage lang aufgehoben. Von wo aus ihre Benutzer surfen, wird nicht gezeigt.',
  }),
  nothingBefore: words({ en: 'There is nothing before this.', de: 'Davor gibt es nichts.' }),
}

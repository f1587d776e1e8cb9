import { type Words, words } from '../../../pages/html.ts'

export const activityWords = {
  title: words({ en: 'Recent activity', de: 'Letzte Ereignisse' }),
  about: words({
    en: 'Actions by you, your users and the application itself. Users’ IP addresses and browsers are not shown.',
    de: 'Ihre Aktionen, die Ihrer Benutzer und die der Anwendung selbst. IP-Adressen und Browser der Benutzer werden nicht angezeigt.',
  }),
  nothing: words({
    en: 'No activity yet. Grants, revocations and changes appear here.',
    de: 'Noch keine Ereignisse. Hier erscheinen erteilte Zugriffe, Widerrufe und Änderungen.',
  }),
  all: words({ en: 'All activity', de: 'Alle Ereignisse' }),
  pageTitle: (name: string): Words => words({ en: `Activity of ${name}`, de: `Ereignisse von ${name}` }),
  heading: words({ en: 'Activity', de: 'Ereignisse' }),
  kept: words({
    en: 'Kept for 400 days. Users’ IP addresses and browsers are not shown.',
    de: 'Wird 400 Tage lang aufbewahrt. IP-Adressen und Browser der Benutzer werden nicht angezeigt.',
  }),
  nothingBefore: words({ en: 'No earlier activity.', de: 'Keine früheren Ereignisse.' }),
}

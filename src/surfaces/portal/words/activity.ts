import { type Words, words } from '../../../pages/html.ts'

export const activityWords = {
  title: words({ en: 'Recent activity', de: 'Letzte Aktivitäten' }),
  about: words({
    en: 'Actions by you, your users and the application itself. Users’ IP addresses and browsers are not shown.',
    de: 'Aktionen von Ihnen, Ihren Benutzern und der Anwendung selbst. IP-Adressen und Browser der Benutzer werden nicht angezeigt.',
  }),
  nothing: words({
    en: 'No activity yet. Grants, revocations and changes appear here.',
    de: 'Noch keine Aktivitäten. Hier erscheinen erteilte Zugriffe, Widerrufe und Änderungen.',
  }),
  all: words({ en: 'All activity', de: 'Alle Aktivitäten' }),
  pageTitle: (name: string): Words => words({ en: `Activity of ${name}`, de: `Aktivitäten von ${name}` }),
  heading: words({ en: 'Activity', de: 'Aktivitäten' }),
  kept: words({
    en: 'Kept for 400 days. Users’ IP addresses and browsers are not shown.',
    de: 'Aktivitäten werden 400 Tage aufbewahrt. IP-Adressen und Browser der Benutzer werden nicht angezeigt.',
  }),
  nothingBefore: words({ en: 'No earlier activity.', de: 'Keine früheren Aktivitäten.' }),
}

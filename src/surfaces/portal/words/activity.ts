import { words } from '../../../pages/html.ts'

export const activityWords = {
  heading: words({ en: 'Activity', de: 'Aktivitäten' }),
  kept: words({
    en: 'Actions by you, your users and the application itself, kept for 400 days. Users’ IP addresses and browsers are not shown.',
    de: 'Aktionen von Ihnen, Ihren Benutzern und der Anwendung selbst aus den letzten 400 Tagen. IP-Adressen und Browser der Benutzer werden nicht angezeigt.',
  }),
  nothing: words({ en: 'No earlier activity', de: 'Keine älteren Aktivitäten' }),
  nothingMeans: words({
    en: 'Grants, revocations and changes appear here.',
    de: 'Hier erscheinen erteilte Zugriffe, Widerrufe und Änderungen.',
  }),
}

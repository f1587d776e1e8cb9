import { html, type Words, words } from '../../../pages/html.ts'

export const usageWords = {
  title: words({ en: 'Usage', de: 'Nutzung' }),
  about: words({
    en: 'The last 30 days, per UTC day. Only successful refreshes count.',
    de: 'Die letzten 30 Tage, nach UTC-Tagen. Nur erfolgreiche Erneuerungen werden gezählt.',
  }),
  users: (count: number): Words =>
    count === 1
      ? words({
          en: html`<strong>1</strong> user has given the application access.`,
          de: html`<strong>1</strong> Benutzer hat der Anwendung Zugriff gewährt.`,
        })
      : words({
          en: html`<strong>${count}</strong> users have given the application access.`,
          de: html`<strong>${count}</strong> Benutzer haben der Anwendung Zugriff gewährt.`,
        }),
  grants: words({ en: 'Grants', de: 'Erteilte Zugriffe' }),
  refreshes: words({ en: 'Refreshes', de: 'Erneuerungen' }),
  errors: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  today: words({ en: 'today', de: 'heute' }),
  peak: (figure: number): Words => words({ en: `peak ${figure} per day`, de: `Spitzenwert: ${figure} pro Tag` }),
  seeFailed: words({ en: 'See failed requests', de: 'Fehlgeschlagene Anfragen anzeigen' }),
  asTable: words({ en: 'Figures per day', de: 'Zahlen pro Tag' }),
  day: words({ en: 'Day', de: 'Tag' }),
  nothing: words({ en: 'No activity in these 30 days.', de: 'Keine Nutzung in diesen 30 Tagen.' }),
}

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

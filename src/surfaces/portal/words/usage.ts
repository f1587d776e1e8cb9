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
          en: html`<strong>1</strong> user has given it access.`,
          de: html`<strong>1</strong> Benutzer hat der Anwendung Zugriff gewährt.`,
        })
      : words({
          en: html`<strong>${count}</strong> users have given it access.`,
          de: html`<strong>${count}</strong> Benutzer haben der Anwendung Zugriff gewährt.`,
        }),
  grants: words({ en: 'Grants', de: 'Erteilte Zugriffe' }),
  refreshes: words({ en: 'Refreshes', de: 'Erneuerungen' }),
  errors: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  today: words({ en: 'today', de: 'heute' }),
  peak: (figure: number): Words => words({ en: `peak ${figure} per day`, de: `Spitzenwert: ${figure} pro Tag` }),
  asTable: words({ en: 'Figures per day', de: 'Zahlen pro Tag' }),
  day: words({ en: 'Day', de: 'Tag' }),
  nothing: words({ en: 'No activity in these 30 days.', de: 'Keine Nutzung in diesen 30 Tagen.' }),
}

export const failuresWords = {
  title: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  about: words({
    en: 'The latest 50 of the last 30 days, with their responses. Codes, tokens and secrets are not stored. Anyone who knows the client ID can cause some of them.',
    de: 'Die letzten 50 aus den vergangenen 30 Tagen, mit den Antworten. Codes, Tokens und Secrets werden nicht gespeichert. Einige dieser Fehler kann jeder auslösen, der die Client-ID kennt.',
  }),
  none: words({
    en: 'No failed requests in the last 30 days.',
    de: 'Keine fehlgeschlagenen Anfragen in den letzten 30 Tagen.',
  }),
  caption: words({ en: 'Failed requests, newest first', de: 'Fehlgeschlagene Anfragen, neueste zuerst' }),
  cause: words({ en: 'Cause', de: 'Ursache' }),
  where: words({ en: 'Where', de: 'Schritt' }),
  when: words({ en: 'When', de: 'Zeitpunkt' }),
  places: {
    consent: words({ en: 'Consent', de: 'Zustimmung' }),
    credentials: words({ en: 'Client authentication', de: 'Client-Authentifizierung' }),
    token: words({ en: 'Token', de: 'Token' }),
    userinfo: words({ en: 'Userinfo', de: 'Userinfo' }),
  },
  pageShown: words({
    en: 'An error page was shown instead of a redirect.',
    de: 'Statt einer Weiterleitung wurde eine Fehlerseite angezeigt.',
  }),
  registeredNow: words({
    en: 'This redirect URI has been registered since.',
    de: 'Diese Redirect-URI ist inzwischen registriert.',
  }),
}

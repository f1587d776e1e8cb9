import { html, type Words, words } from '../../../pages/html.ts'

/** How an application is used, and what of its requests failed. */
export const usageWords = {
  title: words({ en: 'Use', de: 'Nutzung' }),
  about: words({
    en: 'The last 30 days, by days in UTC. Refreshes are counted when they succeed.',
    de: 'Die letzten 30 Tage, nach Tagen in UTC. Erneuerungen zählen, wenn sie gelingen.',
  }),
  users: (count: number): Words =>
    count === 1
      ? words({
          en: html`<strong>1</strong> user has given it access.`,
          de: html`<strong>1</strong> Benutzer hat ihr Zugriff gegeben.`,
        })
      : words({
          en: html`<strong>${count}</strong> users have given it access.`,
          de: html`<strong>${count}</strong> Benutzer haben ihr Zugriff gegeben.`,
        }),
  grants: words({ en: 'Grants', de: 'Erteilte Zugriffe' }),
  refreshes: words({ en: 'Refreshes', de: 'Erneuerungen' }),
  errors: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  today: words({ en: 'today', de: 'heute' }),
  highest: (figure: number): Words => words({ en: `at most ${figure} a day`, de: `höchstens ${figure} am Tag` }),
  asTable: words({ en: 'Figures of each day', de: 'Zahlen jedes Tages' }),
  day: words({ en: 'Day', de: 'Tag' }),
  nothing: words({ en: 'Nothing happened on these days.', de: 'An diesen Tagen ist nichts geschehen.' }),
}

export const failuresWords = {
  title: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  about: words({
    en: 'The latest 50 of the last 30 days, each with what was answered. No code, token or secret is kept. Whoever knows the client id can cause some of them.',
    de: 'Die letzten 50 der vergangenen 30 Tage, jede mit der Antwort darauf. Weder Codes noch Tokens noch Secrets werden aufgehoben. Manche kann jeder verursachen, der die Client-ID kennt.',
  }),
  none: words({
    en: 'No request of this application has failed in the last 30 days.',
    de: 'In den letzten 30 Tagen ist keine Anfrage dieser Anwendung fehlgeschlagen.',
  }),
  caption: words({ en: 'Failed requests, newest first', de: 'Fehlgeschlagene Anfragen, neueste zuerst' }),
  cause: words({ en: 'Cause', de: 'Ursache' }),
  where: words({ en: 'Where', de: 'Wo' }),
  when: words({ en: 'When', de: 'Wann' }),
  places: {
    consent: words({ en: 'Consent', de: 'Zustimmung' }),
    credentials: words({ en: 'Client authentication', de: 'Client-Authentisierung' }),
    token: words({ en: 'Token', de: 'Token' }),
    userinfo: words({ en: 'Userinfo', de: 'Userinfo' }),
  },
  pageShown: words({ en: 'A page was shown, without a redirect.', de: 'Eine Seite wurde gezeigt, ohne Umleitung.' }),
  registeredNow: words({
    en: 'This redirect URI is registered now.',
    de: 'Dieser Redirect-URI ist inzwischen registriert.',
  }),
}

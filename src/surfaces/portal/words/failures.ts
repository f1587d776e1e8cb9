import { failedRequestsKept } from '../../../domain/limits/limits.ts'
import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** Text of an application's log of failed requests. */
export const failuresWords = {
  title: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  about: words({
    en: `The latest ${failedRequestsKept} of the last 30 days, grouped by cause. Codes, tokens and secrets are not stored. Anyone with the client ID can cause some of these failures.`,
    de: `Die letzten ${failedRequestsKept} aus den vergangenen 30 Tagen, nach Ursache gruppiert. Codes, Tokens und Secrets werden nicht gespeichert. Einige dieser Fehler kann jeder auslösen, der die Client-ID kennt.`,
  }),
  none: words({
    en: 'No failed requests in the last 30 days',
    de: 'Keine fehlgeschlagenen Anfragen in den letzten 30 Tagen',
  }),
  noneMeans: words({
    en: html`If a request is rejected, its cause appears here. <a href="/guides/errors">See all causes</a>`,
    de: html`Wird eine Anfrage abgelehnt, erscheint hier die Ursache. <a href="/guides/errors">Alle Ursachen anzeigen</a>`,
  }),
  noneFound: words({ en: 'No failed requests found', de: 'Keine fehlgeschlagenen Anfragen gefunden' }),
  noneFoundMeans: words({
    en: 'Search for part of a cause, error code or redirect URI, or choose a longer period.',
    de: 'Suchen Sie nach einem Teil der Ursache, des Fehlercodes oder der Redirect-URI, oder wählen Sie einen längeren Zeitraum.',
  }),
  search: words({ en: 'Cause, error code or redirect URI', de: 'Ursache, Fehlercode oder Redirect-URI' }),
  time: words({ en: 'Time', de: 'Zeitraum' }),
  since: {
    month: words({ en: 'Last 30 days', de: 'Letzte 30 Tage' }),
    week: words({ en: 'Last 7 days', de: 'Letzte 7 Tage' }),
    day: words({ en: 'Last 24 hours', de: 'Letzte 24 Stunden' }),
    hour: words({ en: 'Last hour', de: 'Letzte Stunde' }),
  },
  apply: words({ en: 'Search', de: 'Suchen' }),
  showAll: words({ en: 'Show all', de: 'Alle anzeigen' }),
  exportCsv: words({ en: 'Export as CSV', de: 'Als CSV exportieren' }),
  exportJson: words({ en: 'Export as JSON lines', de: 'Als JSON-Zeilen exportieren' }),
  places: {
    consent: words({ en: 'Consent', de: 'Zustimmung' }),
    credentials: words({ en: 'Client authentication', de: 'Client-Authentifizierung' }),
    token: words({ en: 'Token', de: 'Token' }),
    userinfo: words({ en: 'Userinfo', de: 'Userinfo' }),
  },
  times: (count: number): Words =>
    count === 1 ? words({ en: 'Once', de: 'Einmal' }) : words({ en: `${count} times`, de: `${count}-mal` }),
  last: (when: Text): Words => words({ en: html`last ${when}`, de: html`zuletzt ${when}` }),
  first: (when: Text): Words => words({ en: html`first ${when}`, de: html`erstmals ${when}` }),
  pageShown: words({
    en: 'An error page was shown instead of a redirect.',
    de: 'Statt einer Weiterleitung wurde eine Fehlerseite angezeigt.',
  }),
  registeredNow: words({
    en: 'This redirect URI has since been registered.',
    de: 'Diese Redirect-URI ist inzwischen registriert.',
  }),
}

/** Text for adding the redirect URI of a rejected request. */
export const additionWords = {
  title: words({ en: 'Add this redirect URI?', de: 'Diese Redirect-URI hinzufügen?' }),
  effect: words({
    en: 'Gatehouse will also send authorization codes to this URL.',
    de: 'Gatehouse sendet Autorisierungscodes dann auch an diese URL.',
  }),
  newHost: (host: string): Words =>
    words({
      en: html`None of your redirect URIs has the host <strong>${host}</strong>. Anyone can send you a link with any redirect URI. Add it only if you control this host.`,
      de: html`Keine Ihrer Redirect-URIs hat den Host <strong>${host}</strong>. Jeder kann Ihnen einen Link mit einer beliebigen Redirect-URI schicken. Fügen Sie die URI nur hinzu, wenn Sie diesen Host kontrollieren.`,
    }),
  marksEnd: words({
    en: 'An administrator must then approve the application again.',
    de: 'Danach muss ein Administrator die Anwendung erneut freigeben.',
  }),
  notPossible: words({ en: 'This redirect URI can’t be added', de: 'Diese Redirect-URI lässt sich nicht hinzufügen' }),
  registered: words({ en: 'This redirect URI is registered', de: 'Diese Redirect-URI ist registriert' }),
  toSettings: words({ en: 'Go to settings', de: 'Zu den Einstellungen' }),
  added: words({
    en: 'Redirect URI added. Requests with it now work.',
    de: 'Redirect-URI hinzugefügt. Anfragen mit dieser URI funktionieren jetzt.',
  }),
}

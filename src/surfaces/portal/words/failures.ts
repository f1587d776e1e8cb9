import type { FailedRequest } from '../../../domain/applications/request-log.ts'
import type { RequestPageFault, RequestRedirectFault } from '../../../domain/authorization/authorization-request.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { OAuthReason } from '../../../oauth/responses.ts'
import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** Text of an application's log of failed requests. */
export const failuresWords = {
  title: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  about: words({
    en: `The latest ${limits.failedRequestsKept} per endpoint from the last 30 days, grouped by cause. Codes, tokens and secrets are not stored. Anyone with the client ID can cause some of these failures.`,
    de: `Die letzten ${limits.failedRequestsKept} je Endpunkt aus den vergangenen 30 Tagen, nach Ursache gruppiert. Codes, Tokens und Secrets werden nicht gespeichert. Einige dieser Fehler kann jeder auslösen, der die Client-ID kennt.`,
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
  exportCut: words({
    en: `Only the latest ${limits.failedRequestsKept} failed requests per endpoint are kept. Older ones may be missing.`,
    de: `Nur die letzten ${limits.failedRequestsKept} fehlgeschlagenen Anfragen je Endpunkt werden aufbewahrt. Ältere können fehlen.`,
  }),
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
  moreUris: (count: number): Words =>
    words({
      en: `${count} more ${count === 1 ? 'redirect URI is' : 'redirect URIs are'} in the export.`,
      de: count === 1 ? '1 weitere Redirect-URI steht im Export.' : `${count} weitere Redirect-URIs stehen im Export.`,
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
  newAddress: words({
    en: 'Only the host matches one of your redirect URIs. Anyone can send you a link with any redirect URI. Check the highlighted difference, and add this URL only if your application answers there.',
    de: 'Nur der Host stimmt mit einer Ihrer Redirect-URIs überein. Jeder kann Ihnen einen Link mit einer beliebigen Redirect-URI schicken. Prüfen Sie den markierten Unterschied und fügen Sie die URL nur hinzu, wenn dort Ihre Anwendung antwortet.',
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

type FailureReason = OAuthReason | RequestRedirectFault['reason'] | RequestPageFault['kind'] | 'client-secret-wrong'

/** German text. The English text is the `error_description` sent to the client. */
const german: Record<FailureReason, (parameter: string) => string> = {
  'content-type-unsupported': () =>
    'Senden Sie die Parameter als application/x-www-form-urlencoded oder application/json und geben Sie das Format im Content-Type an.',
  'body-empty': () => 'Der Body ist leer. Senden Sie die Parameter im Body.',
  'body-malformed': () => 'Der Body entspricht nicht dem angegebenen Content-Type. Prüfen Sie die Kodierung.',
  'body-too-large': () => 'Der Body ist zu groß.',
  'parameter-repeated': (parameter) => `Der Parameter ${parameter} kommt mehrfach vor. Senden Sie ihn nur einmal.`,
  'parameter-missing': (parameter) => `Der Parameter ${parameter} fehlt.`,
  'parameter-not-a-string': (parameter) => `Der Parameter ${parameter} muss eine Zeichenkette sein.`,
  'grant-type-unsupported': () => 'Der grant_type muss authorization_code oder refresh_token sein.',
  'client-credentials-missing': () =>
    'Der Client hat sich nicht authentifiziert. Senden Sie client_id und client_secret im Body oder als HTTP Basic.',
  'client-credentials-differ': () =>
    'Body und Authorization-Header enthalten unterschiedliche Zugangsdaten. Senden Sie die Zugangsdaten nur einmal.',
  'client-authentication-failed': () =>
    'Die client_id ist unbekannt oder das client_secret falsch. Ein ersetztes Secret wird sofort ungültig.',
  'client-secret-wrong': () =>
    'Das client_secret ist falsch. Ein ersetztes oder widerrufenes Secret wird sofort ungültig.',
  'too-many-failures': () =>
    'Von dieser IP-Adresse ist die Client-Authentifizierung zu oft fehlgeschlagen. Warten Sie etwas und prüfen Sie das client_secret.',
  'code-unknown': () =>
    'Diesen Autorisierungscode gibt es nicht. Senden Sie ihn genau so, wie er in der Weiterleitung stand.',
  'code-of-another-client': () => 'Der Autorisierungscode wurde für einen anderen Client ausgestellt.',
  'code-expired': () => 'Der Autorisierungscode ist nach 5 Minuten abgelaufen. Beginnen Sie von vorn.',
  'code-replayed': () =>
    'Der Autorisierungscode wurde schon verwendet. Deshalb wurden die zugehörigen Tokens widerrufen. Beginnen Sie von vorn.',
  'code-revoked': () => 'Die Autorisierung wurde widerrufen, bevor der Code verwendet wurde. Beginnen Sie von vorn.',
  'redirect-uri-differs': () => 'Die redirect_uri weicht von der in der Autorisierungsanfrage ab.',
  'verifier-missing': () =>
    'Die Autorisierungsanfrage enthielt eine code_challenge. Deshalb ist ein code_verifier erforderlich.',
  'verifier-unexpected': () =>
    'Ein code_verifier wurde gesendet, aber die Autorisierungsanfrage enthielt keine code_challenge.',
  'verifier-malformed': () =>
    'Der code_verifier muss 43 bis 128 Zeichen lang sein und darf nur Buchstaben, Ziffern und -._~ enthalten (RFC 7636, Abschnitt 4.1).',
  'verifier-wrong': () => 'Der code_verifier passt nicht zur code_challenge der Autorisierungsanfrage.',
  'refresh-token-unknown': () => 'Dieses Refresh-Token gibt es nicht. Der Benutzer muss sich erneut anmelden.',
  'refresh-token-of-another-client': () => 'Das Refresh-Token wurde für einen anderen Client ausgestellt.',
  'refresh-token-expired': () => 'Das Refresh-Token ist nach 30 Tagen abgelaufen.',
  'refresh-token-reused': () =>
    'Das Refresh-Token wurde schon verwendet. Deshalb wurde die ganze Token-Familie widerrufen. Speichern Sie immer nur das neueste.',
  'refresh-token-revoked': () => 'Die Token-Familie dieses Refresh-Tokens wurde widerrufen.',
  'scope-exceeds-grant': (scope) =>
    `Der Scope ${scope}${scope && ' '}geht über das Erlaubte hinaus. Fordern Sie nur erlaubte Scopes an oder beginnen Sie von vorn.`,
  'access-token-invalid': () => 'Dieses Access-Token gibt es nicht.',
  'access-token-expired': () => 'Das Access-Token ist nach 15 Minuten abgelaufen. Erneuern Sie es.',
  'access-token-revoked': () => 'Das Access-Token wurde widerrufen.',
  'state-too-long': () => `Der Parameter state ist länger als ${limits.stateMaxCharacters} Zeichen.`,
  'response-type-missing': () => 'Der Parameter response_type fehlt. Senden Sie den Wert code.',
  'response-type-unsupported': () => 'Der response_type muss code sein.',
  'scope-missing': () => 'Der Parameter scope fehlt. Senden Sie mindestens einen Scope, zum Beispiel user.identify.',
  'scope-unknown': (scope) =>
    `${scope === '' ? 'Einen der Scopes' : `Den Scope ${scope}`} gibt es nicht. Die Scopes stehen in der OpenAPI-Beschreibung.`,
  'challenge-missing': () =>
    'code_challenge_method wurde ohne code_challenge gesendet. Senden Sie beide Parameter oder keinen.',
  'challenge-method-unsupported': () => 'Nur code_challenge_method=S256 wird unterstützt. Ohne Angabe gilt plain.',
  'challenge-malformed': () => 'code_challenge muss ein SHA-256-Hash in base64url mit 43 Zeichen sein.',
  'pkce-required': () => 'Für diese Anwendung ist PKCE erforderlich. Senden Sie code_challenge mit der Methode S256.',
  'client-id-missing': () => 'Der Parameter client_id fehlt.',
  'client-id-repeated': () => 'Der Parameter client_id kommt mehrfach vor. Senden Sie ihn nur einmal.',
  'client-unknown': () => 'Die client_id ist unbekannt.',
  'redirect-uri-missing': () => 'Der Parameter redirect_uri fehlt.',
  'redirect-uri-repeated': () => 'Der Parameter redirect_uri kommt mehrfach vor. Senden Sie ihn nur einmal.',
  'redirect-uri-unregistered': () => 'Die redirect_uri ist nicht registriert. Jedes Zeichen muss übereinstimmen.',
}

/** Returns why a request failed, or `undefined` if the reason was recorded by another release and is unknown. */
export function failureWords({ reason, parameter, description }: FailedRequest): Words | undefined {
  if (reason === null || !Object.hasOwn(german, reason)) return undefined
  return words({ en: description, de: german[reason as FailureReason](parameter ?? '') })
}

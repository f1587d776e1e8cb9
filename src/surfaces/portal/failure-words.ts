import type { FailedRequest } from '../../domain/applications/request-log-store.ts'
import type { RequestPageFault, RequestRedirectFault } from '../../domain/authorization/authorization-request.ts'
import { oauthParameterMaxCharacters, stateMaxCharacters } from '../../domain/limits/limits.ts'
import type { OAuthReason } from '../../oauth/responses.ts'
import { type Words, words } from '../../pages/html.ts'

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
  'parameter-too-long': (parameter) =>
    `Der Parameter ${parameter} ist länger als ${oauthParameterMaxCharacters} Zeichen.`,
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
  'state-too-long': () => `Der Parameter state ist länger als ${stateMaxCharacters} Zeichen.`,
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

import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** Text of the page that starts a try-out. */
export const tryItWords = {
  title: words({ en: 'Run the whole OAuth flow', de: 'Ganzen Ablauf testen' }),
  about: words({
    en: 'The portal acts as your application, with your account, and shows each request with its response. You give your consent like any other user.',
    de: 'Das Portal übernimmt mit Ihrem Konto die Rolle Ihrer Anwendung und zeigt alle Anfragen und Antworten. Sie erteilen Ihre Zustimmung wie jeder andere Benutzer.',
  }),
  start: words({ en: 'Start try-out', de: 'Testlauf starten' }),
}

/** Text of a try-out's result. */
export const tryOutWords = {
  title: (application: string): Words =>
    words({ en: `Test sign-in for ${application}`, de: `Testlauf für ${application}` }),
  allWentWell: words({
    en: 'The whole OAuth flow works. All issued tokens have been revoked.',
    de: 'Der gesamte Ablauf funktioniert. Alle ausgestellten Tokens wurden widerrufen.',
  }),
  stoppedAt: (step: Text): Words => words({ en: html`Stopped at “${step}”`, de: html`Abgebrochen bei „${step}“` }),
  whatIsShown: words({
    en: html`These are the requests that your application sends and the responses that it gets. They come from a real authorization with your account. The portal acted as your application. The redirect URI is a portal URL that works only in your session. PKCE is always used. <code>$CLIENT_SECRET</code> stands for your client secret, which the portal doesn’t know.`,
    de: html`Hier sehen Sie die Anfragen und Antworten einer echten Autorisierung mit Ihrem Konto. Das Portal hat dabei die Rolle Ihrer Anwendung übernommen. Die Redirect-URI ist eine URL des Portals, die nur in Ihrer Sitzung gilt. PKCE wird immer verwendet. <code>$CLIENT_SECRET</code> steht für Ihr Client-Secret, das dem Portal nicht bekannt ist.`,
  }),
  whatIsLeft: (account: string): Words =>
    words({
      en: html`Codes and tokens are shortened. All are used or revoked. You can reopen this page for an hour. Your consent stays until you revoke it in <a href="${account}">your account</a>.`,
      de: html`Codes und Tokens sind gekürzt. Alle wurden verwendet oder widerrufen. Diese Seite bleibt eine Stunde lang verfügbar. Ihre Zustimmung gilt, bis Sie sie in <a href="${account}">Ihrem Konto</a> widerrufen.`,
    }),
  request: words({ en: 'Request', de: 'Anfrage' }),
  answer: words({ en: 'Response', de: 'Antwort' }),
  reveal: words({ en: 'Show full tokens', de: 'Vollständige Tokens anzeigen' }),
  wentWell: words({ en: 'Succeeded', de: 'Erfolgreich' }),
  refused: words({ en: 'Rejected', de: 'Abgelehnt' }),
  again: words({ en: 'Start another try-out', de: 'Neuen Testlauf starten' }),
  steps: {
    authorize: {
      title: words({ en: 'Ask for consent', de: 'Um Zustimmung bitten' }),
      about: words({
        en: 'In the browser. The response is a redirect to your redirect URI. Compare the state before you use the code.',
        de: 'Im Browser. Die Antwort ist eine Weiterleitung zu Ihrer Redirect-URI. Vergleichen Sie den State, bevor Sie den Code verwenden.',
      }),
    },
    token: {
      title: words({ en: 'Exchange the code', de: 'Code einlösen' }),
      about: words({
        en: 'From your server, with the client secret.',
        de: 'Von Ihrem Server aus, mit dem Client-Secret.',
      }),
    },
    userinfo: {
      title: words({ en: 'Read userinfo', de: 'Userinfo abrufen' }),
      about: words({
        en: 'With the access token in the header. The scopes determine what the response contains.',
        de: 'Mit dem Access-Token im Header. Die Scopes bestimmen den Inhalt der Antwort.',
      }),
    },
    refresh: {
      title: words({ en: 'Refresh', de: 'Erneuern' }),
      about: words({
        en: 'Each refresh token works once. Replace it with the new one.',
        de: 'Jedes Refresh-Token funktioniert nur einmal. Ersetzen Sie es durch das neue.',
      }),
    },
    revoke: {
      title: words({ en: 'Revoke', de: 'Widerrufen' }),
      about: words({
        en: 'Do this when a user disconnects your application. Revoking a refresh token revokes its whole token family.',
        de: 'Nötig, wenn ein Benutzer die Verbindung zu Ihrer Anwendung trennt. Wird ein Refresh-Token widerrufen, gilt das für die ganze Token-Familie.',
      }),
    },
  },
  /** Explanations, keyed by the `error` from a redirect or by the reason for a refusal. */
  faults: {
    access_denied: words({
      en: 'You chose Deny, or you were signed in to another account on the consent screen. Only the owner can try out an application. Sign in with this account and choose Allow.',
      de: 'Sie haben „Ablehnen“ gewählt oder waren auf der Zustimmungsseite mit einem anderen Konto angemeldet. Nur der Eigentümer kann eine Anwendung ausprobieren. Melden Sie sich mit diesem Konto an und wählen Sie „Erlauben“.',
    }),
    consent_required: words({
      en: 'The consent screen was skipped, but you haven’t granted all of these permissions yet. Start again with the consent screen. Your application should handle this error the same way.',
      de: 'Die Zustimmungsseite wurde übersprungen, aber Sie haben noch nicht alles erlaubt. Beginnen Sie von vorn, ohne die Seite zu überspringen. Ihre Anwendung sollte bei diesem Fehler genauso vorgehen.',
    }),
    invalid_request: words({
      en: 'A parameter is missing or malformed. The description in the response names it. Start again with other options.',
      de: 'Ein Parameter fehlt oder ist fehlerhaft. Welcher das ist, steht in der Antwort. Beginnen Sie von vorn und ändern Sie ihn.',
    }),
    invalid_scope: words({
      en: 'One of the scopes does not exist. Start again and choose other scopes.',
      de: 'Einen der Scopes gibt es nicht. Beginnen Sie von vorn und wählen Sie andere Scopes.',
    }),
    'code-expired': words({
      en: 'This code is older than 5 minutes. Exchange codes as soon as they arrive.',
      de: 'Dieser Code ist älter als 5 Minuten. Lösen Sie Codes sofort nach Erhalt ein.',
    }),
    'code-replayed': words({
      en: 'This code was already used, because the page was opened twice. Its tokens are revoked. Start again.',
      de: 'Dieser Code wurde bereits verwendet, weil die Seite zweimal geöffnet wurde. Die zugehörigen Tokens wurden widerrufen. Beginnen Sie von vorn.',
    }),
    'code-revoked': words({
      en: 'The consent was revoked before the code was used. Start again.',
      de: 'Die Zustimmung wurde widerrufen, bevor der Code verwendet wurde. Beginnen Sie von vorn.',
    }),
    'verifier-wrong': words({
      en: 'This try-out started in another session: in another browser, or before you last signed in. Start again.',
      de: 'Dieser Testlauf wurde in einem anderen Browser oder vor Ihrer letzten Anmeldung begonnen. Beginnen Sie von vorn.',
    }),
  },
  otherFault: words({
    en: 'The description in the response says what is wrong. Start again. If it keeps happening, check your application’s failed requests.',
    de: 'Die Ursache steht in der Antwort. Beginnen Sie von vorn. Tritt der Fehler wieder auf, prüfen Sie die fehlgeschlagenen Anfragen Ihrer Anwendung.',
  }),
}

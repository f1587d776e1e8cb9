import { html, type Text, type Words, words } from '../../../pages/html.ts'

export const tryOutWords = {
  title: (application: string): Words => words({ en: `Try-out of ${application}`, de: `Probelauf von ${application}` }),
  allWentWell: words({
    en: 'The whole flow works. All issued tokens are revoked.',
    de: 'Der ganze Ablauf funktioniert. Alle ausgestellten Tokens sind widerrufen.',
  }),
  stoppedAt: (step: Text): Words => words({ en: html`Stopped at “${step}”`, de: html`Angehalten bei „${step}“` }),
  whatIsShown: words({
    en: html`These are the requests that your application sends and the responses that it gets. They come from a real authorization with your account. The portal acted as your application. The redirect URI is a portal URL that works only in your session. PKCE is always used. <code>$CLIENT_SECRET</code> stands for your client secret, which the portal doesn’t know.`,
    de: html`Das sind die Anfragen, die Ihre Anwendung sendet, und die Antworten, die sie erhält. Sie stammen aus einer echten Autorisierung mit Ihrem Konto. Das Portal hat wie Ihre Anwendung gehandelt. Der Redirect-URI ist eine URL des Portals, die nur in Ihrer Sitzung gilt. PKCE wird immer verwendet. <code>$CLIENT_SECRET</code> steht für Ihr Client-Secret, das dem Portal nicht bekannt ist.`,
  }),
  whatIsLeft: words({
    en: 'Codes and tokens are shortened. All are used or revoked. You can reopen this page for an hour. Your consent stays until you revoke it in your account.',
    de: 'Codes und Tokens sind gekürzt. Alle sind verbraucht oder widerrufen. Sie können diese Seite eine Stunde lang erneut öffnen. Ihre Zustimmung gilt, bis Sie sie in Ihrem Konto widerrufen.',
  }),
  request: words({ en: 'Request', de: 'Anfrage' }),
  answer: words({ en: 'Response', de: 'Antwort' }),
  reveal: words({ en: 'Show full tokens', de: 'Vollständige Tokens anzeigen' }),
  wentWell: words({ en: 'Succeeded', de: 'Erfolgreich' }),
  refused: words({ en: 'Rejected', de: 'Abgelehnt' }),
  again: words({ en: 'Start another try-out', de: 'Weiteren Probelauf starten' }),
  steps: {
    authorize: {
      title: words({ en: 'Ask for consent', de: 'Um Zustimmung bitten' }),
      about: words({
        en: 'In the browser. The response is a redirect to your redirect URI. Compare the state before you use the code.',
        de: 'Im Browser. Die Antwort ist eine Umleitung zu Ihrem Redirect-URI. Vergleichen Sie den State, bevor Sie den Code verwenden.',
      }),
    },
    token: {
      title: words({ en: 'Exchange the code', de: 'Code einlösen' }),
      about: words({
        en: 'From your server, with its client secret.',
        de: 'Von Ihrem Server, mit seinem Client-Secret.',
      }),
    },
    userinfo: {
      title: words({ en: 'Read userinfo', de: 'Userinfo lesen' }),
      about: words({
        en: 'With the access token in the header. The scopes decide what the response contains.',
        de: 'Mit dem Access-Token im Header. Die Scopes bestimmen den Inhalt der Antwort.',
      }),
    },
    refresh: {
      title: words({ en: 'Refresh', de: 'Erneuern' }),
      about: words({
        en: 'Each refresh token works once. Replace it with the new one.',
        de: 'Jedes Refresh-Token gilt einmal. Ersetzen Sie es durch das neue.',
      }),
    },
    revoke: {
      title: words({ en: 'Revoke', de: 'Widerrufen' }),
      about: words({
        en: 'When a user disconnects your application. Revoking a refresh token revokes its whole token family.',
        de: 'Wenn ein Benutzer Ihre Anwendung trennt. Mit einem Refresh-Token wird seine ganze Token-Familie widerrufen.',
      }),
    },
  },
  /** Explanations, keyed by the `error` from a redirect or by the reason for a refusal. */
  faults: {
    access_denied: words({
      en: 'You chose Deny, or you are signed in to another account there. Only the owner can try out an application. Sign in with this account and choose Allow.',
      de: 'Sie haben „Ablehnen“ gewählt, oder Sie sind dort bei einem anderen Konto angemeldet. Nur der Eigentümer kann eine Anwendung ausprobieren. Melden Sie sich mit diesem Konto an und wählen Sie „Erlauben“.',
    }),
    consent_required: words({
      en: 'The consent screen was skipped, but you have not allowed all of this before. Start again without skipping it. Your application should do the same on this error.',
      de: 'Die Zustimmungsseite wurde übersprungen, aber Sie haben noch nicht alles davon erlaubt. Beginnen Sie ohne Überspringen neu. Ihre Anwendung sollte bei diesem Fehler dasselbe tun.',
    }),
    invalid_request: words({
      en: 'A parameter is missing or malformed. The description in the response names it. Change it in the generator.',
      de: 'Ein Parameter fehlt oder ist fehlerhaft. Die Beschreibung in der Antwort nennt ihn. Ändern Sie ihn im Generator.',
    }),
    invalid_scope: words({
      en: 'One of the scopes does not exist. Choose from the scopes in the generator.',
      de: 'Einen der Scopes gibt es nicht. Wählen Sie aus den Scopes im Generator.',
    }),
    'code-expired': words({
      en: 'This code is older than 5 minutes. Exchange codes as soon as they arrive.',
      de: 'Dieser Code ist älter als 5 Minuten. Lösen Sie Codes sofort ein.',
    }),
    'code-replayed': words({
      en: 'This code was already used, because the page was opened twice. Its tokens are revoked. Start again.',
      de: 'Dieser Code wurde schon verwendet, weil die Seite zweimal geöffnet wurde. Seine Tokens sind widerrufen. Beginnen Sie neu.',
    }),
    'code-revoked': words({
      en: 'The consent was revoked before the code was used. Start again.',
      de: 'Die Zustimmung wurde widerrufen, bevor der Code verwendet wurde. Beginnen Sie neu.',
    }),
    'verifier-wrong': words({
      en: 'This try-out started in another session: in another browser, or before you last signed in. Start again.',
      de: 'Dieser Probelauf wurde in einer anderen Sitzung begonnen: in einem anderen Browser oder vor Ihrer letzten Anmeldung. Beginnen Sie neu.',
    }),
  },
  otherFault: words({
    en: 'The description in the response says what is wrong. Start again. If it keeps happening, check your application’s failed requests.',
    de: 'Die Beschreibung in der Antwort sagt, was falsch ist. Beginnen Sie neu. Passiert es wieder, prüfen Sie die fehlgeschlagenen Anfragen Ihrer Anwendung.',
  }),
}

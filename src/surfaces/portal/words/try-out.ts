import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** Texts of a try-out. */
export const tryOutWords = {
  title: (application: string): Words => words({ en: `Try-out of ${application}`, de: `Probelauf von ${application}` }),
  allWentWell: words({
    en: 'The whole round trip works. All that it issued is revoked.',
    de: 'Der ganze Ablauf funktioniert. Alles, was dabei ausgestellt wurde, ist widerrufen.',
  }),
  stoppedAt: (step: Text): Words => words({ en: html`It stopped at “${step}”`, de: html`Angehalten bei „${step}“` }),
  whatIsShown: words({
    en: html`Below are the requests that your application sends and the answers it gets, from one real authorization of yours. The portal took your application’s place within the service: the redirect URI is an address of the portal that works in your own session alone, PKCE is always used, and where your server sends its client secret stands <code>$CLIENT_SECRET</code>, since nobody here knows it.`,
    de: html`Unten stehen die Anfragen, die Ihre Anwendung sendet, und die Antworten, die sie bekommt, aus einer echten Autorisierung von Ihnen. Das Portal stand innerhalb des Dienstes an der Stelle Ihrer Anwendung: Der Redirect-URI ist eine Adresse des Portals, die nur in Ihrer eigenen Sitzung gilt, PKCE ist immer dabei, und wo Ihr Server sein Client-Secret sendet, steht <code>$CLIENT_SECRET</code>, denn hier kennt es niemand.`,
  }),
  whatIsLeft: words({
    en: 'Only the first and last characters of codes and tokens are shown. They are all used or revoked by now. You can reopen this page for an hour. Your consent stays until you withdraw it in your account.',
    de: 'Von Codes und Tokens werden nur die ersten und letzten Zeichen gezeigt. Alle sind inzwischen verbraucht oder widerrufen. Diese Seite können Sie eine Stunde lang erneut öffnen. Ihre Zustimmung gilt, bis Sie sie in Ihrem Konto zurücknehmen.',
  }),
  request: words({ en: 'Request', de: 'Anfrage' }),
  answer: words({ en: 'Answer', de: 'Antwort' }),
  reveal: words({ en: 'Show the tokens whole', de: 'Tokens ganz zeigen' }),
  wentWell: words({ en: 'Went well', de: 'Gelungen' }),
  refused: words({ en: 'Refused', de: 'Abgelehnt' }),
  again: words({ en: 'Try it again', de: 'Noch einmal ausprobieren' }),
  steps: {
    authorize: {
      title: words({ en: 'Ask for consent', de: 'Um Zustimmung bitten' }),
      about: words({
        en: 'In the browser. The answer is a redirect to your redirect URI; compare the state before you use the code.',
        de: 'Im Browser. Die Antwort ist eine Umleitung zu Ihrem Redirect-URI; vergleichen Sie den State, bevor Sie den Code benutzen.',
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
        en: 'With the access token in the header. What is in the answer depends on the scopes.',
        de: 'Mit dem Access-Token im Header. Was in der Antwort steht, hängt von den Scopes ab.',
      }),
    },
    refresh: {
      title: words({ en: 'Refresh', de: 'Erneuern' }),
      about: words({
        en: 'Each refresh token works once. Keep the new one in its place.',
        de: 'Jedes Refresh-Token gilt einmal. Heben Sie stattdessen das neue auf.',
      }),
    },
    revoke: {
      title: words({ en: 'Revoke', de: 'Widerrufen' }),
      about: words({
        en: 'When somebody disconnects your application. A refresh token ends with all tokens of its family.',
        de: 'Wenn jemand Ihre Anwendung trennt. Ein Refresh-Token endet mit allen Tokens seiner Familie.',
      }),
    },
  },
  /** By the `error` of a redirect, or the reason of a refusal. */
  faults: {
    access_denied: words({
      en: 'You chose Deny, or the account you are signed in to is not the one you use here: only the owner may try an application out. Sign in to your account as yourself and choose Allow.',
      de: 'Sie haben „Ablehnen“ gewählt, oder Sie sind bei einem anderen Konto angemeldet als hier: Nur der Eigentümer darf eine Anwendung ausprobieren. Melden Sie sich dort mit Ihrem Konto an und wählen Sie „Erlauben“.',
    }),
    consent_required: words({
      en: 'The consent screen was to be skipped, and you have not allowed all of this before. Leave the skip out; your application does the same when it gets this error.',
      de: 'Die Zustimmungsseite sollte übersprungen werden, und Sie haben das noch nicht alles erlaubt. Lassen Sie das Überspringen weg; Ihre Anwendung tut bei diesem Fehler dasselbe.',
    }),
    invalid_request: words({
      en: 'A parameter is missing or malformed; the description in the answer names it. Change it in the generator.',
      de: 'Ein Parameter fehlt oder ist fehlerhaft; die Beschreibung in der Antwort nennt ihn. Ändern Sie ihn im Generator.',
    }),
    invalid_scope: words({
      en: 'One of the scopes does not exist here. Choose among those of the generator.',
      de: 'Einen der Scopes gibt es hier nicht. Wählen Sie unter denen des Generators.',
    }),
    'code-expired': words({
      en: 'A code lives for 5 minutes, and this one is older. Exchange it as soon as it arrives.',
      de: 'Ein Code lebt 5 Minuten, und dieser ist älter. Lösen Sie ihn ein, sobald er ankommt.',
    }),
    'code-replayed': words({
      en: 'A code works once, and this one was used: the page was opened a second time. What it had yielded is revoked. Start again.',
      de: 'Ein Code gilt einmal, und dieser wurde schon benutzt: Die Seite wurde ein zweites Mal geöffnet. Was er ergeben hatte, ist widerrufen. Beginnen Sie neu.',
    }),
    'code-revoked': words({
      en: 'The consent was withdrawn before the code was used. Start again.',
      de: 'Die Zustimmung wurde zurückgenommen, bevor der Code benutzt wurde. Beginnen Sie neu.',
    }),
    'verifier-wrong': words({
      en: 'This try-out was begun in another session: in another browser, or before you signed in anew. Start again from here.',
      de: 'Dieser Probelauf wurde in einer anderen Sitzung begonnen: in einem anderen Browser, oder bevor Sie sich neu anmeldeten. Beginnen Sie hier neu.',
    }),
  },
  otherFault: words({
    en: 'The description in the answer says what is wrong. Start again; if it happens again, look at the failed requests of your application.',
    de: 'Die Beschreibung in der Antwort sagt, was falsch ist. Beginnen Sie neu; geschieht es wieder, sehen Sie die fehlgeschlagenen Anfragen Ihrer Anwendung an.',
  }),
}

import { html, type Words, words } from '../../pages/html.ts'

/** Texts of the consent page. */
export const consentWords = {
  title: (application: string): Words => words({ en: `Allow ${application}?`, de: `${application} erlauben?` }),
  question: (application: string): Words =>
    words({
      en: `Allow ${application} to use your account?`,
      de: `Darf ${application} auf Ihr Konto zugreifen?`,
    }),
  application: words({ en: 'Application', de: 'Anwendung' }),
  verified: words({ en: 'Verified', de: 'Geprüft' }),
  verifiedMeans: words({
    en: 'Whoever runs this service has checked who is behind it.',
    de: 'Wer diesen Dienst betreibt, hat geprüft, wer dahintersteht.',
  }),
  account: words({ en: 'Your account', de: 'Ihr Konto' }),
  switchAccount: words({ en: 'Use another account', de: 'Anderes Konto verwenden' }),
  leadsTo: words({ en: 'Leads to', de: 'Führt zu' }),
  willBeAble: (application: string): Words =>
    words({ en: `${application} will be able to`, de: `${application} wird Folgendes können` }),
  allAllowedBefore: (application: string): Words =>
    words({
      en: `You allowed this before. ${application} will be able to`,
      de: `Das haben Sie schon erlaubt. ${application} wird Folgendes können`,
    }),
  willAlsoBeAble: (application: string): Words =>
    words({ en: `New: ${application} will also be able to`, de: `Neu: ${application} wird außerdem Folgendes können` }),
  allowedBefore: words({ en: 'As you allowed before', de: 'Wie Sie es schon erlaubt haben' }),
  deny: words({ en: 'Deny', de: 'Ablehnen' }),
  allow: words({ en: 'Allow', de: 'Erlauben' }),
  eitherAnswer: (host: string): Words =>
    words({
      en: html`Either answer takes you to <strong>${host}</strong>. With Deny nothing is shared.`,
      de: html`Beide Antworten führen Sie zu <strong>${host}</strong>. Mit „Ablehnen“ wird nichts weitergegeben.`,
    }),
  notVerified: words({
    en: 'Allow only if that is where you came from: Gatehouse has not checked who runs it.',
    de: 'Erlauben Sie nur, wenn Sie von dort kommen: Gatehouse hat nicht geprüft, wer es betreibt.',
  }),
  undo: words({
    en: html`You can take this back at any time: <a href="/account#applications">your account</a> lists the applications with access.`,
    de: html`Sie können das jederzeit zurücknehmen: <a href="/account#applications">Ihr Konto</a> führt die Anwendungen mit Zugriff auf.`,
  }),
}

/** Texts of consent errors. */
export const consentFaultWords = {
  what: words({ en: 'This sign-in link does not work', de: 'Dieser Anmelde-Link funktioniert nicht' }),
  whatToDo: words({
    en: 'Nothing was shared. Go back to where you came from. If you build this application, mend its link.',
    de: 'Nichts wurde weitergegeben. Gehen Sie dorthin zurück, woher Sie kamen. Wenn Sie diese Anwendung bauen, berichtigen Sie ihren Link.',
  }),
  clientIdMissing: words({
    en: 'It does not say which application sent you: the parameter client_id is missing.',
    de: 'Er sagt nicht, welche Anwendung Sie geschickt hat: Der Parameter client_id fehlt.',
  }),
  clientIdRepeated: words({
    en: 'It names an application twice: the parameter client_id is repeated.',
    de: 'Er nennt zweimal eine Anwendung: Der Parameter client_id kommt mehrfach vor.',
  }),
  clientUnknown: words({
    en: 'The application that sent you is not registered here, or is no longer.',
    de: 'Die Anwendung, die Sie geschickt hat, ist hier nicht oder nicht mehr registriert.',
  }),
  redirectUriMissing: (application: string): Words =>
    words({
      en: `It does not say where ${application} wants you back: the parameter redirect_uri is missing.`,
      de: `Er sagt nicht, wohin ${application} Sie zurückhaben will: Der Parameter redirect_uri fehlt.`,
    }),
  redirectUriRepeated: (application: string): Words =>
    words({
      en: `It says twice where ${application} wants you back: the parameter redirect_uri is repeated.`,
      de: `Er sagt zweimal, wohin ${application} Sie zurückhaben will: Der Parameter redirect_uri kommt mehrfach vor.`,
    }),
  redirectUriUnregistered: (application: string): Words =>
    words({
      en: `The address to which it would send you back is not registered for ${application}. Its owner can add it, exactly as it is sent, under Redirect URIs.`,
      de: `Die Adresse, an die er Sie zurückschicken würde, ist für ${application} nicht registriert. Ihr Eigentümer kann sie unter Redirect URIs hinzufügen, genau so, wie sie gesendet wird.`,
    }),
  forOwner: {
    title: words({ en: 'Shown to you as its owner', de: 'Nur Ihnen als Eigentümer gezeigt' }),
    allRegistered: words({ en: 'All registered redirect URIs', de: 'Alle registrierten Redirect URIs' }),
    toSettings: (application: string): Words =>
      words({ en: `Settings of ${application}`, de: `Einstellungen von ${application}` }),
  },
  expired: {
    what: words({ en: 'This sign-in has expired', de: 'Diese Anmeldung ist abgelaufen' }),
    why: (application: string): Words =>
      words({
        en: `You began to sign in to ${application} more than half an hour ago. Nothing was shared.`,
        de: `Sie haben vor mehr als einer halben Stunde begonnen, sich bei ${application} anzumelden. Nichts wurde weitergegeben.`,
      }),
    whatToDo: words({
      en: 'Start again; it takes you through the same steps.',
      de: 'Beginnen Sie von vorn; Sie gehen durch dieselben Schritte.',
    }),
    startAgain: words({ en: 'Start again', de: 'Von vorn beginnen' }),
  },
  unknown: {
    what: words({ en: 'This sign-in is not known', de: 'Diese Anmeldung ist nicht bekannt' }),
    why: words({
      en: 'It may be too old, or its address was cut off. Nothing was shared.',
      de: 'Vielleicht ist sie zu alt, oder ihre Adresse wurde abgeschnitten. Nichts wurde weitergegeben.',
    }),
    whatToDo: words({
      en: 'Go back to the application that you want to sign in to, and start there again.',
      de: 'Gehen Sie zu der Anwendung zurück, bei der Sie sich anmelden wollen, und beginnen Sie dort von vorn.',
    }),
  },
}

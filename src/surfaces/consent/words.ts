import { html, type Words, words } from '../../pages/html.ts'

export const consentWords = {
  title: (application: string): Words =>
    words({ en: `Allow ${application}?`, de: `Zugriff für ${application} erlauben?` }),
  question: (application: string): Words =>
    words({ en: `Allow ${application} to use your account?`, de: `Darf ${application} auf Ihr Konto zugreifen?` }),
  verified: words({ en: 'Verified', de: 'Geprüft' }),
  unverified: words({ en: 'Unverified', de: 'Nicht geprüft' }),
  verifiedMeans: words({
    en: 'An administrator has verified the application’s owner.',
    de: 'Ein Administrator hat den Eigentümer geprüft.',
  }),
  account: words({ en: 'Your account', de: 'Ihr Konto' }),
  switchAccount: words({ en: 'Use another account', de: 'Anderes Konto verwenden' }),
  redirectsTo: (host: string): Words =>
    words({ en: html`Redirects to <strong>${host}</strong>`, de: html`Weiterleitung zu <strong>${host}</strong>` }),
  willBeAble: (application: string): Words =>
    words({ en: `${application} will be able to`, de: `${application} kann dann` }),
  allAllowedBefore: (application: string): Words =>
    words({
      en: `You already allowed this. ${application} will be able to`,
      de: `Bereits von Ihnen erlaubt: ${application} kann`,
    }),
  willAlsoBeAble: (application: string): Words =>
    words({ en: `New: ${application} will also be able to`, de: `Neu: ${application} kann dann außerdem` }),
  allowedBefore: words({ en: 'Already allowed', de: 'Bereits erlaubt' }),
  deny: words({ en: 'Deny', de: 'Ablehnen' }),
  allow: words({ en: 'Allow', de: 'Erlauben' }),
  eitherAnswer: (host: string): Words =>
    words({
      en: html`Either choice takes you to <strong>${host}</strong>. If you choose Deny, nothing is shared.`,
      de: html`In beiden Fällen gelangen Sie zu <strong>${host}</strong>. Bei „Ablehnen“ wird nichts weitergegeben.`,
    }),
  notVerified: words({
    en: 'Gatehouse has not verified who runs this site. Allow access only if you came from this site.',
    de: 'Gatehouse hat nicht geprüft, wer diese Website betreibt. Erlauben Sie den Zugriff nur, wenn Sie von dort kommen.',
  }),
  undo: words({
    en: html`You can revoke this at any time in <a href="/account/applications">your account</a>.`,
    de: html`Sie können den Zugriff jederzeit in <a href="/account/applications">Ihrem Konto</a> widerrufen.`,
  }),
}

/** Text for the consent endpoint's error pages. */
export const consentFaultWords = {
  what: words({ en: 'This sign-in link does not work', de: 'Dieser Anmeldelink funktioniert nicht' }),
  whatToDo: words({
    en: 'Nothing was shared. Go back to the application. If you develop it, correct the link.',
    de: 'Es wurde nichts weitergegeben. Kehren Sie zur Anwendung zurück. Wenn Sie die Anwendung entwickeln, korrigieren Sie den Link.',
  }),
  clientIdMissing: words({
    en: 'The link doesn’t name an application: the parameter client_id is missing.',
    de: 'Der Link nennt keine Anwendung: Der Parameter client_id fehlt.',
  }),
  clientIdRepeated: words({
    en: 'The link names an application more than once: the parameter client_id is repeated.',
    de: 'Der Link nennt mehr als eine Anwendung: Der Parameter client_id kommt mehrfach vor.',
  }),
  clientUnknown: words({
    en: 'The application is not registered here, or was deleted.',
    de: 'Die Anwendung ist hier nicht registriert oder wurde gelöscht.',
  }),
  redirectUriMissing: (application: string): Words =>
    words({
      en: `The link has no return URL for ${application}: the parameter redirect_uri is missing.`,
      de: `Im Link fehlt die Rücksprung-URL für ${application}: Der Parameter redirect_uri fehlt.`,
    }),
  redirectUriRepeated: (application: string): Words =>
    words({
      en: `The link has more than one return URL for ${application}: the parameter redirect_uri is repeated.`,
      de: `Der Link enthält mehrere Rücksprung-URLs für ${application}: Der Parameter redirect_uri kommt mehrfach vor.`,
    }),
  redirectUriUnregistered: (application: string): Words =>
    words({
      en: `This redirect URI is not registered for ${application}. The application’s owner can add it under Redirect URIs, exactly as sent.`,
      de: `Diese Redirect-URI ist für ${application} nicht registriert. Der Eigentümer der Anwendung kann sie in genau dieser Form unter „Redirect-URIs“ hinzufügen.`,
    }),
  forOwner: {
    title: words({ en: 'Only you, the owner, can see this', de: 'Nur für Sie als Eigentümer sichtbar' }),
    thenContinues: words({ en: 'You’ll then continue signing in.', de: 'Danach wird Ihre Anmeldung fortgesetzt.' }),
    allRegistered: words({ en: 'All registered redirect URIs', de: 'Alle registrierten Redirect-URIs' }),
    toSettings: (application: string): Words =>
      words({ en: `Settings of ${application}`, de: `Einstellungen von ${application}` }),
  },
  expired: {
    what: words({ en: 'This sign-in has expired', de: 'Diese Anmeldung ist abgelaufen' }),
    why: (application: string): Words =>
      words({
        en: `You started to sign in to ${application} more than 30 minutes ago. Nothing was shared.`,
        de: `Sie haben die Anmeldung bei ${application} vor mehr als 30 Minuten begonnen. Es wurde nichts weitergegeben.`,
      }),
    whatToDo: words({ en: 'Start again to sign in.', de: 'Beginnen Sie von vorn, um sich anzumelden.' }),
    startAgain: words({ en: 'Start again', de: 'Von vorn beginnen' }),
  },
  unknown: {
    what: words({ en: 'Sign-in not found', de: 'Anmeldung nicht gefunden' }),
    why: words({
      en: 'It may have expired, or the URL is incomplete. Nothing was shared.',
      de: 'Möglicherweise ist die Anmeldung abgelaufen oder die URL unvollständig. Es wurde nichts weitergegeben.',
    }),
    whatToDo: words({
      en: 'Go back to the application and start again.',
      de: 'Kehren Sie zur Anwendung zurück und beginnen Sie von vorn.',
    }),
  },
}

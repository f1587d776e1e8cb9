import { html, type Words, words } from '../../../pages/html.ts'

export const deletionWords = {
  title: (name: string): Words => words({ en: `Delete ${name}?`, de: `${name} löschen?` }),
  effect: (clientId: string): Words =>
    words({
      en: html`All tokens of the application stop working immediately, and users can’t sign in with it. The client ID <code>${clientId}</code> is never reused.`,
      de: html`Alle Tokens der Anwendung werden sofort ungültig. Benutzer können sich nicht mehr über sie anmelden. Die Client-ID <code>${clientId}</code> wird nicht wieder vergeben.`,
    }),
  final: words({ en: 'This can’t be undone.', de: 'Das lässt sich nicht rückgängig machen.' }),
  delete: words({ en: 'Delete application', de: 'Anwendung löschen' }),
  keep: words({ en: 'Keep application', de: 'Anwendung behalten' }),
}

export const settingsWords = {
  title: words({ en: 'Settings', de: 'Einstellungen' }),
  about: words({
    en: 'Changes take effect with the next request.',
    de: 'Änderungen werden ab der nächsten Anfrage wirksam.',
  }),
  verifiedTitle: words({ en: 'This application is verified', de: 'Diese Anwendung ist geprüft' }),
  firstPartyTitle: words({
    en: 'Users sign in to this application without a consent screen',
    de: 'Benutzer melden sich bei dieser Anwendung ohne Zustimmungsseite an',
  }),
  verifiedEnds: words({
    en: 'The application will no longer be verified',
    de: 'Die Anwendung gilt dann nicht mehr als geprüft',
  }),
  firstPartyEnds: words({ en: 'Users will have to give their consent', de: 'Benutzer müssen dann zustimmen' }),
  marksEnd: words({
    en: 'This applies until you change the name, website, environment or redirect URIs. An administrator must then approve the application again.',
    de: 'Das gilt, bis Sie Namen, Website, Umgebung oder Redirect-URIs ändern. Danach muss ein Administrator die Anwendung erneut freigeben.',
  }),
  save: words({ en: 'Save changes', de: 'Änderungen speichern' }),
  discard: words({ en: 'Discard changes', de: 'Änderungen verwerfen' }),
  notSaved: words({ en: 'Changes not saved', de: 'Änderungen nicht gespeichert' }),
  deleteTitle: words({ en: 'Delete', de: 'Löschen' }),
  deleteAbout: words({
    en: 'All tokens of the application stop working immediately. You’ll be asked to confirm on the next page.',
    de: 'Alle Tokens der Anwendung werden sofort ungültig. Auf der nächsten Seite bestätigen Sie das Löschen.',
  }),
  savedUnverified: words({
    en: 'Changes saved. The application is no longer verified. Ask an administrator to verify it again.',
    de: 'Änderungen gespeichert. Die Anwendung gilt nicht mehr als geprüft. Bitten Sie einen Administrator um eine neue Prüfung.',
  }),
  savedAsking: words({
    en: 'Changes saved. From now on, users must give their consent.',
    de: 'Änderungen gespeichert. Ab jetzt müssen Benutzer zustimmen.',
  }),
  saved: words({
    en: 'Changes saved.',
    de: 'Änderungen gespeichert.',
  }),
}

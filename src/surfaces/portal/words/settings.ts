import { html, type Words, words } from '../../../pages/html.ts'

/** Asked before an application is deleted. */
export const deletionWords = {
  title: (name: string): Words => words({ en: `Delete ${name}?`, de: `${name} löschen?` }),
  effect: (clientId: string): Words =>
    words({
      en: html`All its tokens stop working now, and nobody can sign in through it any more. Its client id <code>${clientId}</code> is never given out again.`,
      de: html`Alle ihre Tokens gelten ab sofort nicht mehr, und niemand kann sich mehr durch sie anmelden. Ihre Client-ID <code>${clientId}</code> wird nie wieder vergeben.`,
    }),
  final: words({ en: 'This can not be undone.', de: 'Das lässt sich nicht rückgängig machen.' }),
  delete: words({ en: 'Delete application', de: 'Anwendung löschen' }),
  keep: words({ en: 'Keep it', de: 'Behalten' }),
}

/** Settings of an application. */
export const settingsWords = {
  title: words({ en: 'Settings', de: 'Einstellungen' }),
  about: words({ en: 'Changes hold from the next request on.', de: 'Änderungen gelten ab der nächsten Anfrage.' }),
  verified: words({ en: 'Verified', de: 'Geprüft' }),
  verifiedTitle: words({ en: 'This application is verified', de: 'Diese Anwendung ist geprüft' }),
  firstPartyTitle: words({
    en: 'Users sign in to this application without being asked',
    de: 'Bei dieser Anwendung melden sich Benutzer ohne Rückfrage an',
  }),
  marksEnd: words({
    en: 'Changing the name, website, environment or redirect URIs ends this until an administrator restores it.',
    de: 'Wenn Sie Namen, Website, Umgebung oder Redirect-URIs ändern, endet das, bis ein Administrator es wiederherstellt.',
  }),
  save: words({ en: 'Save changes', de: 'Änderungen speichern' }),
  discard: words({ en: 'Discard changes', de: 'Änderungen verwerfen' }),
  notSaved: words({ en: 'Changes not saved', de: 'Änderungen nicht gespeichert' }),
  deleteTitle: words({ en: 'Delete', de: 'Löschen' }),
  deleteAbout: words({
    en: 'All its tokens stop working at once. You are asked once more.',
    de: 'Alle ihre Tokens gelten sofort nicht mehr. Sie werden noch einmal gefragt.',
  }),
  savedUnverified: words({
    en: 'Your changes are saved. The application is no longer verified. Ask an administrator to verify it again.',
    de: 'Ihre Änderungen sind gespeichert. Die Anwendung ist nicht mehr geprüft. Bitten Sie einen Administrator, sie neu zu prüfen.',
  }),
  savedAsking: words({
    en: 'Your changes are saved. Users are now asked for their consent.',
    de: 'Ihre Änderungen sind gespeichert. Benutzer werden jetzt um ihre Zustimmung gebeten.',
  }),
  saved: words({
    en: 'Your changes are saved and hold from now on.',
    de: 'Ihre Änderungen sind gespeichert und gelten ab jetzt.',
  }),
}

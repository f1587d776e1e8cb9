import * as limits from '../../../domain/limits/limits.ts'
import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** Labels and hints for the registration and settings forms. */
export const fieldWords = {
  name: words({ en: 'Name', de: 'Name' }),
  nameHint: words({
    en: 'Users see it when they are asked to allow your application.',
    de: 'Benutzer sehen den Namen, wenn Ihre Anwendung um Zugriff bittet.',
  }),
  websiteUrl: words({ en: 'Website URL', de: 'Website-URL' }),
  websiteUrlHint: words({
    en: 'Where users can learn about you. Must start with https://.',
    de: 'Hier erfahren Benutzer mehr über Sie. Die URL muss mit https:// beginnen.',
  }),
  environment: words({ en: 'Environment', de: 'Umgebung' }),
  environments: {
    production: words({ en: 'Production', de: 'Produktion' }),
    development: words({ en: 'Development', de: 'Entwicklung' }),
  },
  productionHint: words({
    en: 'Redirect URIs must start with https://.',
    de: 'Redirect-URIs müssen mit https:// beginnen.',
  }),
  developmentHint: words({
    en: html`Also allows <code>http://localhost</code> with a port, and <code>http://127.0.0.1</code> and <code>http://[::1]</code> on any port.`,
    de: html`Erlaubt auch <code>http://localhost</code> mit Port sowie <code>http://127.0.0.1</code> und <code>http://[::1]</code> auf jedem Port.`,
  }),
  redirectUris: words({ en: 'Redirect URIs', de: 'Redirect-URIs' }),
  redirectUri: words({ en: 'Redirect URI', de: 'Redirect-URI' }),
  redirectUrisHint: words({
    en: html`Where users return, one per line, such as <code>https://acme.example/callback</code>. Each must match exactly, including a slash at the end.`,
    de: html`Hierhin kehren Benutzer zurück, etwa <code>https://acme.example/callback</code>. Eine URI pro Zeile. Jede muss genau übereinstimmen, auch beim Schrägstrich am Ende.`,
  }),
  addRedirectUri: words({ en: 'Add a redirect URI', de: 'Redirect-URI hinzufügen' }),
  remove: words({ en: 'Remove', de: 'Entfernen' }),
  nearDuplicates: {
    'slash-at-end': words({
      en: 'Two of these differ only by a trailing slash.',
      de: 'Zwei davon unterscheiden sich nur durch einen Schrägstrich am Ende.',
    }),
    case: words({
      en: 'Two of these differ only in capitalization.',
      de: 'Zwei davon unterscheiden sich nur in der Groß- und Kleinschreibung.',
    }),
    www: words({ en: 'Two of these differ only in “www.”.', de: 'Zwei davon unterscheiden sich nur durch „www.“.' }),
    port: words({ en: 'Two of these differ only in the port.', de: 'Zwei davon unterscheiden sich nur im Port.' }),
  },
  nearDuplicatesMeaning: words({
    en: 'If your application uses only one, remove the other.',
    de: 'Wenn Ihre Anwendung nur eine verwendet, entfernen Sie die andere.',
  }),
  pkce: words({ en: 'PKCE', de: 'PKCE' }),
  pkceOptional: words({ en: 'Optional', de: 'Nicht erforderlich' }),
  pkceOptionalHint: words({
    en: 'Checked if your application sends it.',
    de: 'PKCE wird geprüft, wenn Ihre Anwendung es verwendet.',
  }),
  pkceRequired: words({ en: 'Required', de: 'Erforderlich' }),
  pkceRequiredHint: words({
    en: html`Authorization requests without <code>code_challenge</code> (S256) are rejected. Choose this once your client library sends one. It makes stolen codes useless.`,
    de: html`Autorisierungsanfragen ohne <code>code_challenge</code> (S256) werden abgelehnt. Wählen Sie diese Option, sobald Ihre Client-Bibliothek PKCE unterstützt. Gestohlene Codes sind dann wertlos.`,
  }),
  rarelyChanged: (environment: Text, pkceRequired: boolean): Words =>
    words({
      en: html`Environment: ${environment} · PKCE: ${pkceRequired ? 'required' : 'optional'}`,
      de: html`Umgebung: ${environment} · PKCE: ${pkceRequired ? 'erforderlich' : 'nicht erforderlich'}`,
    }),
}

/** Errors of form fields. An error about one redirect URI is shown after that URI, and continues the sentence. */
export const fieldErrorWords = {
  nameMissing: words({ en: 'Enter a name for your application.', de: 'Geben Sie einen Namen für Ihre Anwendung ein.' }),
  nameTooLong: words({
    en: `Use at most ${limits.applicationNameMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${limits.applicationNameMaxCharacters} Zeichen.`,
  }),
  websiteMalformed: words({
    en: 'This is not a URL. Enter one like https://acme.example.',
    de: 'Das ist keine gültige URL. Beispiel: https://acme.example.',
  }),
  websiteNotHttps: words({
    en: 'The website URL must start with https://.',
    de: 'Die Website-URL muss mit https:// beginnen.',
  }),
  redirectUrisMissing: words({
    en: 'Enter at least one redirect URI, such as https://acme.example/callback.',
    de: 'Geben Sie mindestens eine Redirect-URI ein, etwa https://acme.example/callback.',
  }),
  applicationsTooMany: words({
    en: `You have ${limits.applicationsPerOwner} applications, the maximum. Delete one first.`,
    de: `Sie haben bereits ${limits.applicationsPerOwner} Anwendungen, die Höchstzahl. Löschen Sie zuerst eine.`,
  }),
  redirectUrisTooMany: words({
    en: `Use at most ${limits.redirectUrisPerApplication} redirect URIs.`,
    de: `Verwenden Sie höchstens ${limits.redirectUrisPerApplication} Redirect-URIs.`,
  }),
  tooLong: words({
    en: `has more than ${limits.redirectUriMaxCharacters} characters. Shorten it.`,
    de: `hat mehr als ${limits.redirectUriMaxCharacters} Zeichen. Kürzen Sie die URI.`,
  }),
  notAbsolute: words({
    en: 'is not a complete URL. Start with https:// and the host, such as https://acme.example/callback.',
    de: 'ist keine vollständige URL. Beginnen Sie mit https:// und dem Host, etwa https://acme.example/callback.',
  }),
  characters: words({
    en: 'has a character that URLs can’t contain, such as a space. Percent-encode it, and enter one URL per line.',
    de: 'enthält ein Zeichen, das in URLs nicht erlaubt ist, etwa ein Leerzeichen. Verwenden Sie die Prozentkodierung und geben Sie nur eine URL pro Zeile ein.',
  }),
  several: words({
    en: 'contains several URLs. Enter one per line.',
    de: 'enthält mehrere URLs. Geben Sie nur eine pro Zeile ein.',
  }),
  wildcard: words({
    en: 'has a *. Redirect URIs must match exactly, so enter each one on a separate line.',
    de: 'enthält ein *. Redirect-URIs müssen genau übereinstimmen. Geben Sie jede in einer eigenen Zeile ein.',
  }),
  host: words({
    en: 'has a host name that browsers rewrite. Enter the name as the address bar shows it.',
    de: 'hat einen Host, der im Browser anders geschrieben wird. Geben Sie den Host so ein, wie er in der Adresszeile erscheint.',
  }),
  fragment: words({
    en: 'has a part after #, which never reaches your server. Remove it.',
    de: 'enthält einen Teil nach #, der Ihren Server nie erreicht. Entfernen Sie diesen Teil.',
  }),
  user: words({
    en: 'has a user name before the @. Remove it.',
    de: 'enthält einen Benutzernamen vor dem @. Entfernen Sie den Namen.',
  }),
  responseParameter: words({
    en: 'has code, state, error, error_description, error_uri or iss in its query. Gatehouse adds these parameters itself. Remove them.',
    de: 'enthält code, state, error, error_description, error_uri oder iss in der Query. Diese Parameter fügt Gatehouse selbst hinzu. Entfernen Sie sie.',
  }),
  httpInProduction: words({
    en: 'starts with http://. Production allows only https://. Change it, or choose Development while you build on your own machine.',
    de: 'beginnt mit http://. In der Umgebung „Produktion“ ist nur https:// erlaubt. Ändern Sie die URI oder wählen Sie „Entwicklung“, solange Sie auf Ihrem eigenen Rechner entwickeln.',
  }),
  notHttps: words({ en: 'must start with https://.', de: 'muss mit https:// beginnen.' }),
  httpElsewhere: words({
    en: 'starts with http://, which is allowed only for localhost, 127.0.0.1 and [::1]. Change it to https://.',
    de: 'beginnt mit http://. Das ist nur für localhost, 127.0.0.1 und [::1] erlaubt. Verwenden Sie https://.',
  }),
}

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
  saved: words({ en: 'Changes saved.', de: 'Änderungen gespeichert.' }),
}

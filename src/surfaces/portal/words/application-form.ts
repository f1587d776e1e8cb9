import {
  applicationNameMaxCharacters,
  redirectUriMaxCharacters,
  redirectUrisPerApplication,
} from '../../../domain/limits/limits.ts'
import { html, words } from '../../../pages/html.ts'

/** The fields of both application forms. */
export const fieldWords = {
  name: words({ en: 'Name', de: 'Name' }),
  nameHint: words({
    en: 'People see it when they are asked to allow your application.',
    de: 'Er wird gezeigt, wenn jemand Ihrer Anwendung Zugriff geben soll.',
  }),
  websiteUrl: words({ en: 'Website URL', de: 'Website-URL' }),
  websiteUrlHint: words({
    en: 'Where people learn who you are. It begins with https://.',
    de: 'Wo man erfährt, wer Sie sind. Sie beginnt mit https://.',
  }),
  environment: words({ en: 'Environment', de: 'Umgebung' }),
  environments: {
    production: words({ en: 'Production', de: 'Produktion' }),
    development: words({ en: 'Development', de: 'Entwicklung' }),
  },
  productionHint: words({
    en: 'Redirect URIs take https:// only.',
    de: 'Redirect-URIs beginnen immer mit https://.',
  }),
  developmentHint: words({
    en: html`Also <code>http://localhost</code> with its port, and <code>http://127.0.0.1</code> and <code>http://[::1]</code> on any port.`,
    de: html`Auch <code>http://localhost</code> mit seinem Port sowie <code>http://127.0.0.1</code> und <code>http://[::1]</code> auf jedem Port.`,
  }),
  redirectUris: words({ en: 'Redirect URIs', de: 'Redirect-URIs' }),
  redirectUri: words({ en: 'Redirect URI', de: 'Redirect-URI' }),
  redirectUrisHint: words({
    en: html`Where people return to, one a line, such as <code>https://acme.example/callback</code>. They are matched character by character: a slash at the end makes another address.`,
    de: html`Wohin man zurückkehrt, einer pro Zeile, etwa <code>https://acme.example/callback</code>. Sie werden Zeichen für Zeichen verglichen: Ein Schrägstrich am Ende macht eine andere Adresse daraus.`,
  }),
  addRedirectUri: words({ en: 'Add a redirect URI', de: 'Redirect-URI hinzufügen' }),
  remove: words({ en: 'Remove', de: 'Entfernen' }),
  nearDuplicates: {
    'slash-at-end': words({
      en: 'Two of these differ only in a slash at the end.',
      de: 'Zwei davon unterscheiden sich nur durch einen Schrägstrich am Ende.',
    }),
    case: words({
      en: 'Two of these differ only in capital and small letters.',
      de: 'Zwei davon unterscheiden sich nur durch Groß- und Kleinschreibung.',
    }),
    www: words({ en: 'Two of these differ only in “www.”.', de: 'Zwei davon unterscheiden sich nur durch „www.“.' }),
    port: words({
      en: 'Two of these differ only in the port.',
      de: 'Zwei davon unterscheiden sich nur durch den Port.',
    }),
  },
  nearDuplicatesMeaning: words({
    en: 'If your application uses both, all is well. Otherwise remove the one that it does not use.',
    de: 'Benutzt Ihre Anwendung beide, ist alles gut. Sonst entfernen Sie den, den sie nicht benutzt.',
  }),
  pkce: words({ en: 'PKCE', de: 'PKCE' }),
  pkceOptional: words({ en: 'Optional', de: 'Freiwillig' }),
  pkceOptionalHint: words({
    en: 'Checked whenever your application sends it.',
    de: 'Wird geprüft, wann immer Ihre Anwendung es sendet.',
  }),
  pkceRequired: words({ en: 'Required', de: 'Verlangt' }),
  pkceRequiredHint: words({
    en: html`An authorization request without <code>code_challenge</code> (S256) is refused. Choose it once your client library sends one: a stolen code is then worth nothing.`,
    de: html`Eine Autorisierungsanfrage ohne <code>code_challenge</code> (S256) wird abgelehnt. Wählen Sie das, sobald Ihre Client-Bibliothek eine sendet: Ein gestohlener Code ist dann nichts wert.`,
  }),
}

/** Beside a field, what is wrong with it. Those on a redirect URI go on from the address itself. */
export const fieldErrorWords = {
  nameMissing: words({
    en: 'Enter a name for your application.',
    de: 'Geben Sie einen Namen für Ihre Anwendung ein.',
  }),
  nameTooLong: words({
    en: `Use at most ${applicationNameMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${applicationNameMaxCharacters} Zeichen.`,
  }),
  websiteMalformed: words({
    en: 'This is not a web address. It looks like https://acme.example.',
    de: 'Das ist keine Webadresse. Sie sieht aus wie https://acme.example.',
  }),
  websiteNotHttps: words({
    en: 'The website takes https:// only. Change the beginning.',
    de: 'Die Website muss mit https:// beginnen. Ändern Sie den Anfang.',
  }),
  redirectUrisMissing: words({
    en: 'Enter at least one redirect URI: the address of your application to which people return, such as https://acme.example/callback.',
    de: 'Geben Sie mindestens einen Redirect-URI ein: die Adresse Ihrer Anwendung, zu der man zurückkehrt, etwa https://acme.example/callback.',
  }),
  redirectUrisTooMany: words({
    en: `Use at most ${redirectUrisPerApplication} redirect URIs.`,
    de: `Verwenden Sie höchstens ${redirectUrisPerApplication} Redirect-URIs.`,
  }),
  tooLong: words({
    en: `has more than ${redirectUriMaxCharacters} characters. Shorten it.`,
    de: `hat mehr als ${redirectUriMaxCharacters} Zeichen. Kürzen Sie ihn.`,
  }),
  notAbsolute: words({
    en: 'is not a whole address. Begin with https:// and the host, such as https://acme.example/callback.',
    de: 'ist keine ganze Adresse. Beginnen Sie mit https:// und dem Host, etwa https://acme.example/callback.',
  }),
  characters: words({
    en: 'has a character that no address holds, such as a space. Write it percent-encoded, and one address a line.',
    de: 'enthält ein Zeichen, das in keiner Adresse steht, etwa ein Leerzeichen. Schreiben Sie es prozentkodiert und nur eine Adresse pro Zeile.',
  }),
  wildcard: words({
    en: 'has a *. Redirect URIs are matched character by character, so list each address on a line of its own.',
    de: 'enthält ein *. Redirect-URIs werden Zeichen für Zeichen verglichen; geben Sie jede Adresse in einer eigenen Zeile an.',
  }),
  host: words({
    en: 'has a host that browsers rewrite. Write it the way the address bar shows it.',
    de: 'hat einen Host, den Browser umschreiben. Schreiben Sie ihn so, wie die Adresszeile ihn zeigt.',
  }),
  fragment: words({
    en: 'has a part behind #, which never reaches your server. Leave it out.',
    de: 'hat einen Teil hinter #, der Ihren Server nie erreicht. Lassen Sie ihn weg.',
  }),
  user: words({
    en: 'has a user name before the @. Leave it out.',
    de: 'hat einen Benutzernamen vor dem @. Lassen Sie ihn weg.',
  }),
  httpInProduction: words({
    en: 'begins with http://. Production takes https:// only: change it, or choose Development while you build on your own machine.',
    de: 'beginnt mit http://. In der Produktion gilt nur https://: Ändern Sie ihn, oder wählen Sie Entwicklung, solange Sie auf Ihrem eigenen Rechner bauen.',
  }),
  notHttps: words({
    en: 'does not begin with https://. Change the beginning.',
    de: 'beginnt nicht mit https://. Ändern Sie den Anfang.',
  }),
  httpElsewhere: words({
    en: 'begins with http://, which is for localhost, 127.0.0.1 and [::1] only. Change it to https://.',
    de: 'beginnt mit http://, was nur für localhost, 127.0.0.1 und [::1] gilt. Ändern Sie das in https://.',
  }),
}

import * as limits from '../../../domain/limits/limits.ts'
import { type Text, t, type Words } from '../../../pages/html.ts'

/** Labels and hints for the registration and settings forms. */
export const fieldWords = {
  name: t`Name`,
  nameHint: t`Users see it when they are asked to allow your application.`,
  websiteUrl: t`Website URL`,
  websiteUrlHint: t`Where users can learn about you. Must start with https://.`,
  environment: t`Environment`,
  environments: {
    production: t`Production`,
    development: t`Development`,
  },
  productionHint: t`Redirect URIs must start with https://.`,
  developmentHint: t.html`Also allows <code>http://localhost</code> with a port, and <code>http://127.0.0.1</code> and <code>http://[::1]</code> on any port.`,
  redirectUris: t`Redirect URIs`,
  redirectUri: t`Redirect URI`,
  redirectUrisHint: t.html`Where users return, one per line, such as <code>https://acme.example/callback</code>. Each must match exactly, including a slash at the end.`,
  addRedirectUri: t`Add a redirect URI`,
  remove: t`Remove`,
  nearDuplicates: {
    'slash-at-end': t`Two of these differ only by a trailing slash.`,
    case: t`Two of these differ only in capitalization.`,
    www: t`Two of these differ only in “www.”.`,
    port: t`Two of these differ only in the port.`,
  },
  nearDuplicatesMeaning: t`If your application uses only one, remove the other.`,
  pkce: t`PKCE`,
  pkceOptional: t`Optional`,
  pkceOptionalHint: t`Checked if your application sends it.`,
  pkceRequired: t`Required`,
  pkceRequiredHint: t.html`Authorization requests without <code>code_challenge</code> (S256) are rejected. Choose this once your client library sends one. It makes stolen codes useless.`,
  rarelyChanged: (environment: Text, pkceRequired: boolean): Words =>
    pkceRequired ? t`Environment: ${environment} · PKCE: required` : t`Environment: ${environment} · PKCE: optional`,
}

/** Errors of form fields. An error about one redirect URI is shown after that URI, and continues the sentence. */
export const fieldErrorWords = {
  nameMissing: t`Enter a name for your application.`,
  nameTooLong: t`Use at most ${limits.applicationNameMaxCharacters} characters.`,
  websiteMalformed: t`This is not a URL. Enter one like https://acme.example.`,
  websiteNotHttps: t`The website URL must start with https://.`,
  redirectUrisMissing: t`Enter at least one redirect URI, such as https://acme.example/callback.`,
  applicationsTooMany: t`You have ${limits.applicationsPerOwner} applications, the maximum. Delete one first.`,
  redirectUrisTooMany: t`Use at most ${limits.redirectUrisPerApplication} redirect URIs.`,
  tooLong: t`has more than ${limits.redirectUriMaxCharacters} characters. Shorten it.`,
  notAbsolute: t`is not a complete URL. Start with https:// and the host, such as https://acme.example/callback.`,
  characters: t`has a character that URLs can’t contain, such as a space. Percent-encode it, and enter one URL per line.`,
  several: t`contains several URLs. Enter one per line.`,
  wildcard: t`has a *. Redirect URIs must match exactly, so enter each one on a separate line.`,
  host: t`has a host name that browsers rewrite. Enter the name as the address bar shows it.`,
  fragment: t`has a part after #, which never reaches your server. Remove it.`,
  user: t`has a user name before the @. Remove it.`,
  responseParameter: t`has code, state, error, error_description, error_uri or iss in its query. Gatehouse adds these parameters itself. Remove them.`,
  httpInProduction: t`starts with http://. Production allows only https://. Change it, or choose Development while you build on your own machine.`,
  notHttps: t`must start with https://.`,
  httpElsewhere: t`starts with http://, which is allowed only for localhost, 127.0.0.1 and [::1]. Change it to https://.`,
}

export const deletionWords = {
  title: (name: string): Words => t`Delete ${name}?`,
  effect: (clientId: string): Words =>
    t.html`All tokens of the application stop working immediately, and users can’t sign in with it. The client ID <code>${clientId}</code> is never reused.`,
  final: t`This can’t be undone.`,
  delete: t`Delete application`,
  keep: t`Keep application`,
}

export const settingsWords = {
  title: t`Settings`,
  about: t`Changes take effect with the next request.`,
  verifiedTitle: t`This application is verified`,
  firstPartyTitle: t`Users sign in to this application without a consent screen`,
  verifiedEnds: t`The application will no longer be verified`,
  firstPartyEnds: t`Users will have to give their consent`,
  marksEnd: t`This applies until you change the name, website, environment or redirect URIs. An administrator must then approve the application again.`,
  save: t`Save changes`,
  discard: t`Discard changes`,
  notSaved: t`Changes not saved`,
  deleteTitle: t`Delete`,
  deleteAbout: t`All tokens of the application stop working immediately. You’ll be asked to confirm on the next page.`,
  savedUnverified: t`Changes saved. The application is no longer verified. Ask an administrator to verify it again.`,
  savedAsking: t`Changes saved. From now on, users must give their consent.`,
  saved: t`Changes saved.`,
}

import type { PersonalTokenScope } from '../../domain/accounts/personal-tokens/personal-token-store.ts'
import type { PersonalTokenRefusalReason } from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { AccountField } from '../../pages/account-form.ts'
import { html, type Words, words } from '../../pages/html.ts'

/** Text for `/account/tokens`. */
export const tokensWords = {
  title: words({ en: 'Personal access tokens', de: 'Persönliche Zugriffstokens' }),
  notCreated: words({ en: 'Token not created', de: 'Token nicht erstellt' }),
  about: (guide: string): Words =>
    words({
      en: html`With a token, your scripts use the <a href="${guide}">API for owners</a>. A token can do only what you can do.`,
      de: html`Mit einem Token nutzen Ihre Skripte die <a href="${guide}">API für Eigentümer</a>. Ein Token darf nur, was auch Sie dürfen.`,
    }),
  ends: words({
    en: 'A token stops working when it expires, when you revoke it, when your password changes, and when you sign out everywhere else.',
    de: 'Ein Token wird ungültig, wenn es abläuft, wenn Sie es widerrufen, wenn sich Ihr Passwort ändert und wenn Sie alle anderen Sitzungen beenden.',
  }),
  none: words({ en: 'You have no tokens yet.', de: 'Sie haben noch keine Tokens.' }),
  revoked: words({ en: 'Token revoked.', de: 'Token widerrufen.' }),
  caption: words({ en: 'Your tokens, newest first', de: 'Ihre Tokens, neueste zuerst' }),
  name: words({ en: 'Name', de: 'Name' }),
  scopes: words({ en: 'Scopes', de: 'Berechtigungen' }),
  expires: words({ en: 'Expires', de: 'Läuft ab' }),
  expired: words({ en: 'Expired', de: 'Abgelaufen' }),
  actions: words({ en: 'Revoke', de: 'Widerrufen' }),
  revoke: (name: string): Words =>
    words({
      en: html`Revoke<span class="hidden-visually"> ${name}</span>`,
      de: html`<span class="hidden-visually">${name} </span>Widerrufen`,
    }),
  once: {
    title: words({ en: 'Your new token', de: 'Ihr neues Token' }),
    label: words({ en: 'Token', de: 'Token' }),
    explain: words({
      en: 'Copy it now. It is shown only once.',
      de: 'Kopieren Sie es jetzt. Es wird nur einmal angezeigt.',
    }),
  },
  create: {
    title: words({ en: 'New token', de: 'Neues Token' }),
    nameHint: words({
      en: `For example, the script that uses it. At most ${limits.personalTokenNameMaxCharacters} characters.`,
      de: `Zum Beispiel der Name des Skripts. Höchstens ${limits.personalTokenNameMaxCharacters} Zeichen.`,
    }),
    scopesHint: words({ en: 'Choose only what the script needs.', de: 'Wählen Sie nur, was das Skript braucht.' }),
    lifetime: words({ en: 'Valid for', de: 'Gültig für' }),
    days: (days: number): Words => words({ en: `${days} days`, de: `${days} Tage` }),
    password: words({ en: 'Password', de: 'Passwort' }),
    submit: words({ en: 'Create token', de: 'Token erstellen' }),
  },
}

/** Text for `/account/tokens/{tokenId}/revocation`. */
export const revocationWords = {
  title: (name: string): Words => words({ en: `Revoke ${name}?`, de: `${name} widerrufen?` }),
  effect: words({
    en: 'Scripts that use this token stop working immediately. This can’t be undone.',
    de: 'Skripte, die dieses Token verwenden, funktionieren ab sofort nicht mehr. Das lässt sich nicht rückgängig machen.',
  }),
  submit: words({ en: 'Revoke token', de: 'Token widerrufen' }),
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
}

/** Hints next to the scopes' check boxes. */
export const tokenScopeWords: Record<PersonalTokenScope, Words> = {
  'bots.read': words({ en: 'View your bots and their status', de: 'Ihre Bots und deren Status ansehen' }),
  'bots.write': words({
    en: 'Turn hosting and the public status on and off',
    de: 'Hosting und öffentlichen Status aktivieren und deaktivieren',
  }),
  'deliveries.read': words({
    en: 'View deliveries with the contents of webhooks',
    de: 'Zustellungen mit dem Inhalt der Webhooks ansehen',
  }),
  'deliveries.write': words({
    en: 'Replay, retry and discard webhooks',
    de: 'Webhooks erneut einreihen, sofort zustellen und verwerfen',
  }),
  'flows.read': words({ en: 'View flows', de: 'Flows ansehen' }),
  'flows.write': words({
    en: 'Change flows, their keys and signatures',
    de: 'Flows, ihre Schlüssel und Signaturen ändern',
  }),
  'logs.read': words({ en: 'View logs', de: 'Protokolle ansehen' }),
  'runtimes.read': words({ en: 'View your runtimes', de: 'Ihre Runtimes ansehen' }),
  'runtimes.write': words({
    en: 'Create and remove runtimes and their keys',
    de: 'Runtimes und ihre Schlüssel erstellen und entfernen',
  }),
}

interface TokenError {
  field?: AccountField
  message: Words
}

/** Error messages of the form that creates a token. */
export const tokenErrorWords: Record<PersonalTokenRefusalReason, TokenError> = {
  'name-missing': {
    field: 'name',
    message: words({ en: 'Enter a name for the token.', de: 'Geben Sie einen Namen für das Token an.' }),
  },
  'name-too-long': {
    field: 'name',
    message: words({
      en: `Use a name of at most ${limits.personalTokenNameMaxCharacters} characters.`,
      de: `Verwenden Sie einen Namen mit höchstens ${limits.personalTokenNameMaxCharacters} Zeichen.`,
    }),
  },
  'scopes-missing': {
    field: 'scope',
    message: words({ en: 'Choose at least one scope.', de: 'Wählen Sie mindestens eine Berechtigung.' }),
  },
  'lifetime-unknown': {
    field: 'days',
    message: words({ en: 'Choose a lifetime from the list.', de: 'Wählen Sie eine Gültigkeitsdauer aus der Liste.' }),
  },
  'tokens-too-many': {
    message: words({
      en: `You can have at most ${limits.personalTokensPerUser} tokens. Revoke one first.`,
      de: `Sie können höchstens ${limits.personalTokensPerUser} Tokens haben. Widerrufen Sie zuerst eines.`,
    }),
  },
}

/** @param returnTo path of the page to which the user returns with the PIN entered. */
export function unlockFirst(returnTo: string): Words {
  const unlock = html`<a href="/unlock?return_to=${encodeURIComponent(returnTo)}">`
  return words({
    en: html`A token that can make changes needs your PIN. ${unlock}Enter your PIN</a>, then create the token.`,
    de: html`Für ein Token, das etwas ändern darf, brauchen Sie Ihre PIN. ${unlock}Geben Sie Ihre PIN ein</a> und erstellen Sie dann das Token.`,
  })
}

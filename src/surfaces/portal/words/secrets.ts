import * as limits from '../../../domain/limits/limits.ts'
import { type Html, html, type Words, words } from '../../../pages/html.ts'

export const credentialsWords = {
  title: words({ en: 'Credentials', de: 'Zugangsdaten' }),
  clientId: words({ en: 'Client ID', de: 'Client-ID' }),
  clientSecret: words({ en: 'Client secret', de: 'Client-Secret' }),
  caption: words({ en: 'Client secrets, oldest first', de: 'Client-Secrets, ältestes zuerst' }),
  withoutLabel: words({ en: 'No label', de: 'Ohne Bezeichnung' }),
  rotateOnly: words({ en: 'Can only be rotated', de: 'Nur erneuerbar' }),
  rotate: words({ en: 'Rotate secret', de: 'Secret erneuern' }),
  rotateEffect: words({
    en: 'Creates a new secret. All current secrets stop working immediately.',
    de: 'Ein neues Secret wird erstellt. Alle bisherigen Secrets werden sofort ungültig.',
  }),
  add: words({ en: 'New secret', de: 'Neues Secret' }),
  addEffect: words({
    en: 'Lets you change secrets without downtime. Both work until you revoke the old one.',
    de: 'Wechsel ohne Ausfall: Beide Secrets sind gültig, bis Sie das alte widerrufen.',
  }),
  mostSecrets: words({
    en: 'To create another secret, revoke one of these two first.',
    de: 'Widerrufen Sie zuerst eines der beiden Secrets, um ein weiteres zu erstellen.',
  }),
  revokeSecret: words({ en: 'Revoke secret', de: 'Secret widerrufen' }),
  once: {
    registered: words({ en: 'Application registered', de: 'Anwendung registriert' }),
    rotated: words({ en: 'Client secret rotated', de: 'Client-Secret erneuert' }),
    added: words({ en: 'Client secret created', de: 'Client-Secret erstellt' }),
  },
  previousRevoked: words({
    en: 'The previous secrets no longer work. ',
    de: 'Alle bisherigen Secrets sind ungültig. ',
  }),
  copyNow: words({
    en: html`Copy the client secret to your server’s settings now. <strong>It is shown only once.</strong> If you lose it, rotate it.`,
    de: html`Kopieren Sie das Client-Secret jetzt in die Einstellungen Ihres Servers. <strong>Es wird nur einmal angezeigt.</strong> Wenn Sie es verlieren, erneuern Sie es.`,
  }),
  thenRevoke: words({
    en: ' Once all your servers use it, revoke the old one below.',
    de: ' Sobald alle Server es verwenden, widerrufen Sie unten das alte.',
  }),
  guides: {
    title: words({ en: 'Sign your first user in', de: 'Ersten Benutzer anmelden' }),
    about: words({
      en: html`Follow the guide for <a href="/guides/express">Express</a>, <a href="/guides/authjs">Next</a>, <a href="/guides/authlib">Flask</a> or <a href="/guides/sign-in">another library</a>. Their programs read the variables below.`,
      de: html`Folgen Sie der Anleitung für <a href="/guides/express">Express</a>, <a href="/guides/authjs">Next</a>, <a href="/guides/authlib">Flask</a> oder <a href="/guides/sign-in">eine andere Bibliothek</a>. Die Programme darin lesen die folgenden Variablen.`,
    }),
    variables: words({ en: 'Environment variables', de: 'Umgebungsvariablen' }),
  },
  revoked: words({ en: 'Secret revoked.', de: 'Secret widerrufen.' }),
}

/** Text for confirmation pages, and for the page that creates another secret. */
export const secretPagesWords = {
  rotateTitle: (name: string): Words =>
    words({ en: `Rotate the client secret of ${name}?`, de: `Client-Secret von ${name} erneuern?` }),
  firstSecret: words({
    en: 'A client secret is created. It is shown only once.',
    de: 'Ein Client-Secret wird erstellt. Es wird nur einmal angezeigt.',
  }),
  rotateEffect: (lastFour: readonly string[]): Words =>
    words({
      en: html`All current secrets stop working immediately: ${masked(lastFour)}. The new secret is shown only once.`,
      de: html`Alle bisherigen Secrets werden sofort ungültig: ${masked(lastFour)}. Das neue Secret wird nur einmal angezeigt.`,
    }),
  rotateMeanwhile: words({
    en: 'Until your application has the new secret, it can’t exchange codes or refresh tokens. Tokens that it already holds stay valid.',
    de: 'Bis Ihre Anwendung das neue Secret hat, kann sie weder Codes einlösen noch Tokens erneuern. Vorhandene Tokens bleiben gültig.',
  }),
  keepCurrent: words({ en: 'Keep current secrets', de: 'Bisherige Secrets behalten' }),
  revokeTitle: (name: string): Words =>
    words({ en: `Revoke a client secret of ${name}?`, de: `Ein Client-Secret von ${name} widerrufen?` }),
  revokeEffect: (ends: string, stays: string): Words =>
    words({
      en: html`The secret ${masked([ends])} stops working immediately. ${masked([stays])} keeps working.`,
      de: html`Das Secret ${masked([ends])} wird sofort ungültig. ${masked([stays])} bleibt gültig.`,
    }),
  revokeMeanwhile: words({
    en: 'Servers that still use the revoked secret can’t exchange codes or refresh tokens. Existing tokens stay valid.',
    de: 'Server, die das widerrufene Secret noch verwenden, können weder Codes einlösen noch Tokens erneuern. Vorhandene Tokens bleiben gültig.',
  }),
  lastUsed: (when: Html): Words =>
    words({ en: html`This secret was last used ${when}.`, de: html`Dieses Secret wurde zuletzt ${when} verwendet.` }),
  neverUsed: words({ en: 'This secret has not been used yet.', de: 'Dieses Secret wurde noch nicht verwendet.' }),
  keepBoth: words({ en: 'Keep both secrets', de: 'Beide Secrets behalten' }),
  addTitle: words({ en: 'New client secret', de: 'Neues Client-Secret' }),
  create: words({ en: 'Create secret', de: 'Secret erstellen' }),
  addAbout: words({
    en: 'Both secrets stay valid while you update your servers. Then revoke the old one. If others may have seen a secret, rotate it instead.',
    de: 'Beide Secrets bleiben gültig, während Sie Ihre Server umstellen. Widerrufen Sie danach das alte Secret. Falls andere ein Secret kennen könnten, erneuern Sie es stattdessen.',
  }),
  label: words({ en: 'Label', de: 'Bezeichnung' }),
  labelHint: words({
    en: 'For example, the server that uses it.',
    de: 'Zum Beispiel der Server, der das Secret verwendet.',
  }),
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
  labelMissing: words({
    en: 'Enter a label to tell the two secrets apart.',
    de: 'Geben Sie eine Bezeichnung ein, damit Sie die beiden Secrets unterscheiden können.',
  }),
  labelTooLong: words({
    en: `Use at most ${limits.secretLabelMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${limits.secretLabelMaxCharacters} Zeichen.`,
  }),
  tooMany: words({
    en: 'You already have two secrets. Revoke one first.',
    de: 'Sie haben schon zwei Secrets. Widerrufen Sie zuerst eines.',
  }),
  secretUnknown: words({
    en: 'This secret no longer exists. Nothing was changed.',
    de: 'Dieses Secret gibt es nicht mehr. Es wurde nichts geändert.',
  }),
  secretNeeded: words({
    en: 'This is the only secret, and your application needs one. Rotate it instead.',
    de: 'Das ist das einzige Secret, und Ihre Anwendung braucht eines. Erneuern Sie es stattdessen.',
  }),
}

function masked(lastFour: readonly string[]): Html {
  return html`${lastFour.map((end, index) => html`${index > 0 && ', '}<code>••••${end}</code>`)}`
}

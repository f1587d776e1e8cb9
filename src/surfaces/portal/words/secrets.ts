import { secretLabelMaxCharacters } from '../../../domain/limits/limits.ts'
import { type Html, html, type Words, words } from '../../../pages/html.ts'

/** Client id and client secrets of an application. */
export const credentialsWords = {
  title: words({ en: 'Credentials', de: 'Zugangsdaten' }),
  about: words({
    en: 'The client id may stand in links and pages. The client secret stays on your server.',
    de: 'Die Client-ID darf in Links und Seiten stehen. Das Client-Secret bleibt auf Ihrem Server.',
  }),
  clientId: words({ en: 'Client id', de: 'Client-ID' }),
  clientSecret: words({ en: 'Client secret', de: 'Client-Secret' }),
  secondSecret: (label: string): Words => words({ en: `Second secret: ${label}`, de: `Zweites Secret: ${label}` }),
  made: (when: Html): Words => words({ en: html`Created ${when}.`, de: html`Erstellt ${when}.` }),
  lastUsed: (when: Html): Words => words({ en: html`Last used ${when}.`, de: html`Zuletzt benutzt ${when}.` }),
  neverUsed: words({ en: 'No server has used it yet.', de: 'Noch kein Server hat es benutzt.' }),
  onlyItsEnd: words({ en: 'Only its end is known here.', de: 'Hier ist nur sein Ende bekannt.' }),
  rotate: words({ en: 'Rotate secret', de: 'Secret erneuern' }),
  rotateEffect: words({
    en: 'Creates a new secret. All current secrets stop working immediately.',
    de: 'Erstellt ein neues Secret. Alle bisherigen Secrets gelten sofort nicht mehr.',
  }),
  addSecond: words({ en: 'Make a second secret', de: 'Zweites Secret erstellen' }),
  addSecondEffect: words({
    en: 'The current one keeps working, so you can update your servers one by one.',
    de: 'Das bisherige gilt weiter. So können Sie Ihre Server nacheinander umstellen.',
  }),
  revoke: words({ en: 'Revoke', de: 'Widerrufen' }),
  revokeSecret: words({ en: 'Revoke secret', de: 'Secret widerrufen' }),
  once: {
    registered: words({ en: 'Your application is registered', de: 'Ihre Anwendung ist registriert' }),
    rotated: words({ en: 'The client secret is rotated', de: 'Das Client-Secret ist erneuert' }),
    added: words({ en: 'The second secret is made', de: 'Das zweite Secret ist erstellt' }),
  },
  oldIsDead: words({
    en: 'All earlier secrets have stopped working. ',
    de: 'Alle bisherigen Secrets gelten nicht mehr. ',
  }),
  copyNow: words({
    en: html`Copy the client secret to your server’s settings now: <strong>it is shown this once</strong>, and nobody can show it again. If it is lost, rotate it.`,
    de: html`Kopieren Sie das Client-Secret jetzt in die Einstellungen Ihres Servers: <strong>Es wird nur dieses eine Mal gezeigt</strong>, und niemand kann es noch einmal zeigen. Ging es verloren, erneuern Sie es.`,
  }),
  revoked: words({
    en: 'The secret is revoked and no longer works.',
    de: 'Das Secret ist widerrufen und gilt nicht mehr.',
  }),
}

/** Texts of the confirmation pages, and of the page that creates a second secret. */
export const secretPagesWords = {
  rotateTitle: (name: string): Words =>
    words({ en: `Rotate the client secret of ${name}?`, de: `Client-Secret von ${name} erneuern?` }),
  firstSecret: words({ en: 'You get a client secret, once.', de: 'Sie erhalten ein Client-Secret, ein einziges Mal.' }),
  rotateEffect: (lastFour: readonly string[]): Words =>
    words({
      en: html`All current secrets stop working immediately: ${masked(lastFour)}. The new secret is shown once.`,
      de: html`Alle bisherigen Secrets gelten sofort nicht mehr: ${masked(lastFour)}. Das neue Secret wird nur einmal gezeigt.`,
    }),
  rotateMeanwhile: words({
    en: 'Until your application has the new secret, it can’t exchange codes or refresh tokens. Tokens that it already holds stay valid.',
    de: 'Bis Ihre Anwendung das neue Secret hat, kann sie weder Codes einlösen noch Tokens erneuern. Ihre vorhandenen Tokens bleiben gültig.',
  }),
  keepCurrent: words({ en: 'Keep current secrets', de: 'Bisherige Secrets behalten' }),
  revokeTitle: (name: string): Words =>
    words({ en: `Revoke a client secret of ${name}?`, de: `Ein Client-Secret von ${name} widerrufen?` }),
  revokeEffect: (ends: string, stays: string): Words =>
    words({
      en: html`The secret ${masked([ends])} stops working now. ${masked([stays])} works on.`,
      de: html`Das Secret ${masked([ends])} gilt ab sofort nicht mehr. ${masked([stays])} gilt weiter.`,
    }),
  revokeMeanwhile: words({
    en: 'A server that still uses it can not exchange codes or refresh tokens any more. Tokens stay valid.',
    de: 'Ein Server, der es noch benutzt, kann dann weder Codes einlösen noch Tokens erneuern. Tokens bleiben gültig.',
  }),
  lastUsed: (when: Html): Words =>
    words({ en: html`It was last used ${when}.`, de: html`Zuletzt benutzt wurde es ${when}.` }),
  neverUsed: words({ en: 'It was not used yet.', de: 'Es wurde noch nicht benutzt.' }),
  keepBoth: words({ en: 'Keep both', de: 'Beide behalten' }),
  addTitle: words({ en: 'Make a second secret', de: 'Zweites Secret erstellen' }),
  addAbout: words({
    en: 'It works beside the current one. Give it to your servers one by one; when all have it, revoke the other. If a secret may have been seen by others, rotate instead.',
    de: 'Es gilt neben dem jetzigen. Geben Sie es Ihren Servern nacheinander; haben es alle, widerrufen Sie das andere. Könnten andere ein Secret gesehen haben, erneuern Sie es stattdessen.',
  }),
  label: words({ en: 'Label', de: 'Bezeichnung' }),
  labelHint: words({
    en: 'What you recognise it by, such as the name of the server that gets it.',
    de: 'Woran Sie es erkennen, etwa der Name des Servers, der es bekommt.',
  }),
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
  labelMissing: words({
    en: 'Enter a label, so that you can tell the two apart.',
    de: 'Geben Sie eine Bezeichnung ein, damit Sie die beiden unterscheiden können.',
  }),
  labelTooLong: words({
    en: `Use at most ${secretLabelMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${secretLabelMaxCharacters} Zeichen.`,
  }),
  tooMany: words({
    en: 'There are two secrets already. Revoke one first.',
    de: 'Es gibt schon zwei Secrets. Widerrufen Sie zuerst eines.',
  }),
  secretUnknown: words({
    en: 'That secret is gone already. Nothing was changed.',
    de: 'Dieses Secret gibt es nicht mehr. Nichts wurde geändert.',
  }),
  secretNeeded: words({
    en: 'It is the only secret, and your application needs one. Rotate it instead.',
    de: 'Es ist das einzige Secret, und Ihre Anwendung braucht eines. Erneuern Sie es stattdessen.',
  }),
}

function masked(lastFour: readonly string[]): Html {
  return html`${lastFour.map((end, index) => html`${index > 0 && ', '}<code>••••${end}</code>`)}`
}

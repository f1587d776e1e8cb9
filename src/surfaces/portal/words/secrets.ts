import * as limits from '../../../domain/limits/limits.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'

export const credentialsWords = {
  title: t`Credentials`,
  clientId: t`Client ID`,
  clientSecret: t`Client secret`,
  caption: t`Client secrets, oldest first`,
  withoutLabel: t`No label`,
  rotateOnly: t`Can only be rotated`,
  rotate: t`Rotate secret`,
  rotateEffect: t`Creates a new secret. All current secrets stop working immediately.`,
  add: t`New secret`,
  addEffect: t`Lets you change secrets without downtime. Both work until you revoke the old one.`,
  mostSecrets: t`To create another secret, revoke one of these two first.`,
  revokeSecret: t`Revoke secret`,
  once: {
    registered: t`Application registered`,
    rotated: t`Client secret rotated`,
    added: t`Client secret created`,
  },
  previousRevoked: t`The previous secrets no longer work. `,
  copyNow: t.html`Copy the client secret to your server’s settings now. <strong>It is shown only once.</strong> If you lose it, rotate it.`,
  thenRevoke: t` Once all your servers use it, revoke the old one below.`,
  guides: {
    title: t`Sign your first user in`,
    about: t.html`Follow the guide for <a href="/guides/express">Express</a>, <a href="/guides/authjs">Next</a>, <a href="/guides/authlib">Flask</a> or <a href="/guides/sign-in">another library</a>. Their programs read the variables below.`,
    variables: t`Environment variables`,
  },
  revoked: t`Secret revoked.`,
}

/** Text for confirmation pages, and for the page that creates another secret. */
export const secretPagesWords = {
  rotateTitle: (name: string): Words => t`Rotate the client secret of ${name}?`,
  firstSecret: t`A client secret is created. It is shown only once.`,
  rotateEffect: (lastFour: readonly string[]): Words =>
    t`All current secrets stop working immediately: ${masked(lastFour)}. The new secret is shown only once.`,
  rotateMeanwhile: t`Until your application has the new secret, it can’t exchange codes or refresh tokens. Tokens that it already holds stay valid.`,
  keepCurrent: t`Keep current secrets`,
  revokeTitle: (name: string): Words => t`Revoke a client secret of ${name}?`,
  revokeEffect: (ends: string, stays: string): Words =>
    t`The secret ${masked([ends])} stops working immediately. ${masked([stays])} keeps working.`,
  revokeMeanwhile: t`Servers that still use the revoked secret can’t exchange codes or refresh tokens. Existing tokens stay valid.`,
  lastUsed: (when: Html): Words => t`This secret was last used ${when}.`,
  neverUsed: t`This secret has not been used yet.`,
  keepBoth: t`Keep both secrets`,
  addTitle: t`New client secret`,
  create: t`Create secret`,
  addAbout: t`Both secrets stay valid while you update your servers. Then revoke the old one. If others may have seen a secret, rotate it instead.`,
  label: t`Label`,
  labelHint: t`For example, the server that uses it.`,
  cancel: t`Cancel`,
  labelMissing: t`Enter a label to tell the two secrets apart.`,
  labelTooLong: t`Use at most ${limits.secretLabelMaxCharacters} characters.`,
  tooMany: t`You already have two secrets. Revoke one first.`,
  secretUnknown: t`This secret no longer exists. Nothing was changed.`,
  secretNeeded: t`This is the only secret, and your application needs one. Rotate it instead.`,
}

function masked(lastFour: readonly string[]): Html {
  return html`${lastFour.map((end, index) => html`${index > 0 && ', '}<code>••••${end}</code>`)}`
}

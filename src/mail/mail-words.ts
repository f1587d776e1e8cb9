import type { Mail } from '../domain/accounts/mail-transport.ts'
import { type Html, html } from '../http/html.ts'
import { linkAddress } from '../http/one-time-link.ts'

/** A mail in both of its forms; they say the same. */
export interface WrittenMail {
  subject: string
  text: string
  html: string
}

/** What a mail says, before it is put into a form. */
interface Words {
  subject: string
  /** Paragraphs before the link, and after it. */
  before: readonly string[]
  link: { does: string; address: string } | undefined
  after: readonly string[]
}

/** Writes the mail, as plain text and as simple HTML without pictures. */
export function writeMail(mail: Mail, baseUrl: string): WrittenMail {
  const words = wordsOf(mail, baseUrl)
  return { subject: words.subject, text: asText(words), html: asHtml(words).in('en') }
}

function wordsOf(mail: Mail, baseUrl: string): Words {
  const host = new URL(baseUrl).host
  // By no name: people choose their names at sign-up, and may give anybody's address there.
  const hello = 'Hello,'
  switch (mail.kind) {
    case 'verify-email':
      return {
        subject: `Confirm your e-mail address for ${host}`,
        before: [hello, `Somebody, you it seems, gave this address for an account at ${host}.`],
        link: { does: 'Confirm this address', address: linkAddress(baseUrl, mail.kind, mail.clearTextToken) },
        after: [
          'The link works once, within 24 hours.',
          'If it was not you, do nothing: without the link the address is not used for anything.',
        ],
      }
    case 'reset-password':
      return {
        subject: `Set a new password for ${host}`,
        before: [hello, `Somebody, you it seems, asked to set a new password for your account at ${host}.`],
        link: { does: 'Set a new password', address: linkAddress(baseUrl, mail.kind, mail.clearTextToken) },
        after: [
          'The link works once, within 1 hour. A new password signs you out everywhere.',
          'If it was not you, do nothing: your password stays as it is.',
        ],
      }
    case 'email-changed':
      return {
        subject: `Your e-mail address at ${host} was changed`,
        before: [
          hello,
          `Your account at ${host} has another e-mail address now. This one is no longer used for it.`,
          `If it was not you, tell whoever runs ${host} at once: somebody else can sign in to your account.`,
        ],
        link: undefined,
        after: [],
      }
  }
}

function asText({ before, link, after }: Words): string {
  const parts = [...before, ...(link === undefined ? [] : [`${link.does}:\n${link.address}`]), ...after]
  return `${parts.join('\n\n')}\n`
}

function asHtml({ subject, before, link, after }: Words): Html {
  const paragraph = (text: string) => html`<p style="margin:0 0 16px">${text}</p>`
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${subject}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:544px">
${before.map(paragraph)}
${
  link !== undefined &&
  html`<p style="margin:0 0 16px"><a href="${link.address}"><strong>${link.does}</strong></a></p>
<p style="margin:0 0 16px">Or copy this address into your browser:<br><span style="font-family:ui-monospace,monospace;overflow-wrap:anywhere">${link.address}</span></p>`
}
${after.map(paragraph)}
</div></body></html>
`
}

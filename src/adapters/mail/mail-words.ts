import type { Mail, MailKind } from '../../domain/accounts/mail/mail.ts'
import type { Language } from '../../domain/language.ts'
import { type Html, html } from '../../pages/html.ts'
import { linkUrl } from '../../pages/secret-links.ts'

/** The text of an email. Its link stands between the paragraphs before and after it. */
interface MailWords {
  subject: string
  before: readonly string[]
  link: { does: string; copy: string } | undefined
  after: readonly string[]
}

/** An email as plain text and as HTML, with the same content. */
interface WrittenMail {
  subject: string
  text: string
  html: string
}

/** Renders the email as plain text and as simple HTML without images. */
export function writeMail(mail: Mail, baseUrl: string): WrittenMail {
  const words = wordsOf[mail.language](mail.kind, new URL(baseUrl).host)
  const address = mail.kind === 'email-changed' ? undefined : linkUrl(baseUrl, mail.kind, mail.clearTextToken)
  return {
    subject: words.subject,
    text: asText(words, address),
    html: asHtml(words, mail.language, address).in(mail.language),
  }
}

function asText({ before, link, after }: MailWords, address: string | undefined): string {
  const parts = [...before, ...(link === undefined ? [] : [`${link.does}:\n${address}`]), ...after]
  return `${parts.join('\n\n')}\n`
}

function asHtml({ subject, before, link, after }: MailWords, language: Language, address: string | undefined): Html {
  const paragraph = (text: string) => html`<p style="margin:0 0 16px">${text}</p>`
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${subject}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:544px">
${before.map(paragraph)}
${
  link !== undefined &&
  html`<p style="margin:0 0 16px"><a href="${address}"><strong>${link.does}</strong></a></p>
<p style="margin:0 0 16px">${link.copy}<br><span style="font-family:ui-monospace,monospace;overflow-wrap:anywhere">${address}</span></p>`
}
${after.map(paragraph)}
</div></body></html>
`
}

// Emails never include the user's name: at sign-up, anyone can enter any name with someone else's
// address.
const wordsOf: Record<Language, (kind: MailKind, host: string) => MailWords> = {
  en: inEnglish,
  de: inGerman,
}

function inEnglish(kind: MailKind, host: string): MailWords {
  const hello = 'Hello,'
  const copy = 'Or copy this URL into your browser:'
  switch (kind) {
    case 'verify-email':
      return {
        subject: `Confirm your email address for ${host}`,
        before: [hello, `Someone entered this email address for an account at ${host}.`],
        link: { does: 'Confirm address', copy },
        after: [
          'The link works once, within 24 hours.',
          'If this wasn’t you, ignore this email. The address isn’t used until someone opens the link.',
        ],
      }
    case 'reset-password':
      return {
        subject: `Set a new password for ${host}`,
        before: [hello, `You asked to set a new password for your account at ${host}.`],
        link: { does: 'Set a new password', copy },
        after: [
          'The link works once, within 1 hour. Setting a new password signs you out everywhere.',
          'If this wasn’t you, ignore this email. Your password stays the same.',
        ],
      }
    case 'email-changed':
      return {
        subject: `Your email address at ${host} was changed`,
        before: [
          hello,
          `Your account at ${host} now has another email address. This one is no longer used.`,
          `If this wasn’t you, someone else can sign in to your account. Contact the administrator of ${host} immediately.`,
        ],
        link: undefined,
        after: [],
      }
  }
}

function inGerman(kind: MailKind, host: string): MailWords {
  const hello = 'Guten Tag,'
  const copy = 'Oder kopieren Sie diese URL in Ihren Browser:'
  switch (kind) {
    case 'verify-email':
      return {
        subject: `Bestätigen Sie Ihre E-Mail-Adresse für ${host}`,
        before: [hello, `diese E-Mail-Adresse wurde für ein Konto bei ${host} angegeben.`],
        link: { does: 'Adresse bestätigen', copy },
        after: [
          'Der Link ist 24 Stunden gültig und funktioniert nur einmal.',
          'Sie waren das nicht? Dann ignorieren Sie diese E-Mail. Solange niemand den Link öffnet, wird die Adresse nicht verwendet.',
        ],
      }
    case 'reset-password':
      return {
        subject: `Neues Passwort für ${host}`,
        before: [hello, `für Ihr Konto bei ${host} wurde ein neues Passwort angefordert.`],
        link: { does: 'Neues Passwort festlegen', copy },
        after: [
          'Der Link ist eine Stunde gültig und funktioniert nur einmal. Wenn Sie ein neues Passwort festlegen, werden Sie überall abgemeldet.',
          'Sie waren das nicht? Dann ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.',
        ],
      }
    case 'email-changed':
      return {
        subject: `Ihre E-Mail-Adresse bei ${host} wurde geändert`,
        before: [
          hello,
          `die E-Mail-Adresse Ihres Kontos bei ${host} wurde geändert. Diese Adresse wird dafür nicht mehr verwendet.`,
          `Sie waren das nicht? Dann hat jemand anderes Zugriff auf Ihr Konto. Wenden Sie sich sofort an den Administrator von ${host}.`,
        ],
        link: undefined,
        after: [],
      }
  }
}

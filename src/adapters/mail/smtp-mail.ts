import { createTransport } from 'nodemailer'
import type { Mail, MailKind, MailTransport } from '../../domain/accounts/mail/mail-limits.ts'
import type { Language } from '../../domain/language.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import { linkUrl } from '../../pages/places.ts'

interface SmtpOptions {
  /** `smtp://user:password@host:port` or `smtps://…`, with user and password percent-encoded. */
  url: string
  /** Sender address, such as `Gatehouse <gate@example.com>`. */
  from: string
  baseUrl: string
}

interface SmtpError extends Error {
  code?: string
  responseCode?: number
}

/** Sends email over SMTP (RFC 5321). Opens one connection per email: volume is low, so idle connections aren't kept. */
export function smtpMail({ url, from, baseUrl }: SmtpOptions): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replace(/[[\]]/g, '')
  const isLocal = host === 'localhost' || host === '::1' || /^127\./.test(host)
  const secure = protocol === 'smtps:'
  const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  const transport = createTransport({
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username === '' ? {} : { auth: credentials }),
    // Never send credentials unencrypted over a network. A relay on this machine is exempt, because few local relays
    // have a certificate.
    requireTLS: username !== '' && !secure && !isLocal,
    ignoreTLS: isLocal,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  return {
    async send(mail: Mail) {
      const content = writeMail(mail, baseUrl)
      // Use an object, because the library would split a string at commas into several recipients.
      const to = { name: '', address: mail.to }
      try {
        await transport.sendMail({ from, to, headers: { 'Auto-Submitted': 'auto-generated' }, ...content })
        return { kind: 'sent' }
      } catch (error) {
        const { code, responseCode } = error as SmtpError
        // Omits the text of the server's response, which may contain the address.
        const why = `the mail server ${responseCode === undefined ? 'could not be reached' : `responded with ${responseCode}`} (${code})`
        const isAboutThisMail = code === 'EENVELOPE' || code === 'EMESSAGE'
        if (isAboutThisMail && responseCode !== undefined)
          return { kind: responseCode >= 500 ? 'refused' : 'deferred', why }
        throw new Error(why)
      }
    },
  }
}

/** The text of an email. Its link stands between the paragraphs before and after it. */
interface MailWords {
  subject: Words
  before: readonly Words[]
  link: { does: Words; copy: Words } | undefined
  after: readonly Words[]
}

function writeMail(mail: Mail, baseUrl: string) {
  const words = wordsOf(mail.kind, new URL(baseUrl).host)
  const address = mail.kind === 'email-changed' ? undefined : linkUrl(baseUrl, mail.kind, mail.clearTextToken)
  return {
    subject: String(words.subject.in(mail.language)),
    text: asText(words, mail.language, address),
    html: asHtml(words, mail.language, address).in(mail.language),
  }
}

function asText({ before, link, after }: MailWords, language: Language, address: string | undefined): string {
  const said = (text: Words) => text.in(language)
  const parts = [...before.map(said), ...(link ? [`${said(link.does)}:\n${address}`] : []), ...after.map(said)]
  return `${parts.join('\n\n')}\n`
}

function asHtml({ subject, before, link, after }: MailWords, language: Language, address: string | undefined): Html {
  const paragraph = (text: Words) => html`<p style="margin:0 0 16px">${text}</p>`
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
function wordsOf(kind: MailKind, host: string): MailWords {
  const hello = t`Hello,`
  const copy = t`Or copy this URL into your browser:`
  switch (kind) {
    case 'verify-email':
      return {
        subject: t`Confirm your email address for ${host}`,
        before: [hello, t`Someone entered this email address for an account at ${host}.`],
        link: { does: t`Confirm address`, copy },
        after: [
          t`The link works once, within 24 hours.`,
          t`If this wasn’t you, ignore this email. The address isn’t used until someone opens the link.`,
        ],
      }
    case 'reset-password':
      return {
        subject: t`Set a new password for ${host}`,
        before: [hello, t`You asked to set a new password for your account at ${host}.`],
        link: { does: t`Set a new password`, copy },
        after: [
          t`The link works once, within 1 hour. Setting a new password signs you out everywhere.`,
          t`If this wasn’t you, ignore this email. Your password stays the same.`,
        ],
      }
    case 'email-changed':
      return {
        subject: t`Your email address at ${host} was changed`,
        before: [
          hello,
          t`Your account at ${host} now has another email address. This one is no longer used.`,
          t`If this wasn’t you, someone else can sign in to your account. Contact the operator of ${host} immediately.`,
        ],
        link: undefined,
        after: [],
      }
  }
}

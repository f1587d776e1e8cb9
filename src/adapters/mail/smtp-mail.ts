import { createTransport } from 'nodemailer'
import type { Mail, MailTransport } from '../../domain/accounts/mail/mail.ts'
import { writeMail } from './mail-words.ts'

export interface SmtpOptions {
  /** `smtp://user:password@host:port` or `smtps://…`, with user and password percent-encoded. */
  url: string
  /** Sender address, such as `Gatehouse <gate@example.com>`. */
  from: string
  /** Base URL of the base surface, used to build links. */
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

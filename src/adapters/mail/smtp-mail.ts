import { createTransport } from 'nodemailer'
import type { Mail, MailTransport } from '../../domain/accounts/mail/mail-transport.ts'
import { writeMail } from './mail-words.ts'

export interface SmtpOptions {
  /** `smtp://user:password@host:port` or `smtps://…`, user and password percent-encoded. */
  url: string
  /** Sender, such as `Gatehouse <gate@example.com>`. */
  from: string
  /** Address of the identity surface, for the links. */
  baseUrl: string
}

interface SmtpError extends Error {
  code?: string
  responseCode?: number
}

/** Hands mail to a mail server by SMTP (RFC 5321). One connection a mail: there are few, and none is kept idle. */
export function smtpMail({ url, from, baseUrl }: SmtpOptions): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replace(/[[\]]/g, '')
  const onThisMachine = host === 'localhost' || host === '::1' || /^127\./.test(host)
  const secure = protocol === 'smtps:'
  const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  const transport = createTransport({
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username === '' ? {} : { auth: credentials }),
    // Credentials never cross a network in clear; a relay on this machine rarely has a certificate.
    requireTLS: username !== '' && !secure && !onThisMachine,
    ignoreTLS: onThisMachine,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  return {
    async send(mail: Mail) {
      const headers = { 'Auto-Submitted': 'auto-generated' }
      // As an object: a name or an address with a comma is then not taken for two.
      const to = { name: '', address: mail.to }
      try {
        await transport.sendMail({ from, to, headers, ...writeMail(mail, baseUrl) })
        return { kind: 'sent' }
      } catch (error) {
        const { code, responseCode } = error as SmtpError
        // The server's own words may repeat the address, so they go no further.
        const why = `the mail server ${responseCode === undefined ? 'was not reached' : `answered ${responseCode}`} (${code})`
        const ofThisMail = code === 'EENVELOPE' || code === 'EMESSAGE'
        if (ofThisMail && responseCode !== undefined) return { kind: responseCode >= 500 ? 'refused' : 'deferred', why }
        throw new Error(why)
      }
    },
  }
}

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'
import * as limits from '../../src/domain/limits/limits.ts'
import { advanceUntil, eventually } from './eventually.ts'
import type { ManualClock } from './manual-clock.ts'
import { adaWithClient, Browser } from './people.ts'
import { openWorld, type World } from './world.ts'

/** A received email: its recipients, its subject, and its entire source without soft line breaks. */
export interface ReceivedMail {
  to: string
  subject: string
  text: string
}

export type MailSink = Awaited<ReturnType<typeof openMailSink>>

/** Opens a mail server on this machine that keeps what it receives. */
export async function openMailSink(t: TestContext) {
  let seen = 0
  const sink = {
    url: '',
    mails: [] as ReceivedMail[],
    /** Error response to `RCPT TO`. `undefined` accepts all recipients. */
    answer: undefined as { code: number; words: string } | undefined,
    /** The only domain whose recipients are rejected with `answer`. By default, all domains. */
    answeredDomain: '',
    /** The clock of the service. Advanced if no email arrives, because it can be waiting for the next poll of the queue. */
    clock: undefined as ManualClock | undefined,
    /** Returns the next unread email. */
    async next(): Promise<ReceivedMail> {
      const arrived = () => sink.mails[seen]
      // A node that lost its connection to a busy database misses polls of the queue until it has it again.
      const mail = await eventually(arrived, 10_000).catch((error) => {
        if (sink.clock === undefined) throw error
        return advanceUntil(sink.clock, arrived, limits.mailPollMs)
      })
      seen += 1
      return mail
    },
    async nextLink(): Promise<string> {
      const { text } = await sink.next()
      const link = /^https?:\/\/\S+$/m.exec(text)?.[0]
      if (link === undefined) throw new Error(`there is no link in ${text}`)
      return link
    },
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, done) {
      const { answer, answeredDomain } = sink
      if (answer === undefined || !address.endsWith(answeredDomain)) done()
      else done(Object.assign(new Error(answer.words), { responseCode: answer.code }))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join(', ')
        const raw = Buffer.concat(chunks).toString('latin1').replaceAll('\r\n', '\n')
        sink.mails.push({ to, subject: subjectOf(raw), text: unfolded(raw) })
        done()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  sink.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return sink
}

/**
 * Decodes the subset of quoted-printable that our emails use (RFC 2045 section 6.7). Removes soft line breaks only from
 * the body: in a header, `=` at the end of a line ends an encoded word.
 */
function unfolded(raw: string): string {
  const bodyAt = raw.indexOf('\n\n')
  return utf8(raw.slice(0, bodyAt) + raw.slice(bodyAt).replaceAll('=\n', ''))
}

/** Returns the subject with its encoded words decoded (RFC 2047). */
function subjectOf(raw: string): string {
  const header = /^Subject: (.*(?:\n .*)*)/m.exec(raw)?.[1] ?? ''
  const joined = header.replaceAll('\n', '').replaceAll(/\?=\s+=\?/g, '?==?')
  return joined.replaceAll(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_, way: string, word: string) =>
    way.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString() : utf8(word.replaceAll('_', ' ')),
  )
}

function utf8(quoted: string): string {
  const bytes = quoted.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

export const newPassword = 'another fine horse'

export async function openWorldWithMail(t: TestContext, env = {}): Promise<{ world: World; sink: MailSink }> {
  const sink = await openMailSink(t)
  const world = await openWorld(t, { SMTP_URL: sink.url, MAIL_FROM: 'Gatehouse <gate@example.com>', ...env })
  sink.clock = world.clock
  return { world, sink }
}

/** Opens a world with Ada and her client that sends emails. */
export async function openAdaWithMail(t: TestContext, env = {}) {
  const { world, sink } = await openWorldWithMail(t, env)
  return { world, sink, client: await adaWithClient(world) }
}

export async function send(world: World, browser: Browser, path: string, fields: Record<string, string>) {
  return browser.submitAt(`${world.baseUrl}${path}`, fields, path)
}

export async function follow(link: string, fields: Record<string, string> = {}, browser = new Browser()) {
  return browser.submitAt(link, fields)
}

export function requestResetLink(world: World, email: string, browser = new Browser()) {
  return send(world, browser, '/forgot-password', { email })
}

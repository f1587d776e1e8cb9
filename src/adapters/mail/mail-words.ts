import type { Mail, MailAboutBot, MailKind } from '../../domain/accounts/mail/mail.ts'
import type { Language } from '../../domain/language.ts'
import { type Html, html } from '../../pages/html.ts'
import { linkUrl, statusMailUrl } from '../../pages/secret-links.ts'
import { durationInSentence } from '../../pages/words/figures.ts'

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
  headers: Readonly<Record<string, string>>
  text: string
  html: string
}

/** Renders the email as plain text and as simple HTML without images. */
export function writeMail(mail: Mail, baseUrl: string): WrittenMail {
  const { words, address, headers } = contentOf(mail, baseUrl)
  return {
    subject: words.subject,
    headers,
    text: asText(words, address),
    html: asHtml(words, mail.language, address).in(mail.language),
  }
}

function contentOf(
  mail: Mail,
  baseUrl: string,
): { words: MailWords; address: string | undefined; headers: WrittenMail['headers'] } {
  const { host } = new URL(baseUrl)
  switch (mail.kind) {
    case 'verify-email':
    case 'reset-password': {
      const address = linkUrl(baseUrl, mail.kind, mail.clearTextToken)
      return { words: accountWords[mail.language](mail.kind, host), address, headers: {} }
    }
    case 'email-changed':
      return { words: accountWords[mail.language](mail.kind, host), address: undefined, headers: {} }
    case 'confirm-status': {
      const address = statusMailUrl(baseUrl, 'confirm', mail.clearTextToken)
      return { words: confirmationWords(mail, host), address, headers: {} }
    }
    case 'bot-offline':
    case 'bot-online':
      return {
        words: statusWords(mail, statusMailUrl(baseUrl, 'unsubscribe', mail.clearTextToken)),
        address: `${baseUrl}/botstatus/${mail.chatPlatformId}`,
        headers: {
          'List-Unsubscribe': `<${statusMailUrl(baseUrl, 'oneClick', mail.clearTextToken)}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      }
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

// Emails about accounts never include the user's name: at sign-up, anyone can enter any name with someone else's
// address.
const accountWords: Record<Language, (kind: MailKind, host: string) => MailWords> = {
  en: accountInEnglish,
  de: accountInGerman,
}

function accountInEnglish(kind: MailKind, host: string): MailWords {
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

function accountInGerman(kind: MailKind, host: string): MailWords {
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

type ConfirmationMail = Extract<MailAboutBot, { kind: 'confirm-status' }> & { language: Language }
type StatusMail = Exclude<MailAboutBot, { kind: 'confirm-status' }> & { language: Language }

function confirmationWords(mail: ConfirmationMail, host: string): MailWords {
  const name = harmlessName(mail)
  const bot = name === mail.chatPlatformId ? name : mail.language === 'en' ? `“${name}”` : `„${name}“`
  if (mail.language === 'en') {
    return {
      subject: `Confirm status emails about ${bot}`,
      before: ['Hello,', `Someone entered this address at ${host} to get emails about outages of the bot ${bot}.`],
      link: { does: 'Confirm address', copy: 'Or copy this URL into your browser:' },
      after: [
        'The link works for 24 hours.',
        'If this wasn’t you, ignore this email. You get no more emails unless someone opens the link.',
      ],
    }
  }
  return {
    subject: `Bestätigen Sie Status-E-Mails zu ${bot}`,
    before: [
      'Guten Tag,',
      `diese Adresse wurde bei ${host} angegeben, um E-Mails über Ausfälle des Bots ${bot} zu erhalten.`,
    ],
    link: { does: 'Adresse bestätigen', copy: 'Oder kopieren Sie diese URL in Ihren Browser:' },
    after: [
      'Der Link ist 24 Stunden gültig.',
      'Sie waren das nicht? Dann ignorieren Sie diese E-Mail. Solange niemand den Link öffnet, erhalten Sie keine weiteren E-Mails.',
    ],
  }
}

/** @param unsubscribeUrl contains the secret token. */
function statusWords(mail: StatusMail, unsubscribeUrl: string): MailWords {
  return mail.language === 'en' ? statusInEnglish(mail, unsubscribeUrl) : statusInGerman(mail, unsubscribeUrl)
}

function statusInEnglish(mail: StatusMail, unsubscribeUrl: string): MailWords {
  const { kind, beganAtMs, atMs, pausedUntilMs } = mail
  const bot = harmlessName(mail)
  const down = durationInSentence(atMs - beganAtMs).en
  const offline = kind === 'bot-offline'
  return {
    subject: offline ? `${bot} is down` : `${bot} is back online`,
    before: [
      offline
        ? `${bot} has been down since ${utc(beganAtMs)}.`
        : `${bot} has been online again since ${utc(atMs)}. It was down for ${down}, since ${utc(beganAtMs)}.`,
      ...(pausedUntilMs === null
        ? []
        : [`The status changes often. The next email comes at ${utc(pausedUntilMs)} at the earliest.`]),
    ],
    link: { does: 'View status', copy: 'Or copy this URL into your browser:' },
    after: [`You subscribed to these emails. Unsubscribe: ${unsubscribeUrl}`],
  }
}

function statusInGerman(mail: StatusMail, unsubscribeUrl: string): MailWords {
  const { kind, beganAtMs, atMs, pausedUntilMs } = mail
  const bot = harmlessName(mail)
  const down = durationInSentence(atMs - beganAtMs).de
  const offline = kind === 'bot-offline'
  return {
    subject: offline ? `${bot} ist ausgefallen` : `${bot} ist wieder online`,
    before: [
      offline
        ? `${bot} ist seit ${utc(beganAtMs)} ausgefallen.`
        : `${bot} ist seit ${utc(atMs)} wieder online. Dauer des Ausfalls: ${down}, seit ${utc(beganAtMs)}.`,
      ...(pausedUntilMs === null
        ? []
        : [`Der Status wechselt häufig. Die nächste E-Mail kommt frühestens am ${utc(pausedUntilMs)}.`]),
    ],
    link: { does: 'Status anzeigen', copy: 'Oder kopieren Sie diese URL in Ihren Browser:' },
    after: [`Sie haben diese E-Mails abonniert. Abbestellen: ${unsubscribeUrl}`],
  }
}

function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/**
 * Returns the bot's name, or its ID if mail programs could show the name as a link or phone number. A bot's owner must
 * not be able to put a link into mail that the service sends.
 */
function harmlessName({ botName, chatPlatformId }: MailAboutBot): string {
  const name = botName.normalize('NFKC')
  const isHarmless = harmless.test(name) && !invisible.test(name) && (name.match(/\p{Nd}/gu) ?? []).length <= 4
  return isHarmless ? botName : chatPlatformId
}

/**
 * Letters, digits, emoji, and punctuation that is in no link. Everything else may be a separator of some script or mail
 * program. A full stop only ends a word, as in “Dr. Weather”.
 */
const harmless = /^(?:[\p{L}\p{M}\p{Nd}\p{Extended_Pictographic} _\-–'’&,!?()#|]|\.(?= |$))+$/u
/** Characters without a width, except the one that turns a symbol into an emoji. */
const invisible = /(?!\u{FE0F})\p{Default_Ignorable_Code_Point}/u

import type { MailAboutBot } from '../../domain/accounts/mail/mail.ts'
import type { Language } from '../../domain/language.ts'
import { durationInSentence } from '../../pages/words/figures.ts'
import type { MailWords } from './mail-content.ts'

type ConfirmationMail = Extract<MailAboutBot, { kind: 'confirm-status' }> & { language: Language }
type StatusMail = Exclude<MailAboutBot, { kind: 'confirm-status' }> & { language: Language }

export function confirmationWords(mail: ConfirmationMail, host: string): MailWords {
  const bot = harmlessName(mail)
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
export function statusWords(mail: StatusMail, unsubscribeUrl: string): MailWords {
  return mail.language === 'en' ? inEnglish(mail, unsubscribeUrl) : inGerman(mail, unsubscribeUrl)
}

function inEnglish({ kind, botName, beganAtMs, atMs, pausedUntilMs }: StatusMail, unsubscribeUrl: string): MailWords {
  const down = durationInSentence(atMs - beganAtMs).en
  const offline = kind === 'bot-offline'
  return {
    subject: offline ? `${botName} is down` : `${botName} is back online`,
    before: [
      offline
        ? `${botName} has been down since ${utc(beganAtMs)}.`
        : `${botName} has been online again since ${utc(atMs)}. It was down for ${down}, since ${utc(beganAtMs)}.`,
      ...(pausedUntilMs === null
        ? []
        : [`The status changes often. The next email comes at ${utc(pausedUntilMs)} at the earliest.`]),
    ],
    link: { does: 'View status', copy: 'Or copy this URL into your browser:' },
    after: [`You subscribed to these emails. Unsubscribe: ${unsubscribeUrl}`],
  }
}

function inGerman({ kind, botName, beganAtMs, atMs, pausedUntilMs }: StatusMail, unsubscribeUrl: string): MailWords {
  const down = durationInSentence(atMs - beganAtMs).de
  const offline = kind === 'bot-offline'
  return {
    subject: offline ? `${botName} ist ausgefallen` : `${botName} ist wieder online`,
    before: [
      offline
        ? `${botName} ist seit ${utc(beganAtMs)} ausgefallen.`
        : `${botName} ist seit ${utc(atMs)} wieder online. Dauer des Ausfalls: ${down}, seit ${utc(beganAtMs)}.`,
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
 * Returns the bot's name, or its ID if mail programs could show the name as a link. Anyone can have a confirmation sent
 * to any address, so a bot's owner must not be able to choose its content.
 */
function harmlessName({ botName, chatPlatformId, language }: ConfirmationMail): string {
  if (/[\p{L}\p{N}][.:/\\@][\p{L}\p{N}/]/u.test(botName)) return chatPlatformId
  return language === 'en' ? `“${botName}”` : `„${botName}“`
}

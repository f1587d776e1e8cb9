import type { AuditKind, ShownEvent } from '../../domain/audit/audit-event.ts'
import type { UserId } from '../../domain/ids.ts'
import { type Words, words } from '../html.ts'
import { durationInSentence } from './durations.ts'

/** Around the list of what happened. */
export const activityWords = {
  title: words({ en: 'Activity', de: 'Ereignisse' }),
  kept: words({
    en: 'Kept for 400 days. If something here was not you, change your password and withdraw what you don’t know.',
    de: 'Wird 400 Tage aufbewahrt. Wenn etwas davon nicht von Ihnen war, ändern Sie Ihr Passwort und entziehen Sie den Zugriff, was Sie nicht kennen.',
  }),
  noneBefore: words({ en: 'There is nothing before this.', de: 'Davor gibt es nichts.' }),
  caption: words({ en: 'What happened, newest first', de: 'Was geschehen ist, das Neueste zuerst' }),
  what: words({ en: 'What', de: 'Was' }),
  when: words({ en: 'When', de: 'Wann' }),
  from: words({ en: 'From', de: 'Von wo' }),
  earlier: words({ en: 'Earlier', de: 'Frühere' }),
  newest: words({ en: 'Newest', de: 'Neueste' }),
  notShown: words({ en: 'Not shown', de: 'Nicht gezeigt' }),
  noUserAgent: words({ en: 'No user agent', de: 'Kein User-Agent' }),
}

/** Sentences of both languages about one event. */
export interface EventWords {
  title: Words
  more?: Words | string | undefined
  /** On what is worth a look, in two or three words. */
  mark?: { tone: 'neutral' | 'warn' | 'bad'; word: Words }
}

interface Names {
  /** Who did it, at the beginning of a sentence; in German with the verb: “Sie haben”. */
  who: { en: string; de: string }
  application: { en: string; de: string; starts: string }
  /** Whose it is that it is about: “your”, “user bob’s”. */
  whose: string
  /** Its PIN, its password and so on: “Ihre PIN”, “die PIN von Benutzer bob”. */
  deOf(own: string, article: string, thing: string): string
}

/** What happened in words. @param reader whom “you” means. */
export function eventWords(event: ShownEvent, reader: UserId): EventWords {
  return sentences[event.kind](event, namesIn(event, reader))
}

function namesIn({ actor, userId, applicationName }: ShownEvent, reader: UserId): Names {
  const own = userId === reader
  const application = {
    en: applicationName ?? 'an application',
    de: applicationName ?? 'eine Anwendung',
    starts: applicationName ?? 'Eine Anwendung',
  }
  const user =
    userId === null ? { en: 'A user', de: 'Ein Benutzer' } : { en: `User ${userId}`, de: `Benutzer ${userId}` }
  const who = {
    user: own ? { en: 'You', de: 'Sie haben' } : { en: user.en, de: `${user.de} hat` },
    client: { en: application.en, de: `${application.starts} hat` },
    operator: { en: 'The operator', de: 'Der Betreiber hat' },
    nobody: { en: 'Somebody', de: 'Jemand hat' },
  }[actor]
  const of = userId === null ? 'einem Benutzer' : user.de
  return {
    who,
    application,
    whose: own ? 'your' : `${user.en.replace('User', 'user').replace('A ', 'a ')}’s`,
    deOf: (ihr, article, thing) => (own ? `${ihr} ${thing}` : `${article} ${thing} von ${of}`),
  }
}

const checkThis = { tone: 'warn', word: words({ en: 'Check this', de: 'Prüfen Sie das' }) } as const

function pinLockedWords(ms: number): Words {
  const { en, de } = durationInSentence(ms)
  return words({ en: `The PIN was locked for ${en}`, de: `Die PIN wurde für ${de} gesperrt` })
}

const sentences: Record<AuditKind, (event: ShownEvent, names: Names) => EventWords> = {
  'sign-in': ({ detail }, { who }) => ({
    title: words({ en: `${who.en} signed in`, de: `${who.de} sich angemeldet` }),
    more: signInBy[detail.by ?? ''],
  }),
  'sign-in-failed': () => ({
    title: words({ en: 'A sign-in failed', de: 'Eine Anmeldung ist fehlgeschlagen' }),
    more: words({
      en: 'The password was wrong. If it was not you, choose one that you use nowhere else.',
      de: 'Das Passwort war falsch. Wenn Sie das nicht waren, wählen Sie eines, das Sie nirgends sonst verwenden.',
    }),
    mark: checkThis,
  }),
  'pin-locked': ({ detail }) => ({
    title: pinLockedWords(Number(detail.minutes ?? 15) * 60_000),
    more: words({
      en: 'Five wrong PINs were entered. If it was not you, change your password and your PIN.',
      de: 'Fünf falsche PINs wurden eingegeben. Wenn Sie das nicht waren, ändern Sie Ihr Passwort und Ihre PIN.',
    }),
    mark: checkThis,
  }),
  'pin-changed': (_event, { who, whose, deOf }) => ({
    title: words({ en: `${who.en} set ${whose} PIN`, de: `${who.de} ${deOf('Ihre', 'die', 'PIN')} festgelegt` }),
  }),
  'password-changed': ({ detail }, { who, whose, deOf }) => ({
    title: words({
      en: `${who.en} set ${whose} password`,
      de: `${who.de} ${deOf('Ihr', 'das', 'Passwort')} gesetzt`,
    }),
    more:
      detail.access === 'removed'
        ? words({
            en: 'Removed passkeys, linked accounts, PIN, sessions and application access.',
            de: 'Passkeys, verknüpfte Konten, PIN, Sitzungen und Zugriffe von Anwendungen sind entfernt.',
          })
        : words({ en: 'All other sessions ended.', de: 'Alle anderen Sitzungen sind beendet.' }),
  }),
  'email-changed': (_event, { who, whose, deOf }) => ({
    title: words({
      en: `${who.en} set or verified ${whose} e-mail address`,
      de: `${who.de} ${deOf('Ihre', 'die', 'E-Mail-Adresse')} geändert oder bestätigt`,
    }),
  }),
  'session-ended': ({ detail }, { who }) => ({
    title: words({
      en: `${who.en} signed out ${detail.sessions === '1' ? 'another session' : `${detail.sessions} other sessions`}`,
      de: `${who.de} ${detail.sessions === '1' ? 'eine andere Sitzung' : `${detail.sessions} andere Sitzungen`} beendet`,
    }),
  }),
  'passkey-added': (_event, { who }) => ({
    title: words({ en: `${who.en} added a passkey`, de: `${who.de} einen Passkey hinzugefügt` }),
  }),
  'passkey-removed': (_event, { who }) => ({
    title: words({ en: `${who.en} removed a passkey`, de: `${who.de} einen Passkey entfernt` }),
  }),
  'account-linked': ({ detail }, { who }) => ({
    title: words({
      en: `${who.en} linked ${linkedAccount(detail.provider).en}`,
      de: `${who.de} ${linkedAccount(detail.provider).de} verknüpft`,
    }),
  }),
  'account-unlinked': ({ detail }, { who }) => ({
    title: words({
      en: `${who.en} unlinked ${linkedAccount(detail.provider).en}`,
      de: `${who.de} die Verknüpfung gelöst: ${linkedAccount(detail.provider).de}`,
    }),
  }),
  grant: ({ detail }, { who, application }) => ({
    title: words({
      en: `${who.en} allowed ${application.en}`,
      de: `${who.de} Zugriff erlaubt: ${application.de}`,
    }),
    more: detail.scopes,
  }),
  'consent-withdrawn': (_event, { who, application }) => ({
    title: words({
      en: `${who.en} withdrew the access of ${application.en}`,
      de: `${who.de} Zugriff entzogen: ${application.de}`,
    }),
    more: words({
      en: 'All its tokens of this user ended.',
      de: 'Alle ihre Tokens dieses Benutzers gelten nicht mehr.',
    }),
  }),
  'refresh-reuse': ({ detail }, { application, whose, deOf }) =>
    detail.probably === 'client race'
      ? {
          title: words({
            en: `${application.en} used a refresh token twice at once`,
            de: `${application.starts} hat ein Refresh-Token zweimal zugleich verwendet`,
          }),
          more: words({
            en: `Its access to ${whose} account ended and must be allowed again. It seems to refresh from two places without waiting for itself.`,
            de: `Der Zugriff auf ${deOf('Ihr', 'das', 'Konto')} ist beendet und muss neu erlaubt werden. Die Anwendung scheint von zwei Stellen zu erneuern, ohne auf sich zu warten.`,
          }),
          mark: {
            tone: 'neutral',
            word: words({ en: 'Probably a client race', de: 'Wohl ein Wettlauf der Anwendung' }),
          },
        }
      : {
          title: words({
            en: `A refresh token of ${application.en} was used again`,
            de: `Ein verbrauchtes Refresh-Token wurde wieder verwendet: ${application.de}`,
          }),
          more: words({
            en: `Its access to ${whose} account ended and must be allowed again. Somebody else seems to have got hold of the token.`,
            de: `Der Zugriff auf ${deOf('Ihr', 'das', 'Konto')} ist beendet und muss neu erlaubt werden. Das Token scheint in fremde Hände gekommen zu sein.`,
          }),
          mark: { tone: 'bad', word: words({ en: 'Probably theft', de: 'Wohl ein Diebstahl' }) },
        },
  'code-replay': (_event, { application, whose, deOf }) => ({
    title: words({
      en: `${application.en} used an authorization code again`,
      de: `${application.starts} hat einen Authorization Code wieder verwendet`,
    }),
    more: words({
      en: `What the code had given it of ${whose} account ended. The code may have been seen by somebody else.`,
      de: `Was er an Zugriff auf ${deOf('Ihr', 'das', 'Konto')} gegeben hatte, ist beendet. Vielleicht hat ihn jemand anderes gesehen.`,
    }),
    mark: checkThis,
  }),
  revoke: ({ actor, detail }, { application, whose, deOf }) => {
    const byHolder =
      actor === 'client' ? { en: '', de: '' } : { en: ' by whoever held it', de: ', und zwar von dem, der es hatte' }
    const account = deOf('Ihr', 'das', 'Konto')
    return {
      title:
        actor === 'client'
          ? words({
              en: `${application.en} gave up access`,
              de: `${application.starts} hat den Zugriff aufgegeben`,
            })
          : words({
              en: `Access of ${application.en} was ended`,
              de: `Ein Zugriff wurde beendet: ${application.de}`,
            }),
      more:
        detail.token === 'access token'
          ? words({
              en: `An access token for ${whose} account was revoked${byHolder.en}.`,
              de: `Ein Access-Token für ${account} wurde widerrufen${byHolder.de}.`,
            })
          : words({
              en: `A refresh token for ${whose} account was revoked${byHolder.en}, with all that came of it.`,
              de: `Ein Refresh-Token für ${account} wurde widerrufen${byHolder.de}, mit allem, was daraus entstand.`,
            }),
    }
  },
  'application-registered': (_event, { who, application }) => ({
    title: words({
      en: `${who.en} registered ${application.en}`,
      de: `${who.de} eine Anwendung registriert: ${application.de}`,
    }),
  }),
  'application-changed': (_event, { who, application }) => ({
    title: words({
      en: `${who.en} changed the settings of ${application.en}`,
      de: `${who.de} Einstellungen geändert: ${application.de}`,
    }),
  }),
  'application-deleted': (_event, { who, application }) => ({
    title: words({
      en: `${who.en} deleted ${application.en}`,
      de: `${who.de} eine Anwendung gelöscht: ${application.de}`,
    }),
    more: words({ en: 'All its tokens ended.', de: 'Alle ihre Tokens gelten nicht mehr.' }),
  }),
  'secret-rotated': (_event, { who, application }) => ({
    title: words({
      en: `${who.en} rotated the secret of ${application.en}`,
      de: `${who.de} das Client-Secret erneuert: ${application.de}`,
    }),
    more: words({
      en: 'What was its secret before stopped working.',
      de: 'Was bisher ihr Secret war, gilt nicht mehr.',
    }),
  }),
  'secret-added': (_event, { who, application }) => ({
    title: words({
      en: `${who.en} made a second secret for ${application.en}`,
      de: `${who.de} ein zweites Client-Secret erstellt: ${application.de}`,
    }),
  }),
  'secret-revoked': (_event, { who, application }) => ({
    title: words({
      en: `${who.en} revoked one of two secrets of ${application.en}`,
      de: `${who.de} eines von zwei Client-Secrets widerrufen: ${application.de}`,
    }),
    more: words({ en: 'It stopped working.', de: 'Es gilt nicht mehr.' }),
  }),
  'flow-changed': ({ botId, detail }, { who }) => ({
    title: words({
      en: `${who.en} changed how bot ${botId} takes webhooks`,
      de: `${who.de} geändert, wie Bot ${botId} Webhooks annimmt`,
    }),
    more: detail.members,
  }),
  'flow-key-made': ({ botId, detail }, { who }) => ({
    title: words({
      en: `${who.en} made a new key for webhooks of bot ${botId}`,
      de: `${who.de} einen neuen Schlüssel für Webhooks von Bot ${botId} erzeugt`,
    }),
    more: keyBefore(detail.before),
  }),
  'flow-key-ended': ({ botId }, { who }) => ({
    title: words({
      en: `${who.en} ended a key for webhooks of bot ${botId}`,
      de: `${who.de} einen Schlüssel für Webhooks von Bot ${botId} beendet`,
    }),
  }),
  'runtime-made': ({ botId }, { who }) => ({
    title: words({
      en: `${who.en} made a runtime for ${botId === null ? 'bots' : `bot ${botId}`}`,
      de: `${who.de} eine Laufzeit für ${botId === null ? 'Bots' : `Bot ${botId}`} angelegt`,
    }),
    more: words({
      en: 'Its key lets a program run them.',
      de: 'Mit ihrem Schlüssel kann ein Programm sie betreiben.',
    }),
  }),
  'runtime-removed': (_event, { who }) => ({
    title: words({ en: `${who.en} removed a runtime`, de: `${who.de} eine Laufzeit entfernt` }),
    more: words({
      en: 'Its keys stopped working and its connections ended.',
      de: 'Ihre Schlüssel gelten nicht mehr, ihre Verbindungen sind beendet.',
    }),
  }),
  'runtime-key-made': ({ detail }, { who }) => ({
    title: words({
      en: `${who.en} made a new key for a runtime`,
      de: `${who.de} einen neuen Schlüssel für eine Laufzeit erzeugt`,
    }),
    more: keyBefore(detail.before),
  }),
  'runtime-key-ended': (_event, { who }) => ({
    title: words({
      en: `${who.en} ended a key of a runtime`,
      de: `${who.de} einen Schlüssel einer Laufzeit beendet`,
    }),
  }),
  'bot-changed': ({ botId, detail }, { who }) => ({
    title:
      detail.hosting === undefined
        ? words({
            en: `${who.en} made the status of bot ${botId} ${detail.status}`,
            de: `${who.de} den Status von Bot ${botId} ${detail.status === 'public' ? 'öffentlich gemacht' : 'verborgen'}`,
          })
        : words({
            en: `${who.en} switched the hosting of bot ${botId} ${detail.hosting}`,
            de: `${who.de} das Hosting von Bot ${botId} ${detail.hosting.startsWith('on') ? 'eingeschaltet' : 'ausgeschaltet'}`,
          }),
  }),
  'coworker-put': ({ botId, detail }, { who }) => ({
    title: words({
      en: `${who.en} let user ${detail.coworker} work on bot ${botId}`,
      de: `${who.de} Benutzer ${detail.coworker} an Bot ${botId} arbeiten lassen`,
    }),
    more: words({
      en: [`As ${detail.role}.`, detail.capabilities].join(' '),
      de: [`Als ${detail.role}.`, detail.capabilities].join(' '),
    }),
  }),
  'coworker-removed': ({ botId, detail }, { who }) => ({
    title: words({
      en: `${who.en} removed user ${detail.coworker} from bot ${botId}`,
      de: `${who.de} Benutzer ${detail.coworker} von Bot ${botId} entfernt`,
    }),
  }),
  'coworker-invited': ({ botId, detail }, { who }) => ({
    title: words({
      en: `${who.en} created an invitation to bot ${botId}`,
      de: `${who.de} eine Einladung zu Bot ${botId} erstellt`,
    }),
    more: words({
      en: [`As ${detail.role}.`, detail.capabilities].join(' '),
      de: [`Als ${detail.role}.`, detail.capabilities].join(' '),
    }),
  }),
  'invitation-accepted': ({ botId }, { who }) => ({
    title: words({
      en: `${who.en} accepted an invitation to bot ${botId}`,
      de: `${who.de} eine Einladung zu Bot ${botId} angenommen`,
    }),
  }),
  'invitation-ended': ({ botId, detail }, { who }) => ({
    title:
      detail.how === 'declined'
        ? words({
            en: `${who.en} declined an invitation to bot ${botId}`,
            de: `${who.de} eine Einladung zu Bot ${botId} abgelehnt`,
          })
        : words({
            en: `${who.en} revoked an invitation to bot ${botId}`,
            de: `${who.de} eine Einladung zu Bot ${botId} widerrufen`,
          }),
  }),
  'events-replayed': ({ botId, detail }, { who }) => ({
    title: words({
      en: `${who.en} replayed ${eventCount(detail.events).en} of bot ${botId}`,
      de: `${who.de} ${eventCount(detail.events).de} von Bot ${botId} wiederholt`,
    }),
    more: detail.event ?? detail.flow,
  }),
  'events-tried-now': ({ botId, detail }, { who }) => ({
    title: words({
      en: `${who.en} retried ${eventCount(detail.events).en} of bot ${botId}`,
      de: `${who.de} ${eventCount(detail.events).de} von Bot ${botId} sofort erneut versucht`,
    }),
    more: detail.event,
  }),
  'events-discarded': ({ botId, detail }, { who }) => ({
    title: words({
      en: `${who.en} discarded ${eventCount(detail.events).en} of bot ${botId} for good`,
      de: `${who.de} ${eventCount(detail.events).de} von Bot ${botId} endgültig verworfen`,
    }),
    more: detail.event ?? detail.flow,
  }),
  provisioned: ({ detail }, { who }) => {
    const record = provisionedRecord[detail.call ?? ''] ?? { en: 'a record', de: 'ein Eintrag' }
    return {
      title: words({
        en: `${who.en} ${detail.outcome} ${record.en}`,
        de: `${who.de} ${record.de} ${outcomes[detail.outcome ?? ''] ?? detail.outcome}`,
      }),
      more: detail.members,
    }
  },
  'operator-key-rejected': ({ detail }) => ({
    title: words({
      en: detail.attempts === '1' ? 'Wrong operator key' : `${detail.attempts} wrong operator keys`,
      de: detail.attempts === '1' ? 'Falscher Betreiberschlüssel' : `${detail.attempts} falsche Betreiberschlüssel`,
    }),
  }),
}

function eventCount(events: string | undefined): { en: string; de: string } {
  return events === '1'
    ? { en: 'a webhook', de: 'einen Webhook' }
    : { en: `${events} webhooks`, de: `${events} Webhooks` }
}

function keyBefore(before: string | undefined): Words {
  return before === 'ends now'
    ? words({ en: 'The key before it stopped working.', de: 'Der vorige Schlüssel gilt nicht mehr.' })
    : words({
        en: 'The key before it works for 24 hours more.',
        de: 'Der vorige Schlüssel gilt noch 24 Stunden.',
      })
}

function linkedAccount(provider: string | undefined): { en: string; de: string } {
  return linkedAccounts[provider ?? ''] ?? { en: 'an account', de: 'ein Konto' }
}

const linkedAccounts: Readonly<Record<string, { en: string; de: string }>> = {
  'chat-platform': { en: 'a chat-platform account', de: 'ein Konto der Chat-Plattform' },
  'code-hosting': { en: 'a code-hosting account', de: 'ein Konto der Code-Plattform' },
  upstream: { en: 'an account at the sign-in provider', de: 'ein Konto beim Anmeldedienst' },
}

const signInBy: Readonly<Record<string, Words>> = {
  password: words({ en: 'With the password.', de: 'Mit dem Passwort.' }),
  'sign-up': words({ en: 'As the account was created.', de: 'Als das Konto angelegt wurde.' }),
  passkey: words({ en: 'With a passkey.', de: 'Mit einem Passkey.' }),
  'linked account': words({ en: 'With a linked account.', de: 'Mit einem verknüpften Konto.' }),
  portal: words({ en: 'To the developer portal.', de: 'Beim Entwicklerportal.' }),
}

const outcomes: Readonly<Record<string, string>> = { created: 'angelegt', changed: 'geändert', removed: 'entfernt' }

/** What the calls of the provisioning API that are about a user or an application make or change. */
const provisionedRecord: Readonly<Record<string, { en: string; de: string }>> = {
  putUser: { en: 'the account', de: 'das Konto' },
  postRecovery: { en: 'a link to get back into the account', de: 'einen Link zurück in das Konto' },
  putApplication: { en: 'the application', de: 'die Anwendung' },
  putCoworker: { en: 'a part in somebody’s bot', de: 'eine Beteiligung an einem Bot' },
  deleteCoworker: { en: 'a part in somebody’s bot', de: 'eine Beteiligung an einem Bot' },
}

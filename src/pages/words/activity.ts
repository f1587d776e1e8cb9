import type { AuditKind, ShownEvent } from '../../domain/audit/audit.ts'
import type { UserId } from '../../domain/ids.ts'
import { type Words, words } from '../html.ts'
import { durationInSentence } from './figures.ts'

/** Text on activity pages, except for the events. */
export const activityWords = {
  title: words({ en: 'Activity', de: 'Aktivitäten' }),
  kept: words({
    en: 'Activity is kept for 400 days. If you don’t recognize something, change your password and revoke access you didn’t grant.',
    de: 'Aktivitäten werden 400 Tage aufbewahrt. Ist Ihnen etwas davon unbekannt, ändern Sie Ihr Passwort und widerrufen Sie Zugriffe, die Sie nicht erteilt haben.',
  }),
  noneBefore: words({ en: 'No earlier activity.', de: 'Keine älteren Aktivitäten.' }),
  caption: words({ en: 'Activity, newest first', de: 'Aktivitäten, neueste zuerst' }),
  what: words({ en: 'Event', de: 'Aktivität' }),
  when: words({ en: 'Time', de: 'Zeit' }),
  from: words({ en: 'IP address and browser', de: 'IP-Adresse und Browser' }),
  earlier: words({ en: 'Earlier', de: 'Ältere' }),
  newest: words({ en: 'Newest', de: 'Neueste' }),
  notShown: words({ en: 'Hidden', de: 'Ausgeblendet' }),
  withToken: (name: string): Words =>
    words({ en: `Personal access token “${name}”`, de: `Persönliches Zugriffstoken „${name}“` }),
  noUserAgent: words({ en: 'No user agent', de: 'Kein User-Agent' }),
}

/** Display text for one event. */
interface EventWords {
  title: Words
  more?: Words | string | undefined
  /** A label of two or three words for events that the user should check. */
  mark?: { tone: 'neutral' | 'warn' | 'bad'; word: Words }
}

interface Names {
  /** Returns a sentence about the actor. `de` follows the auxiliary verb, as in “Sie haben”. */
  did(en: string, de: string): Words
  /** Name of the application. `starts` is the form for the beginning of a sentence. */
  application: { en: string; de: string; starts: { en: string; de: string } }
  /** Possessive form of the user whom the event concerns: “your”, “user bob’s”. */
  whose: string
  /** German phrase for something that belongs to the user: “Ihre PIN”, “die PIN von Benutzer bob”. */
  deOf(own: string, article: string, thing: string): string
}

/** Describes an event. @param reader the user to address as “you”. */
export function eventWords(event: ShownEvent, reader: UserId): EventWords {
  return sentences[event.kind](event, namesIn(event, reader))
}

function namesIn({ actor, userId, applicationName }: ShownEvent, reader: UserId): Names {
  const own = userId === reader
  const application = {
    en: applicationName ?? 'an application',
    de: applicationName ?? 'eine Anwendung',
    starts: { en: applicationName ?? 'An application', de: applicationName ?? 'Eine Anwendung' },
  }
  const user =
    userId === null ? { en: 'A user', de: 'Ein Benutzer' } : { en: `User ${userId}`, de: `Benutzer ${userId}` }
  const who = {
    user: own ? { en: 'You', de: 'Sie haben' } : { en: user.en, de: `${user.de} hat` },
    client: { en: application.starts.en, de: `${application.starts.de} hat` },
    operator: { en: 'An administrator', de: 'Ein Administrator hat' },
    nobody: { en: 'Someone', de: 'Jemand hat' },
  }[actor]
  const of = userId === null ? 'einem Benutzer' : user.de
  return {
    did: (en, de) => words({ en: `${who.en} ${en}`, de: `${who.de} ${de}` }),
    application,
    whose: own ? 'your' : `${user.en.replace('User', 'user').replace('A ', 'a ')}’s`,
    deOf: (ihr, article, thing) => (own ? `${ihr} ${thing}` : `${article} ${thing} von ${of}`),
  }
}

const checkThis = { tone: 'warn', word: words({ en: 'Needs review', de: 'Bitte prüfen' }) } as const

function pinLockedWords(ms: number): Words {
  const { en, de } = durationInSentence(ms)
  return words({ en: `The PIN was locked for ${en}`, de: `Die PIN wurde für ${de} gesperrt` })
}

const sentences: Record<AuditKind, (event: ShownEvent, names: Names) => EventWords> = {
  'sign-in': ({ detail }, { did }) => ({ title: did('signed in', 'sich angemeldet'), more: signInBy[detail.by ?? ''] }),
  'sign-in-failed': () => ({
    title: words({ en: 'A sign-in failed', de: 'Eine Anmeldung ist fehlgeschlagen' }),
    more: words({
      en: 'The password was wrong. If this wasn’t you, choose a password that you use nowhere else.',
      de: 'Das eingegebene Passwort war falsch. Falls Sie das nicht waren, wählen Sie ein Passwort, das Sie sonst nirgends verwenden.',
    }),
    mark: checkThis,
  }),
  'pin-locked': ({ detail }) => ({
    title: pinLockedWords(Number(detail.minutes ?? 15) * 60_000),
    more: words({
      en: 'Too many wrong PINs were entered. If this wasn’t you, change your password and PIN.',
      de: 'Es wurden zu viele falsche PINs eingegeben. Falls Sie das nicht waren, ändern Sie Passwort und PIN.',
    }),
    mark: checkThis,
  }),
  'pin-changed': (_event, { did, whose, deOf }) => ({
    title: did(`set ${whose} PIN`, `${deOf('Ihre', 'die', 'PIN')} festgelegt`),
  }),
  'password-changed': ({ detail }, { did, whose, deOf }) => ({
    title: did(`set ${whose} password`, `${deOf('Ihr', 'das', 'Passwort')} festgelegt`),
    more:
      detail.access === 'removed'
        ? accessRemoved(detail.programs === 'ended')
        : words({ en: 'All other sessions were signed out.', de: 'Alle anderen Sitzungen wurden beendet.' }),
  }),
  'email-changed': (_event, { did, whose, deOf }) => ({
    title: did(
      `set or verified ${whose} email address`,
      `${deOf('Ihre', 'die', 'E-Mail-Adresse')} geändert oder bestätigt`,
    ),
  }),
  'session-ended': ({ detail }, { did }) => ({
    title: did(
      `signed out ${detail.sessions === '1' ? 'another session' : `${detail.sessions} other sessions`}`,
      `${detail.sessions === '1' ? 'eine andere Sitzung' : `${detail.sessions} andere Sitzungen`} beendet`,
    ),
    more:
      detail.personalTokens === undefined
        ? undefined
        : words({
            en: 'All personal access tokens were revoked.',
            de: 'Alle persönlichen Zugriffstokens wurden widerrufen.',
          }),
  }),
  'passkey-added': (_event, { did }) => ({ title: did('added a passkey', 'einen Passkey hinzugefügt') }),
  'passkey-removed': (_event, { did }) => ({ title: did('removed a passkey', 'einen Passkey entfernt') }),
  'account-linked': ({ detail }, { did }) => ({
    title: did(`linked ${linkedAccount(detail.provider).en}`, `${linkedAccount(detail.provider).de} verknüpft`),
  }),
  'account-unlinked': ({ detail }, { did }) => ({
    title: did(
      `unlinked ${linkedAccount(detail.provider).en}`,
      `die Verknüpfung aufgehoben: ${linkedAccount(detail.provider).de}`,
    ),
  }),
  grant: ({ detail }, { did, application }) => ({
    title: did(`granted access to ${application.en}`, `Zugriff gewährt: ${application.de}`),
    more: detail.scopes,
  }),
  'consent-withdrawn': (_event, { did, application }) => ({
    title: did(`revoked access for ${application.en}`, `den Zugriff widerrufen: ${application.de}`),
    more: words({
      en: 'All its tokens for this user were revoked.',
      de: 'Alle Tokens der Anwendung für diesen Benutzer wurden widerrufen.',
    }),
  }),
  'refresh-reuse': ({ detail }, { application, whose, deOf }) =>
    detail.probably === 'client race'
      ? {
          title: words({
            en: `${application.starts.en} used the same refresh token twice at the same time`,
            de: `${application.starts.de} hat ein Refresh-Token zweimal gleichzeitig verwendet`,
          }),
          more: words({
            en: `Its access to ${whose} account was revoked. It probably sent two refresh requests in parallel.`,
            de: `Der Zugriff auf ${deOf('Ihr', 'das', 'Konto')} wurde widerrufen. Wahrscheinlich hat die Anwendung ihr Token zweimal gleichzeitig erneuert.`,
          }),
          mark: {
            tone: 'neutral',
            word: words({ en: 'Probably a client bug', de: 'Vermutlich ein Fehler der Anwendung' }),
          },
        }
      : {
          title: words({
            en: `A used refresh token for ${application.en} was presented again`,
            de: `Ein verbrauchtes Refresh-Token wurde erneut verwendet: ${application.de}`,
          }),
          more: words({
            en: `Its access to ${whose} account was revoked. The token was probably stolen.`,
            de: `Der Zugriff auf ${deOf('Ihr', 'das', 'Konto')} wurde widerrufen. Das Token wurde vermutlich gestohlen.`,
          }),
          mark: { tone: 'bad', word: words({ en: 'Probably stolen', de: 'Vermutlich gestohlen' }) },
        },
  'code-replay': (_event, { application, whose, deOf }) => ({
    title: words({
      en: `${application.starts.en} used an authorization code again`,
      de: `${application.starts.de} hat einen Autorisierungscode erneut verwendet`,
    }),
    more: words({
      en: `The access that this code granted to ${whose} account was revoked. Someone else may have seen the code.`,
      de: `Der damit erteilte Zugriff auf ${deOf('Ihr', 'das', 'Konto')} wurde widerrufen. Möglicherweise kennt jemand anderes den Code.`,
    }),
    mark: checkThis,
  }),
  revoke: ({ actor, detail }, { application, whose, deOf }) => {
    const byHolder = actor !== 'client'
    const account = deOf('Ihr', 'das', 'Konto')
    const access = byHolder
      ? {
          en: `The holder of an access token for ${whose} account revoked it.`,
          de: `Ein Access-Token für ${account} wurde vom Inhaber des Tokens widerrufen.`,
        }
      : {
          en: `An access token for ${whose} account was revoked.`,
          de: `Ein Access-Token für ${account} wurde widerrufen.`,
        }
    const refresh = byHolder
      ? {
          en: `The holder of a refresh token for ${whose} account revoked it and all tokens issued from it.`,
          de: `Ein Refresh-Token für ${account} und alle damit ausgestellten Tokens wurden vom Inhaber widerrufen.`,
        }
      : {
          en: `A refresh token for ${whose} account and all tokens issued from it were revoked.`,
          de: `Ein Refresh-Token für ${account} und alle damit ausgestellten Tokens wurden widerrufen.`,
        }
    return {
      title: byHolder
        ? words({ en: `Access for ${application.en} was revoked`, de: `Zugriff widerrufen: ${application.de}` })
        : words({
            en: `${application.starts.en} gave up its access`,
            de: `${application.starts.de} hat ihren Zugriff selbst aufgegeben`,
          }),
      more: words(detail.token === 'access token' ? access : refresh),
    }
  },
  'application-registered': (_event, { did, application }) => ({
    title: did(`registered ${application.en}`, `eine Anwendung registriert: ${application.de}`),
  }),
  'application-changed': (_event, { did, application }) => ({
    title: did(`changed the settings of ${application.en}`, `die Einstellungen geändert: ${application.de}`),
  }),
  'application-deleted': (_event, { did, application }) => ({
    title: did(`deleted ${application.en}`, `eine Anwendung gelöscht: ${application.de}`),
    more: words({ en: 'All its tokens were revoked.', de: 'Alle Tokens der Anwendung wurden widerrufen.' }),
  }),
  'secret-rotated': (_event, { did, application }) => ({
    title: did(`rotated the secret of ${application.en}`, `das Client-Secret erneuert: ${application.de}`),
    more: words({ en: 'The previous secrets no longer work.', de: 'Die bisherigen Secrets sind ungültig.' }),
  }),
  'secret-added': (_event, { did, application }) => ({
    title: did(
      `created a second secret for ${application.en}`,
      `ein zweites Client-Secret erstellt: ${application.de}`,
    ),
  }),
  'secret-revoked': (_event, { did, application }) => ({
    title: did(
      `revoked one of the two secrets for ${application.en}`,
      `eines von zwei Client-Secrets widerrufen: ${application.de}`,
    ),
    more: words({ en: 'It no longer works.', de: 'Das widerrufene Secret ist ungültig.' }),
  }),
  'flow-created': ({ botId, detail }, { did }) => ({
    title: did(`created a flow of bot ${botId}`, `einen Flow von Bot ${botId} erstellt`),
    more: detail.flow,
  }),
  'flow-removed': ({ botId, detail }, { did }) => ({
    title: did(`removed a flow of bot ${botId}`, `einen Flow von Bot ${botId} entfernt`),
    more: detail.flow,
  }),
  'personal-token-created': ({ detail }, { did }) => ({
    title: did(
      `created the personal access token “${detail.personalTokenName}”`,
      `das persönliche Zugriffstoken „${detail.personalTokenName}“ erstellt`,
    ),
    more: detail.scopes,
  }),
  'personal-token-revoked': ({ detail }, { did }) => ({
    title: did(
      `revoked the personal access token “${detail.personalTokenName}”`,
      `das persönliche Zugriffstoken „${detail.personalTokenName}“ widerrufen`,
    ),
  }),
  'flow-changed': ({ botId, detail }, { did }) => ({
    title: did(`changed the flow settings of bot ${botId}`, `die Flow-Einstellungen von Bot ${botId} geändert`),
    more: detail.members,
  }),
  'flow-key-made': ({ botId, detail }, { did }) => ({
    title: did(`created a flow key for bot ${botId}`, `einen Flow-Schlüssel für Bot ${botId} erstellt`),
    more: keyBefore(detail.before),
  }),
  'flow-key-ended': ({ botId }, { did }) => ({
    title: did(`revoked a flow key for bot ${botId}`, `einen Flow-Schlüssel von Bot ${botId} widerrufen`),
  }),
  'runtime-made': ({ botId }, { did }) => ({
    title: did(
      `added a runtime for ${botId === null ? 'bots' : `bot ${botId}`}`,
      `eine Runtime für ${botId === null ? 'Bots' : `Bot ${botId}`} hinzugefügt`,
    ),
    more:
      botId === null
        ? words({
            en: 'Its key lets a program run these bots.',
            de: 'Mit dem Schlüssel der Runtime kann ein Programm diese Bots ausführen.',
          })
        : words({
            en: 'Its key lets a program run this bot.',
            de: 'Mit dem Schlüssel der Runtime kann ein Programm diesen Bot ausführen.',
          }),
  }),
  'runtime-removed': (_event, { did }) => ({
    title: did('removed a runtime', 'eine Runtime entfernt'),
    more: words({
      en: 'Its keys no longer work and its connections were closed.',
      de: 'Die Schlüssel sind ungültig und die Verbindungen wurden getrennt.',
    }),
  }),
  'runtime-key-made': ({ detail }, { did }) => ({
    title: did('created a runtime key', 'einen Runtime-Schlüssel erstellt'),
    more: keyBefore(detail.before),
  }),
  'runtime-key-ended': (_event, { did }) => ({
    title: did('revoked a runtime key', 'einen Runtime-Schlüssel widerrufen'),
  }),
  'bot-changed': ({ botId, detail }, { did }) => ({
    title:
      detail.hosting === undefined
        ? did(
            `${detail.status === 'public' ? 'published' : 'hid'} the status of bot ${botId}`,
            `den Status von Bot ${botId} ${detail.status === 'public' ? 'veröffentlicht' : 'verborgen'}`,
          )
        : did(
            `turned hosting of bot ${botId} ${detail.hosting}`,
            `das Hosting von Bot ${botId} ${detail.hosting.startsWith('on') ? 'aktiviert' : 'deaktiviert'}`,
          ),
  }),
  'coworker-put': ({ botId, detail }, { did }) => ({
    title: did(
      `set user ${detail.coworker}’s permissions on bot ${botId}`,
      `die Rechte von Benutzer ${detail.coworker} für Bot ${botId} festgelegt`,
    ),
    more: words({
      en: [`As ${detail.role}.`, detail.capabilities].join(' '),
      de: [`Als ${detail.role}.`, detail.capabilities].join(' '),
    }),
  }),
  'coworker-removed': ({ botId, detail }, { did }) => ({
    title: did(
      `removed user ${detail.coworker} from bot ${botId}`,
      `Benutzer ${detail.coworker} von Bot ${botId} entfernt`,
    ),
  }),
  'coworker-invited': ({ botId, detail }, { did }) => ({
    title: did(`created an invitation to bot ${botId}`, `eine Einladung zu Bot ${botId} erstellt`),
    more: words({
      en: [`As ${detail.role}.`, detail.capabilities].join(' '),
      de: [`Als ${detail.role}.`, detail.capabilities].join(' '),
    }),
  }),
  'invitation-accepted': ({ botId }, { did }) => ({
    title: did(`accepted an invitation to bot ${botId}`, `eine Einladung zu Bot ${botId} angenommen`),
  }),
  'invitation-ended': ({ botId, detail }, { did }) => ({
    title:
      detail.how === 'declined'
        ? did(`declined an invitation to bot ${botId}`, `eine Einladung zu Bot ${botId} abgelehnt`)
        : did(`revoked an invitation to bot ${botId}`, `eine Einladung zu Bot ${botId} widerrufen`),
  }),
  'events-replayed': ({ botId, detail }, { did }) => ({
    title: did(
      `replayed ${eventCount(detail.events).en} for bot ${botId}`,
      `${eventCount(detail.events).de} für Bot ${botId} erneut eingereiht`,
    ),
    more: detail.event ?? detail.flow,
  }),
  'webhook-tested': ({ botId, detail }, { did }) => ({
    title: did(`sent a test webhook to bot ${botId}`, `einen Test-Webhook an Bot ${botId} gesendet`),
    more: detail.flow,
  }),
  'events-tried-now': ({ botId, detail }, { did }) => ({
    title: did(
      `requested immediate delivery of ${eventCount(detail.events).en} for bot ${botId}`,
      `die Wartezeit für ${eventCount(detail.events).de} für Bot ${botId} übersprungen`,
    ),
    more: detail.event,
  }),
  'events-discarded': ({ botId, detail }, { did }) => ({
    title: did(
      `discarded ${eventCount(detail.events).en} for bot ${botId}`,
      `${eventCount(detail.events).de} für Bot ${botId} verworfen`,
    ),
    more: detail.event ?? detail.flow,
  }),
  provisioned: ({ detail }, { did }) => {
    const record = provisionedRecord[detail.call ?? ''] ?? { en: 'a record', de: 'einen Eintrag' }
    return {
      title: did(`${detail.outcome} ${record.en}`, `${record.de} ${outcomes[detail.outcome ?? ''] ?? detail.outcome}`),
      more: detail.members,
    }
  },
  'subscription-created': (_, { did }) => ({
    title: did('created an event subscription', 'ein Ereignis-Abonnement erstellt'),
  }),
  'subscription-changed': (_, { did }) => ({
    title: did('changed an event subscription', 'ein Ereignis-Abonnement geändert'),
  }),
  'subscription-secret-rotated': (_, { did }) => ({
    title: did(
      'rotated the signing secret of an event subscription',
      'das Signatur-Secret eines Ereignis-Abonnements erneuert',
    ),
    more: words({
      en: 'The previous secret also signs for 24 hours.',
      de: 'Noch 24 Stunden lang wird zusätzlich mit dem vorherigen Secret signiert.',
    }),
  }),
  'subscription-removed': (_, { did }) => ({
    title: did('removed an event subscription', 'ein Ereignis-Abonnement entfernt'),
  }),
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
    ? words({ en: 'The previous key was revoked.', de: 'Der vorherige Schlüssel wurde widerrufen.' })
    : words({
        en: 'The previous key works for another 24 hours.',
        de: 'Der vorherige Schlüssel bleibt noch 24 Stunden gültig.',
      })
}

function linkedAccount(provider: string | undefined): { en: string; de: string } {
  return linkedAccounts[provider ?? ''] ?? { en: 'an account', de: 'ein Konto' }
}

const linkedAccounts: Readonly<Record<string, { en: string; de: string }>> = {
  'chat-platform': { en: 'a chat-platform account', de: 'ein Konto bei der Chat-Plattform' },
  'code-hosting': { en: 'a code-hosting account', de: 'ein Konto bei der Code-Plattform' },
  upstream: { en: 'an account at the sign-in provider', de: 'ein Konto beim Anmeldedienst' },
}

const signInBy: Readonly<Record<string, Words>> = {
  password: words({ en: 'With the password.', de: 'Mit dem Passwort.' }),
  'sign-up': words({ en: 'When the account was created.', de: 'Beim Erstellen des Kontos.' }),
  passkey: words({ en: 'With a passkey.', de: 'Mit einem Passkey.' }),
  'linked account': words({ en: 'With a linked account.', de: 'Mit einem verknüpften Konto.' }),
  portal: words({ en: 'In the developer portal.', de: 'Im Entwicklerportal.' }),
}

const outcomes: Readonly<Record<string, string>> = {
  created: 'erstellt',
  changed: 'geändert',
  removed: 'entfernt',
  exported: 'exportiert',
  disabled: 'gesperrt',
  enabled: 'entsperrt',
  ended: 'beendet',
  revoked: 'widerrufen',
}

/**
 * The kind of record that a provisioning call creates, changes or removes, by operation ID. Only for calls that concern
 * users and applications.
 */
const provisionedRecord: Readonly<Record<string, { en: string; de: string }>> = {
  putUser: { en: 'the account', de: 'das Konto' },
  postRecovery: { en: 'an account recovery link', de: 'einen Link zur Wiederherstellung des Kontos' },
  deleteUser: { en: 'the account', de: 'das Konto' },
  disableUser: { en: 'the account', de: 'das Konto' },
  enableUser: { en: 'the account', de: 'das Konto' },
  endUserSessions: { en: 'the account’s sessions', de: 'die Sitzungen des Kontos' },
  revokeUserTokens: { en: 'the account’s tokens', de: 'die Tokens des Kontos' },
  exportUser: { en: 'the account’s data', de: 'die Daten des Kontos' },
  putApplication: { en: 'the application', de: 'die Anwendung' },
  deleteApplication: { en: 'the application', de: 'die Anwendung' },
  disableApplication: { en: 'the application', de: 'die Anwendung' },
  enableApplication: { en: 'the application', de: 'die Anwendung' },
  revokeApplicationTokens: { en: 'the application’s tokens', de: 'die Tokens der Anwendung' },
  putCoworker: { en: 'a collaborator’s access to a bot', de: 'den Zugriff eines Bearbeiters auf einen Bot' },
  deleteCoworker: { en: 'a collaborator’s access to a bot', de: 'den Zugriff eines Bearbeiters auf einen Bot' },
}

function accessRemoved(programs: boolean): Words {
  return words({
    en: `Passkeys, linked accounts, PIN, sessions and application access were removed.${programs ? ' So were runtimes, subscriptions and client secrets.' : ''}`,
    de: `Passkeys, verknüpfte Konten, PIN, Sitzungen und Zugriffe von Anwendungen wurden entfernt.${programs ? ' Ebenso Runtimes, Abonnements und Client-Secrets.' : ''}`,
  })
}

import type { AuditKind, ShownEvent } from '../../domain/audit/audit.ts'
import { type Html, html, type Text, type Words, words } from '../html.ts'
import { membersInWords } from './activity-members.ts'
import { type ActivityReader, type Objects, objectsOf } from './activity-objects.ts'
import { capabilityInWords, locationWords, roleWords } from './bots.ts'
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
  title: Text
  more?: Text | undefined
  /** A label of two or three words for events that the user should check. */
  mark?: { tone: 'neutral' | 'warn' | 'bad'; word: Words }
}

/** Describes an event. @param reader the user to address as “you”, and the origins to which the page can link. */
export function eventWords(event: ShownEvent, reader: ActivityReader): EventWords {
  return sentences[event.kind](event, objectsOf(event, reader))
}

const checkThis = { tone: 'warn', word: words({ en: 'Needs review', de: 'Bitte prüfen' }) } as const

function pinLockedWords(pin: Html, ms: number): Words {
  const { en, de } = durationInSentence(ms)
  return words({ en: html`The ${pin} was locked for ${en}`, de: html`Die ${pin} wurde für ${de} gesperrt` })
}

const sentences: Record<AuditKind, (event: ShownEvent, objects: Objects) => EventWords> = {
  'sign-in': ({ detail }, { did }) => ({ title: did('signed in', 'sich angemeldet'), more: signInBy[detail.by ?? ''] }),
  'sign-in-failed': (_event, { inAccount }) => ({
    title: words({ en: 'A sign-in failed', de: 'Eine Anmeldung ist fehlgeschlagen' }),
    more: words({
      en: html`The password was wrong. If this wasn’t you, choose a ${inAccount('/password', 'password')} that you use nowhere else.`,
      de: html`Das eingegebene Passwort war falsch. Falls Sie das nicht waren, wählen Sie ein ${inAccount('/password', 'Passwort')}, das Sie sonst nirgends verwenden.`,
    }),
    mark: checkThis,
  }),
  'pin-locked': ({ detail }, { inAccount }) => ({
    title: pinLockedWords(inAccount('/pin', 'PIN'), Number(detail.minutes ?? 15) * 60_000),
    more: words({
      en: 'Too many wrong PINs were entered. If this wasn’t you, change your password and PIN.',
      de: 'Es wurden zu viele falsche PINs eingegeben. Falls Sie das nicht waren, ändern Sie Passwort und PIN.',
    }),
    mark: checkThis,
  }),
  'pin-changed': (_event, { did, whose, deOf, inAccount }) => ({
    title: did(
      html`set ${whose} ${inAccount('/pin', 'PIN')}`,
      html`${deOf('Ihre', 'die', inAccount('/pin', 'PIN'))} festgelegt`,
    ),
  }),
  'password-changed': ({ detail }, { did, whose, deOf, inAccount }) => ({
    title: did(
      html`set ${whose} ${inAccount('/password', 'password')}`,
      html`${deOf('Ihr', 'das', inAccount('/password', 'Passwort'))} festgelegt`,
    ),
    more:
      detail.access === 'removed'
        ? accessRemoved(detail.programs === 'ended')
        : words({ en: 'All other sessions were signed out.', de: 'Alle anderen Sitzungen wurden beendet.' }),
  }),
  'email-changed': (_event, { did, whose, deOf, inAccount }) => ({
    title: did(
      html`set or verified ${whose} ${inAccount('/email', 'email address')}`,
      html`${deOf('Ihre', 'die', inAccount('/email', 'E-Mail-Adresse'))} geändert oder bestätigt`,
    ),
  }),
  'session-ended': ({ detail }, { did, inAccount }) => ({
    title: did(
      html`signed out ${inAccount('/sessions', detail.sessions === '1' ? 'another session' : `${detail.sessions} other sessions`)}`,
      html`${inAccount('/sessions', detail.sessions === '1' ? 'eine andere Sitzung' : `${detail.sessions} andere Sitzungen`)} beendet`,
    ),
    more:
      detail.personalTokens === undefined
        ? undefined
        : words({
            en: 'All personal access tokens were revoked.',
            de: 'Alle persönlichen Zugriffstokens wurden widerrufen.',
          }),
  }),
  'passkey-added': (event, objects) => {
    const { en, de } = passkeyOf(event, objects)
    return { title: objects.did(html`added ${en}`, html`${de} hinzugefügt`) }
  },
  'passkey-removed': (event, objects) => {
    const { en, de } = passkeyOf(event, objects)
    return { title: objects.did(html`removed ${en}`, html`${de} entfernt`) }
  },
  'account-linked': (event, objects) => {
    const { en, de } = linkedAccount(event, objects)
    return { title: objects.did(html`linked ${en}`, html`${de} verknüpft`) }
  },
  'account-unlinked': (event, objects) => {
    const { en, de } = linkedAccount(event, objects)
    return { title: objects.did(html`unlinked ${en}`, html`die Verknüpfung aufgehoben: ${de}`) }
  },
  grant: ({ detail }, { did, application }) => ({
    title: did(html`granted access to ${application.en}`, html`Zugriff gewährt: ${application.de}`),
    more: codes(detail.scopes),
  }),
  'consent-withdrawn': (_event, { did, application }) => ({
    title: did(html`revoked access for ${application.en}`, html`den Zugriff widerrufen: ${application.de}`),
    more: words({
      en: 'All its tokens for this user were revoked.',
      de: 'Alle Tokens der Anwendung für diesen Benutzer wurden widerrufen.',
    }),
  }),
  'refresh-reuse': ({ detail }, { application, whose, deOf }) =>
    detail.probably === 'client race'
      ? {
          title: words({
            en: html`${application.starts.en} used the same refresh token twice at the same time`,
            de: html`${application.starts.de} hat ein Refresh-Token zweimal gleichzeitig verwendet`,
          }),
          more: words({
            en: `Its access to ${whose} account was revoked. It probably sent two refresh requests in parallel.`,
            de: html`Der Zugriff auf ${deOf('Ihr', 'das', 'Konto')} wurde widerrufen. Wahrscheinlich hat die Anwendung ihr Token zweimal gleichzeitig erneuert.`,
          }),
          mark: {
            tone: 'neutral',
            word: words({ en: 'Probably a client bug', de: 'Vermutlich ein Fehler der Anwendung' }),
          },
        }
      : {
          title: words({
            en: html`A used refresh token for ${application.en} was presented again`,
            de: html`Ein verbrauchtes Refresh-Token wurde erneut verwendet: ${application.de}`,
          }),
          more: words({
            en: `Its access to ${whose} account was revoked. The token was probably stolen.`,
            de: html`Der Zugriff auf ${deOf('Ihr', 'das', 'Konto')} wurde widerrufen. Das Token wurde vermutlich gestohlen.`,
          }),
          mark: { tone: 'bad', word: words({ en: 'Probably stolen', de: 'Vermutlich gestohlen' }) },
        },
  'code-replay': (_event, { application, whose, deOf }) => ({
    title: words({
      en: html`${application.starts.en} used an authorization code again`,
      de: html`${application.starts.de} hat einen Autorisierungscode erneut verwendet`,
    }),
    more: words({
      en: `The access that this code granted to ${whose} account was revoked. Someone else may have seen the code.`,
      de: html`Der damit erteilte Zugriff auf ${deOf('Ihr', 'das', 'Konto')} wurde widerrufen. Möglicherweise kennt jemand anderes den Code.`,
    }),
    mark: checkThis,
  }),
  revoke: ({ actor, detail }, { application, whose, deOf }) => {
    const byHolder = actor !== 'client'
    const account = deOf('Ihr', 'das', 'Konto')
    const access = byHolder
      ? {
          en: `The holder of an access token for ${whose} account revoked it.`,
          de: html`Ein Access-Token für ${account} wurde vom Inhaber des Tokens widerrufen.`,
        }
      : {
          en: `An access token for ${whose} account was revoked.`,
          de: html`Ein Access-Token für ${account} wurde widerrufen.`,
        }
    const refresh = byHolder
      ? {
          en: `The holder of a refresh token for ${whose} account revoked it and all tokens issued from it.`,
          de: html`Ein Refresh-Token für ${account} und alle damit ausgestellten Tokens wurden vom Inhaber widerrufen.`,
        }
      : {
          en: `A refresh token for ${whose} account and all tokens issued from it were revoked.`,
          de: html`Ein Refresh-Token für ${account} und alle damit ausgestellten Tokens wurden widerrufen.`,
        }
    return {
      title: byHolder
        ? words({ en: html`Access for ${application.en} was revoked`, de: html`Zugriff widerrufen: ${application.de}` })
        : words({
            en: html`${application.starts.en} gave up its access`,
            de: html`${application.starts.de} hat ihren Zugriff selbst aufgegeben`,
          }),
      more: words(detail.token === 'access token' ? access : refresh),
    }
  },
  'application-registered': (_event, { did, application }) => ({
    title: did(html`registered ${application.en}`, html`eine Anwendung registriert: ${application.de}`),
  }),
  'application-changed': (_event, { did, application }) => ({
    title: did(html`changed the settings of ${application.en}`, html`die Einstellungen geändert: ${application.de}`),
  }),
  'application-deleted': (_event, { did, application }) => ({
    title: did(html`deleted ${application.en}`, html`eine Anwendung gelöscht: ${application.de}`),
    more: words({ en: 'All its tokens were revoked.', de: 'Alle Tokens der Anwendung wurden widerrufen.' }),
  }),
  'secret-rotated': (_event, { did, application }) => ({
    title: did(html`rotated the secret of ${application.en}`, html`das Client-Secret erneuert: ${application.de}`),
    more: words({ en: 'The previous secrets no longer work.', de: 'Die bisherigen Secrets sind ungültig.' }),
  }),
  'secret-added': ({ detail }, { did, application }) => ({
    title: did(
      html`created a second secret${secretOf(detail).en} for ${application.en}`,
      html`ein zweites Client-Secret${secretOf(detail).de} erstellt: ${application.de}`,
    ),
  }),
  'secret-revoked': ({ detail }, { did, application }) => ({
    title: did(
      html`revoked one of the two secrets${secretOf(detail).en} for ${application.en}`,
      html`eines von zwei Client-Secrets${secretOf(detail).de} widerrufen: ${application.de}`,
    ),
    more: words({ en: 'It no longer works.', de: 'Das widerrufene Secret ist ungültig.' }),
  }),
  'flow-created': (_event, { did, flow, bot }) => ({
    title: did(html`created the flow ${flow} of bot ${bot}`, html`den Flow ${flow} von Bot ${bot} erstellt`),
  }),
  'flow-removed': (_event, { did, flow, bot }) => ({
    title: did(html`removed the flow ${flow} of bot ${bot}`, html`den Flow ${flow} von Bot ${bot} entfernt`),
  }),
  'flow-changed': ({ detail }, { did, flow, bot }) => ({
    title: did(
      html`changed the settings of flow ${flow} of bot ${bot}`,
      html`die Einstellungen des Flows ${flow} von Bot ${bot} geändert`,
    ),
    more: membersInWords(detail.members),
  }),
  'flow-key-made': ({ detail }, { did, flow, bot }) => ({
    title: did(
      html`created a key for flow ${flow} of bot ${bot}`,
      html`einen Schlüssel für den Flow ${flow} von Bot ${bot} erstellt`,
    ),
    more: keyBefore(detail.before),
  }),
  'flow-key-ended': (_event, { did, flow, bot }) => ({
    title: did(
      html`revoked a key for flow ${flow} of bot ${bot}`,
      html`einen Schlüssel für den Flow ${flow} von Bot ${bot} widerrufen`,
    ),
  }),
  'personal-token-created': ({ detail }, { did, inAccount }) => ({
    title: did(
      html`created the personal access token “${inAccount('/tokens', detail.personalTokenName ?? '')}”`,
      html`das persönliche Zugriffstoken „${inAccount('/tokens', detail.personalTokenName ?? '')}“ erstellt`,
    ),
    more: codes(detail.scopes),
  }),
  'personal-token-revoked': ({ detail }, { did, inAccount }) => ({
    title: did(
      html`revoked the personal access token “${inAccount('/tokens', detail.personalTokenName ?? '')}”`,
      html`das persönliche Zugriffstoken „${inAccount('/tokens', detail.personalTokenName ?? '')}“ widerrufen`,
    ),
  }),
  'runtime-made': ({ botId }, { did, runtime, bot }) => ({
    title:
      botId === null
        ? did(html`added the runtime ${runtime} for bots`, html`die Runtime ${runtime} für Bots hinzugefügt`)
        : did(
            html`added the runtime ${runtime} for bot ${bot}`,
            html`die Runtime ${runtime} für Bot ${bot} hinzugefügt`,
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
  'runtime-removed': (_event, { did, runtime }) => ({
    title: did(html`removed the runtime ${runtime}`, html`die Runtime ${runtime} entfernt`),
    more: words({
      en: 'Its keys no longer work and its connections were closed.',
      de: 'Die Schlüssel sind ungültig und die Verbindungen wurden getrennt.',
    }),
  }),
  'runtime-key-made': ({ detail }, { did, runtime }) => ({
    title: did(
      html`created a key for the runtime ${runtime}`,
      html`einen Schlüssel für die Runtime ${runtime} erstellt`,
    ),
    more: keyBefore(detail.before),
  }),
  'runtime-key-ended': (_event, { did, runtime }) => ({
    title: did(
      html`revoked a key for the runtime ${runtime}`,
      html`einen Schlüssel für die Runtime ${runtime} widerrufen`,
    ),
  }),
  'bot-changed': ({ detail }, { did, bot }) => {
    const { hosting, status } = detail
    if (hosting === undefined) {
      const open = status === 'public'
      return {
        title: did(
          html`${open ? 'published' : 'hid'} the status of bot ${bot}`,
          html`den Status von Bot ${bot} ${open ? 'veröffentlicht' : 'verborgen'}`,
        ),
      }
    }
    const [power, location] = hosting.split(', ')
    return {
      title: did(
        html`turned hosting of bot ${bot} ${power === 'on' ? 'on' : 'off'}`,
        html`das Hosting von Bot ${bot} ${power === 'on' ? 'aktiviert' : 'deaktiviert'}`,
      ),
      more: location === 'local' || location === 'cloud' ? locationOf(locationWords[location]) : undefined,
    }
  },
  'coworker-put': ({ detail }, { did, coworker, bot }) => ({
    title: did(
      html`set user ${coworker}’s permissions on bot ${bot}`,
      html`die Rechte von Benutzer ${coworker} für Bot ${bot} festgelegt`,
    ),
    more: rights(detail),
  }),
  'coworker-removed': (_event, { did, coworker, bot }) => ({
    title: did(html`removed user ${coworker} from bot ${bot}`, html`Benutzer ${coworker} von Bot ${bot} entfernt`),
  }),
  'coworker-invited': ({ detail }, { did, bot }) => ({
    title: did(html`created an invitation to bot ${bot}`, html`eine Einladung zu Bot ${bot} erstellt`),
    more: rights(detail),
  }),
  'invitation-accepted': (_event, { did, bot }) => ({
    title: did(html`accepted an invitation to bot ${bot}`, html`eine Einladung zu Bot ${bot} angenommen`),
  }),
  'invitation-ended': ({ detail }, { did, bot }) => ({
    title:
      detail.how === 'declined'
        ? did(html`declined an invitation to bot ${bot}`, html`eine Einladung zu Bot ${bot} abgelehnt`)
        : did(html`revoked an invitation to bot ${bot}`, html`eine Einladung zu Bot ${bot} widerrufen`),
  }),
  'webhook-tested': (event, objects) => ({
    title: objects.did(
      html`sent a test webhook to bot ${objects.bot}`,
      html`einen Test-Webhook an Bot ${objects.bot} gesendet`,
    ),
    more: whichWebhooks(event, objects),
  }),
  'events-replayed': (event, objects) => ({
    title: objects.did(
      html`replayed ${eventCount(event.detail.events).en} for bot ${objects.bot}`,
      html`${eventCount(event.detail.events).de} für Bot ${objects.bot} erneut eingereiht`,
    ),
    more: whichWebhooks(event, objects),
  }),
  'events-tried-now': (event, objects) => ({
    title: objects.did(
      html`requested immediate delivery of ${eventCount(event.detail.events).en} for bot ${objects.bot}`,
      html`die Wartezeit für ${eventCount(event.detail.events).de} für Bot ${objects.bot} übersprungen`,
    ),
    more: whichWebhooks(event, objects),
  }),
  'events-discarded': (event, objects) => ({
    title: objects.did(
      html`discarded ${eventCount(event.detail.events).en} for bot ${objects.bot}`,
      html`${eventCount(event.detail.events).de} für Bot ${objects.bot} verworfen`,
    ),
    more: whichWebhooks(event, objects),
  }),
  provisioned: ({ detail }, objects) => {
    const record = provisionedRecord[detail.call ?? '']?.(objects) ?? { en: 'a record', de: 'einen Eintrag' }
    const outcome = detail.outcome ?? ''
    return {
      title: objects.did(html`${outcome} ${record.en}`, html`${record.de} ${outcomes[outcome] ?? outcome}`),
      more: membersInWords(detail.members),
    }
  },
  'subscription-created': (_event, { did, subscription }) => ({
    title: did(
      html`created the event subscription of ${subscription}`,
      html`das Ereignis-Abonnement von ${subscription} erstellt`,
    ),
  }),
  'subscription-changed': (_event, { did, subscription }) => ({
    title: did(
      html`changed the event subscription of ${subscription}`,
      html`das Ereignis-Abonnement von ${subscription} geändert`,
    ),
  }),
  'subscription-secret-rotated': (_event, { did, subscription }) => ({
    title: did(
      html`rotated the signing secret of the event subscription of ${subscription}`,
      html`das Signatur-Secret des Ereignis-Abonnements von ${subscription} erneuert`,
    ),
    more: words({
      en: 'The previous secret also signs for 24 hours.',
      de: 'Noch 24 Stunden lang wird zusätzlich mit dem vorherigen Secret signiert.',
    }),
  }),
  'subscription-removed': (_event, { did, subscription }) => ({
    title: did(
      html`removed the event subscription of ${subscription}`,
      html`das Ereignis-Abonnement von ${subscription} entfernt`,
    ),
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

/** Returns names of scopes, which are the same in every language. */
function codes(names: string | undefined): Html | undefined {
  return names === undefined || names === '' ? undefined : html`<code>${names}</code>`
}

/** Returns the name in quotation marks. Events of earlier releases have no names. */
function quoted(name: string | undefined): { en: string; de: string } {
  return name === undefined || name === '' ? { en: '', de: '' } : { en: `“${name}”`, de: `„${name}“` }
}

/** Returns a space and the secret's label or, if it has none, its last characters. */
function secretOf({ label, lastFour }: ShownEvent['detail']): { en: string; de: string } {
  const { en, de } = quoted(label ?? (lastFour && `••••${lastFour}`))
  return en === '' ? { en, de } : { en: ` ${en}`, de: ` ${de}` }
}

function passkeyOf({ detail }: ShownEvent, { inAccount }: Objects): { en: Html; de: Html } {
  const { en, de } = quoted(detail.name)
  return {
    en: inAccount('/passkeys', en === '' ? 'a passkey' : `the passkey ${en}`),
    de: inAccount('/passkeys', de === '' ? 'einen Passkey' : `den Passkey ${de}`),
  }
}

function linkedAccount({ detail }: ShownEvent, { inAccount }: Objects): { en: Html; de: Html } {
  const { en, de } = linkedAccounts[detail.provider ?? ''] ?? { en: 'an account', de: 'ein Konto' }
  const name = detail.name === undefined || detail.name === '' ? '' : ` (${detail.name})`
  return { en: inAccount('/linked', `${en}${name}`), de: inAccount('/linked', `${de}${name}`) }
}

const linkedAccounts: Readonly<Record<string, { en: string; de: string }>> = {
  'chat-platform': { en: 'a chat-platform account', de: 'ein Konto bei der Chat-Plattform' },
  'code-hosting': { en: 'a code-hosting account', de: 'ein Konto bei der Code-Plattform' },
  upstream: { en: 'an account at the sign-in provider', de: 'ein Konto beim Anmeldedienst' },
}

function rights({ role, capabilities = '' }: ShownEvent['detail']): Html {
  const name = role === 'editor' || role === 'viewer' ? roleWords[role].name : role
  const extra = capabilities.split(' ').filter((one) => one !== '')
  const listed = extra.map((one, at) => html`${at > 0 && '; '}${capabilityInWords(one)}`)
  return html`${words({ en: 'Role', de: 'Rolle' })}: ${name}.${
    extra.length > 0 && html` ${words({ en: 'Extra permissions', de: 'Zusätzliche Rechte' })}: ${listed}.`
  }`
}

function locationOf(location: Words): Html {
  return html`${words({ en: 'Location', de: 'Standort' })}: ${location}`
}

/** Returns the webhook that the event is about, and the flow if the event names it. */
function whichWebhooks({ detail }: ShownEvent, { webhook, flow }: Objects): Html | undefined {
  const ofFlow = detail.flow === undefined ? undefined : html`Flow ${flow}`
  if (webhook === undefined) return ofFlow
  return ofFlow === undefined ? webhook : html`${ofFlow}, ${webhook}`
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
 * The record that a provisioning call creates, changes or removes, by operation ID. Only for calls that concern users and
 * applications, because the others are on no activity page.
 */
const provisionedRecord: Readonly<Record<string, (objects: Objects) => { en: Text; de: Text }>> = {
  putUser: account,
  deleteUser: account,
  disableUser: account,
  enableUser: account,
  postRecovery: ({ inAccount }) => ({
    en: inAccount('', 'an account recovery link'),
    de: inAccount('', 'einen Link zur Wiederherstellung des Kontos'),
  }),
  endUserSessions: ({ inAccount }) => ({
    en: inAccount('/sessions', 'the account’s sessions'),
    de: inAccount('/sessions', 'die Sitzungen des Kontos'),
  }),
  revokeUserTokens: ({ inAccount }) => ({
    en: inAccount('/applications', 'the account’s tokens'),
    de: inAccount('/applications', 'die Tokens des Kontos'),
  }),
  exportUser: ({ inAccount }) => ({
    en: inAccount('', 'the account’s data'),
    de: inAccount('', 'die Daten des Kontos'),
  }),
  putApplication: application,
  deleteApplication: application,
  disableApplication: application,
  enableApplication: application,
  revokeApplicationTokens: ({ application: { en, de } }) => ({
    en: html`the tokens of ${en}`,
    de: html`die Tokens von ${de}`,
  }),
  putCoworker: access,
  deleteCoworker: access,
}

function account({ inAccount }: Objects) {
  return { en: inAccount('', 'the account'), de: inAccount('', 'das Konto') }
}

function application({ application: { en, de } }: Objects) {
  return { en: html`the application ${en}`, de: html`die Anwendung ${de}` }
}

function access({ whose, deOf, bot }: Objects) {
  return { en: html`${whose} access to bot ${bot}`, de: html`${deOf('Ihren', 'den', 'Zugriff')} auf Bot ${bot}` }
}

function accessRemoved(programs: boolean): Words {
  return words({
    en: `Passkeys, linked accounts, PIN, sessions and application access were removed.${programs ? ' So were runtimes, subscriptions and client secrets.' : ''}`,
    de: `Passkeys, verknüpfte Konten, PIN, Sitzungen und Zugriffe von Anwendungen wurden entfernt.${programs ? ' Ebenso Runtimes, Abonnements und Client-Secrets.' : ''}`,
  })
}

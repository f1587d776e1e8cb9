import type { AuditKind, ShownEvent } from '../../domain/audit/audit-event.ts'
import type { UserId } from '../../domain/ids.ts'
import { activityPerPage } from '../../domain/limits.ts'
import { browserInWords } from '../browser-in-words.ts'
import { type Html, html, type Text } from '../html.ts'
import { linkButton } from './button.ts'
import { state, type Tone } from './notice.ts'
import { table } from './table.ts'
import { time } from './time.ts'

export interface ActivityView {
  events: readonly ShownEvent[]
  /** Whom "you" means. */
  reader: UserId
  nowMs: number
}

/** What happened, newest first: in words, when, and from where as far as the reader may know. */
export function activityTable({ events, reader, nowMs }: ActivityView): Html {
  return table({
    caption: 'What happened, newest first',
    columns: [
      { title: 'What', cell: (event: ShownEvent) => what(event, reader) },
      { title: 'When', cell: ({ atMs }) => time(atMs, nowMs) },
      { title: 'From', cell: from },
    ],
    rows: events,
  })
}

/** The way to what happened before this page, and back to the newest. */
export function activityWays(address: string, events: readonly ShownEvent[], before: number | undefined): Html {
  const last = events.at(-1)
  const older = events.length === activityPerPage && last !== undefined
  return html`<div class="buttons">${older && linkButton({ label: 'Earlier', href: `${address}?before=${last.number}`, tone: 'plain' })}${before !== undefined && linkButton({ label: 'Newest', href: address, tone: 'quiet' })}</div>`
}

/** `before` of an address; undefined, which means from the newest on, for what is no number. */
export function readBefore(query: unknown): number | undefined {
  const { before } = query as Record<string, unknown>
  return typeof before === 'string' && /^\d{1,15}$/.test(before) ? Number(before) : undefined
}

function what(event: ShownEvent, reader: UserId): Html {
  const { title, more, mark } = words[event.kind](event, namesIn(event, reader))
  return html`${title}${mark && html`<br>${state(mark)}`}${more && html`<br><span class="soft small">${more}</span>`}`
}

function from({ actor, address, userAgent }: ShownEvent): Html {
  if (address === null) return html`<span class="soft">Not shown</span>`
  // An application's server says its own name; a browser says many.
  const agent =
    actor === 'client'
      ? html`<span class="soft small">${userAgent ?? 'No user agent'}</span>`
      : html`<span class="soft small" title="${userAgent ?? ''}">${browserInWords(userAgent)}</span>`
  return html`<code>${address}</code><br>${agent}`
}

interface Names {
  /** Who did it, at the beginning of a sentence. */
  who: string
  application: string
  /** Whose it is that it is about: "your" or "user bob’s". */
  whose: string
}

function namesIn({ actor, userId, applicationName }: ShownEvent, reader: UserId): Names {
  const own = userId === reader
  const application = applicationName ?? 'an application'
  const user = userId === null ? 'A user' : `User ${userId}`
  const who = { user: own ? 'You' : user, client: application, operator: 'The operator', nobody: 'Somebody' }[actor]
  return { who, application, whose: own ? 'your' : `${user.replace('User', 'user').replace('A ', 'a ')}’s` }
}

interface Words {
  title: Text
  more?: string | undefined
  /** On what is worth a look, in two or three words. */
  mark?: { tone: Tone; word: Text }
}

const checkThis = { tone: 'warn', word: 'Check this' } as const

const words: Record<AuditKind, (event: ShownEvent, names: Names) => Words> = {
  'sign-in': ({ detail }, { who }) => ({ title: `${who} signed in`, more: signInBy[detail.by ?? ''] }),
  'sign-in-failed': () => ({
    title: 'A sign-in failed',
    more: 'The password was wrong. If it was not you, choose one that you use nowhere else.',
    mark: checkThis,
  }),
  'pin-locked': () => ({
    title: 'The PIN was locked for 15 minutes',
    more: 'Five wrong PINs were entered. If it was not you, change your password and your PIN.',
    mark: checkThis,
  }),
  'pin-changed': (_event, { who, whose }) => ({ title: `${who} set ${whose} PIN` }),
  'password-changed': (_event, { who, whose }) => ({
    title: `${who} set ${whose} password`,
    more: 'All other sessions ended.',
  }),
  'email-changed': (_event, { who, whose }) => ({ title: `${who} set or verified ${whose} e-mail address` }),
  'session-ended': ({ detail }, { who }) => ({
    title: `${who} signed out ${detail.sessions === '1' ? 'another session' : `${detail.sessions} other sessions`}`,
  }),
  'passkey-added': (_event, { who }) => ({ title: `${who} added a passkey` }),
  'passkey-removed': (_event, { who }) => ({ title: `${who} removed a passkey` }),
  'account-linked': ({ detail }, { who }) => ({ title: `${who} linked ${linkedAccount[detail.provider ?? '']}` }),
  'account-unlinked': ({ detail }, { who }) => ({ title: `${who} unlinked ${linkedAccount[detail.provider ?? '']}` }),
  grant: ({ detail }, { who, application }) => ({ title: `${who} allowed ${application}`, more: detail.scopes }),
  'consent-withdrawn': (_event, { who, application }) => ({
    title: `${who} withdrew the access of ${application}`,
    more: 'All its tokens of this user ended.',
  }),
  'refresh-reuse': ({ detail }, { application, whose }) =>
    detail.probably === 'client race'
      ? {
          title: `${application} used a refresh token twice at once`,
          more: `Its access to ${whose} account ended and must be allowed again. It seems to refresh from two places without waiting for itself.`,
          mark: { tone: 'neutral', word: 'Probably a client race' },
        }
      : {
          title: `A refresh token of ${application} was used again`,
          more: `Its access to ${whose} account ended and must be allowed again. Somebody else seems to have got hold of the token.`,
          mark: { tone: 'bad', word: 'Probably theft' },
        },
  'code-replay': (_event, { application, whose }) => ({
    title: `${application} used an authorization code again`,
    more: `What the code had given it of ${whose} account ended. The code may have been seen by somebody else.`,
    mark: checkThis,
  }),
  revoke: ({ actor, detail }, { application, whose }) => ({
    title: actor === 'client' ? `${application} gave up access` : `Access of ${application} was ended`,
    more:
      detail.token === 'access token'
        ? `An access token for ${whose} account was revoked${actor === 'client' ? '' : ' by whoever held it'}.`
        : `A refresh token for ${whose} account was revoked${actor === 'client' ? '' : ' by whoever held it'}, with all that came of it.`,
  }),
  'application-registered': (_event, { who, application }) => ({ title: `${who} registered ${application}` }),
  'application-changed': (_event, { who, application }) => ({ title: `${who} changed the settings of ${application}` }),
  'application-deleted': (_event, { who, application }) => ({
    title: `${who} deleted ${application}`,
    more: 'All its tokens ended.',
  }),
  'secret-rotated': (_event, { who, application }) => ({
    title: `${who} rotated the secret of ${application}`,
    more: 'What was its secret before stopped working.',
  }),
  'secret-added': (_event, { who, application }) => ({ title: `${who} made a second secret for ${application}` }),
  'secret-revoked': (_event, { who, application }) => ({
    title: `${who} revoked one of two secrets of ${application}`,
    more: 'It stopped working.',
  }),
  'flow-changed': ({ botId, detail }, { who }) => ({
    title: `${who} changed how bot ${botId} takes webhooks`,
    more: detail.members,
  }),
  'flow-key-made': ({ botId, detail }, { who }) => ({
    title: `${who} made a new key for webhooks of bot ${botId}`,
    more: keyBefore(detail.before),
  }),
  'flow-key-ended': ({ botId }, { who }) => ({ title: `${who} ended a key for webhooks of bot ${botId}` }),
  'runtime-made': ({ botId }, { who }) => ({
    title: `${who} made a runtime for ${botId === null ? 'bots' : `bot ${botId}`}`,
    more: 'Its key lets a program run them.',
  }),
  'runtime-removed': (_event, { who }) => ({
    title: `${who} removed a runtime`,
    more: 'Its keys stopped working and its connections ended.',
  }),
  'runtime-key-made': ({ detail }, { who }) => ({
    title: `${who} made a new key for a runtime`,
    more: keyBefore(detail.before),
  }),
  'runtime-key-ended': (_event, { who }) => ({ title: `${who} ended a key of a runtime` }),
  'bot-changed': ({ botId, detail }, { who }) => ({
    title:
      detail.hosting === undefined
        ? `${who} made the status of bot ${botId} ${detail.status}`
        : `${who} switched the hosting of bot ${botId} ${detail.hosting}`,
  }),
  'coworker-put': ({ botId, detail }, { who }) => ({
    title: `${who} let user ${detail.coworker} work on bot ${botId}`,
    more: [`As ${detail.role}.`, detail.capabilities].join(' '),
  }),
  'coworker-removed': ({ botId, detail }, { who }) => ({
    title: `${who} removed user ${detail.coworker} from bot ${botId}`,
  }),
  provisioned: ({ detail }, { who }) => ({
    title: `${who} ${detail.outcome} ${provisionedRecord[detail.call ?? ''] ?? 'a record'}`,
    more: detail.members,
  }),
}

function keyBefore(before: string | undefined): string {
  return before === 'ends now' ? 'The key before it stopped working.' : 'The key before it works for 24 hours more.'
}

const linkedAccount: Readonly<Record<string, string>> = {
  'chat-platform': 'a chat-platform account',
  'code-hosting': 'a code-hosting account',
  upstream: 'an account at the sign-in provider',
}

const signInBy: Readonly<Record<string, string>> = {
  password: 'With the password.',
  'sign-up': 'As the account was created.',
  passkey: 'With a passkey.',
  'linked account': 'With a linked account.',
  portal: 'To the developer portal.',
}

/** What the calls of the provisioning API that are about a user or an application make or change. */
const provisionedRecord: Readonly<Record<string, string>> = {
  putUser: 'the account',
  postRecovery: 'a link to get back into the account',
  putApplication: 'the application',
  putCoworker: 'a part in somebody’s bot',
  deleteCoworker: 'a part in somebody’s bot',
}

import type { AuditKind, ShownEvent } from '../../domain/audit/audit-event.ts'
import type { UserId } from '../../domain/ids.ts'
import { activityPerPage } from '../../domain/limits.ts'
import { type Html, html } from '../html.ts'
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
  const { title, more, tone } = words[event.kind](event, namesIn(event, reader))
  return html`${tone === undefined ? title : state({ tone, word: title })}${more && html`<br><span class="soft small">${more}</span>`}`
}

function from({ address, userAgent }: ShownEvent): Html {
  if (address === null) return html`<span class="soft">Not shown</span>`
  return html`<code>${address}</code>${userAgent !== null && html`<br><span class="soft small">${userAgent}</span>`}`
}

interface Names {
  /** Who did it, at the beginning of a sentence. */
  who: string
  application: string
  /** Whose it is that it is about: "your" or "the user’s". */
  whose: string
  /** Whom it is about, in the middle of a sentence. */
  whom: string
}

function namesIn({ actor, userId, applicationName }: ShownEvent, reader: UserId): Names {
  const own = userId === reader
  const application = applicationName ?? 'an application'
  const user = userId === null ? 'A user' : `User ${userId}`
  const who = { user: own ? 'You' : user, client: application, operator: 'The operator', nobody: 'Somebody' }[actor]
  return { who, application, whose: own ? 'your' : `${user.replace('User', 'user')}’s`, whom: own ? 'you' : user }
}

interface Words {
  title: string
  more?: string | undefined
  /** Something to look at; without it the title is plain text. */
  tone?: Tone
}

const words: Record<AuditKind, (event: ShownEvent, names: Names) => Words> = {
  'sign-in': ({ detail }, { who }) => ({ title: `${who} signed in`, more: signInBy[detail.by ?? ''] }),
  'sign-in-failed': () => ({
    title: 'A sign-in failed',
    more: 'The password was wrong. If it was not you, choose one that you use nowhere else.',
    tone: 'warn',
  }),
  'pin-locked': () => ({
    title: 'The PIN was locked for 15 minutes',
    more: 'Five wrong PINs were entered. If it was not you, change your password and your PIN.',
    tone: 'warn',
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
          more: `Its access to ${whose} account ended and must be allowed again. Probably it refreshes from two places without waiting for itself.`,
          tone: 'neutral',
        }
      : {
          title: `A refresh token of ${application} was used again`,
          more: `Its access to ${whose} account ended and must be allowed again. Probably somebody else got hold of the token.`,
          tone: 'bad',
        },
  'code-replay': (_event, { application, whose }) => ({
    title: `${application} used an authorization code again`,
    more: `What the code had given it of ${whose} account ended. The code may have been seen by somebody else.`,
    tone: 'bad',
  }),
  revoke: ({ detail }, { who, application, whose, whom }) => ({
    title: `${who} ended access of ${application}`,
    more:
      detail.token === 'access token'
        ? `One access token for ${whose} account was revoked.`
        : `It is signed out for ${whom}: a refresh token was revoked, with all that came of it.`,
  }),
  'application-registered': (_event, { who, application }) => ({ title: `${who} registered ${application}` }),
  'application-changed': (_event, { who, application }) => ({ title: `${who} changed the settings of ${application}` }),
  'application-deleted': (_event, { who, application }) => ({
    title: `${who} deleted ${application}`,
    more: 'All its tokens ended.',
  }),
  'secret-rotated': (_event, { who, application }) => ({
    title: `${who} rotated the secret of ${application}`,
    more: 'The secret before it stopped working.',
  }),
  provisioned: ({ detail }, { who }) => ({
    title: `${who} ${detail.outcome} ${provisionedRecord[detail.call ?? ''] ?? 'a record'}`,
    more: detail.members,
  }),
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
}

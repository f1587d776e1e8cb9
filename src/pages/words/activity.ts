import type { AuditKind, ShownEvent } from '../../domain/audit/audit.ts'
import { durationInSentence } from '../components/figures.ts'
import { type Html, html, plural, type Text, t, Words } from '../html.ts'
import { type ActivityReader, membersInWords, type Objects, objectsOf } from './activity-objects.ts'
import { capabilityInWords, locationWords, roleWords } from './bots.ts'

interface EventWords {
  title: Text
  more?: Text | undefined
  /** A label of two or three words for events that the user should check. */
  mark?: { tone: 'neutral' | 'warn' | 'bad'; word: Words }
}

/** Describes an event. `reader` has the user to address as “you”, and the origins to which the page can link. */
export function eventWords(event: ShownEvent, reader: ActivityReader): EventWords {
  const words = sentences[event.kind](event, objectsOf(event, reader))
  return words instanceof Words ? { title: words } : words
}

const checkThis = { tone: 'warn', word: t`Needs review` } as const

const sentences: Record<AuditKind, (event: ShownEvent, objects: Objects) => EventWords | Words> = {
  'sign-in': ({ detail }, { who }) => ({ title: t`${who} signed in`, more: signInBy[detail.by ?? ''] }),
  'sign-in-failed': (_event, { inAccount }) => ({
    title: t`A sign-in failed`,
    more: t`The password was wrong. If this wasn’t you, choose a ${inAccount('/password', t`password`)} that you use nowhere else.`,
    mark: checkThis,
  }),
  'pin-locked': ({ detail }, { inAccount }) => ({
    title: t`The ${inAccount('/pin', t`PIN`)} was locked for ${durationInSentence(Number(detail.minutes ?? 15) * 60_000)}`,
    more: t`Too many wrong PINs were entered. If this wasn’t you, change your password and PIN.`,
    mark: checkThis,
  }),
  'pin-changed': (_event, { who, isOwn, owner, inAccount }) =>
    isOwn ? t.in('PIN')`${who} set your ${inAccount('/pin', t`PIN`)}` : t`${who} set ${owner}’s PIN`,
  'password-changed': ({ detail }, { who, isOwn, owner, inAccount }) => ({
    title: isOwn
      ? t.in('password')`${who} set your ${inAccount('/password', t`password`)}`
      : t`${who} set ${owner}’s password`,
    more:
      detail.access === 'removed' ? accessRemoved(detail.programs === 'ended') : t`All other sessions were signed out.`,
  }),
  'email-changed': (_event, { who, isOwn, owner, inAccount }) =>
    isOwn
      ? t`${who} set or verified your ${inAccount('/email', t`email address`)}`
      : t`${who} set or verified ${owner}’s email address`,
  'session-ended': ({ detail: { sessions, ...detail } }, { who, inAccount }) => ({
    title: t`${who} signed out ${inAccount('/sessions', plural(Number(sessions), t`another session`, t`${sessions} other sessions`))}`,
    more: detail.personalTokens === undefined ? undefined : t`All personal access tokens were revoked.`,
  }),
  'passkey-added': (event, objects) => t`${objects.who} added ${passkeyOf(event, objects)}`,
  'passkey-removed': (event, objects) => t`${objects.who} removed ${passkeyOf(event, objects)}`,
  'account-linked': (event, objects) => t`${objects.who} linked ${linkedAccount(event, objects)}`,
  'account-unlinked': (event, objects) => t`${objects.who} unlinked ${linkedAccount(event, objects)}`,
  grant: ({ detail }, { who, application }) => ({
    title: t`${who} granted access to ${application}`,
    more: codes(detail.scopes),
  }),
  'consent-withdrawn': (_event, { who, application }) => ({
    title: t`${who} revoked access for ${application}`,
    more: t`All its tokens for this user were revoked.`,
  }),
  'refresh-reuse': ({ detail }, { application, startingWithApplication, isOwn, owner }) =>
    detail.probably === 'client race'
      ? {
          title: t`${startingWithApplication} used the same refresh token twice at the same time`,
          more: isOwn
            ? t`Its access to your account was revoked. It probably sent two refresh requests in parallel.`
            : t`Its access to ${owner}’s account was revoked. It probably sent two refresh requests in parallel.`,
          mark: { tone: 'neutral', word: t`Probably a client bug` },
        }
      : {
          title: t`A used refresh token for ${application} was presented again`,
          more: isOwn
            ? t`Its access to your account was revoked. The token was probably stolen.`
            : t`Its access to ${owner}’s account was revoked. The token was probably stolen.`,
          mark: { tone: 'bad', word: t`Probably stolen` },
        },
  'code-replay': (_event, { startingWithApplication, isOwn, owner }) => ({
    title: t`${startingWithApplication} used an authorization code again`,
    more: isOwn
      ? t`The access that this code granted to your account was revoked. Someone else may have seen the code.`
      : t`The access that this code granted to ${owner}’s account was revoked. Someone else may have seen the code.`,
    mark: checkThis,
  }),
  revoke: ({ actor, detail }, objects) => {
    const { application, startingWithApplication } = objects
    return {
      title:
        actor === 'client'
          ? t`${startingWithApplication} gave up its access`
          : t`Access for ${application} was revoked`,
      more: revokedToken(detail.token === 'access token', actor !== 'client', objects),
    }
  },
  'application-registered': (_event, { who, application }) => t`${who} registered ${application}`,
  'application-changed': (_event, { who, application }) => t`${who} changed the settings of ${application}`,
  'application-deleted': (_event, { who, application }) => ({
    title: t`${who} deleted ${application}`,
    more: t`All its tokens were revoked.`,
  }),
  'secret-rotated': (_event, { who, application }) => ({
    title: t`${who} rotated the secret of ${application}`,
    more: t`The previous secrets no longer work.`,
  }),
  'secret-added': ({ detail }, { who, application }) =>
    t`${who} created a second secret${secretOf(detail)} for ${application}`,
  'secret-revoked': ({ detail }, { who, application }) => ({
    title: t`${who} revoked one of the two secrets${secretOf(detail)} for ${application}`,
    more: t`It no longer works.`,
  }),
  'flow-created': (_event, { who, flow, bot }) => t`${who} created the flow ${flow} of bot ${bot}`,
  'flow-removed': (_event, { who, flow, bot }) => t`${who} removed the flow ${flow} of bot ${bot}`,
  'flow-changed': ({ detail }, { who, flow, bot }) => ({
    title: t`${who} changed the settings of flow ${flow} of bot ${bot}`,
    more: membersInWords(detail.members),
  }),
  'flow-key-made': ({ detail }, { who, flow, bot }) => ({
    title: t`${who} created a key for flow ${flow} of bot ${bot}`,
    more: keyBefore(detail.before),
  }),
  'flow-key-ended': (_event, { who, flow, bot }) => t`${who} revoked a key for flow ${flow} of bot ${bot}`,
  'personal-token-created': ({ detail }, { who, inAccount }) => ({
    title: t`${who} created the personal access token “${inAccount('/tokens', detail.personalTokenName ?? '')}”`,
    more: codes(detail.scopes),
  }),
  'personal-token-revoked': ({ detail }, { who, inAccount }) =>
    t`${who} revoked the personal access token “${inAccount('/tokens', detail.personalTokenName ?? '')}”`,
  'runtime-made': ({ botId }, { who, runtime, bot }) => ({
    title:
      botId === null
        ? t`${who} added the runtime ${runtime} for bots`
        : t`${who} added the runtime ${runtime} for bot ${bot}`,
    more: botId === null ? t`Its key lets a program run these bots.` : t`Its key lets a program run this bot.`,
  }),
  'runtime-removed': (_event, { who, runtime }) => ({
    title: t`${who} removed the runtime ${runtime}`,
    more: t`Its keys no longer work and its connections were closed.`,
  }),
  'runtime-key-made': ({ detail }, { who, runtime }) => ({
    title: t`${who} created a key for the runtime ${runtime}`,
    more: keyBefore(detail.before),
  }),
  'runtime-key-ended': (_event, { who, runtime }) => t`${who} revoked a key for the runtime ${runtime}`,
  'bot-changed': ({ detail }, { who, bot }) => {
    const { hosting, status } = detail
    if (hosting === undefined) {
      return {
        title:
          status === 'public' ? t`${who} published the status of bot ${bot}` : t`${who} hid the status of bot ${bot}`,
      }
    }
    const [power, location] = hosting.split(', ')
    return {
      title: power === 'on' ? t`${who} turned hosting of bot ${bot} on` : t`${who} turned hosting of bot ${bot} off`,
      more:
        location === 'local' || location === 'cloud'
          ? html`${t`${t`Location`}: ${locationWords[location]}`}`
          : undefined,
    }
  },
  'coworker-put': ({ detail }, { who, coworker, bot }) => ({
    title: t`${who} set user ${coworker}’s permissions on bot ${bot}`,
    more: rights(detail),
  }),
  'coworker-removed': (_event, { who, coworker, bot }) => t`${who} removed user ${coworker} from bot ${bot}`,
  'coworker-invited': ({ detail }, { who, bot }) => ({
    title: t`${who} created an invitation to bot ${bot}`,
    more: rights(detail),
  }),
  'invitation-accepted': (_event, { who, bot }) => t`${who} accepted an invitation to bot ${bot}`,
  'invitation-ended': ({ detail }, { who, bot }) =>
    detail.how === 'declined'
      ? t`${who} declined an invitation to bot ${bot}`
      : t`${who} revoked an invitation to bot ${bot}`,
  'webhook-tested': (event, objects) => ({
    title: t`${objects.who} sent a test webhook to bot ${objects.bot}`,
    more: whichWebhooks(event, objects),
  }),
  'events-replayed': (event, objects) => ({
    title: t`${objects.who} replayed ${eventCount(event.detail.events)} for bot ${objects.bot}`,
    more: whichWebhooks(event, objects),
  }),
  'events-tried-now': (event, objects) => ({
    title: t`${objects.who} requested immediate delivery of ${eventCount(event.detail.events)} for bot ${objects.bot}`,
    more: whichWebhooks(event, objects),
  }),
  'events-discarded': (event, objects) => ({
    title: t`${objects.who} discarded ${eventCount(event.detail.events)} for bot ${objects.bot}`,
    more: whichWebhooks(event, objects),
  }),
  provisioned: ({ detail }, objects) => {
    const record = provisionedRecord[detail.call ?? '']?.(objects) ?? t`a record`
    const outcome = detail.outcome ?? ''
    return {
      title: t`${objects.who} ${outcomes[outcome] ?? outcome} ${record}`,
      more: membersInWords(detail.members),
    }
  },
  'subscription-created': (_event, { who, subscription }) =>
    t`${who} created the event subscription of ${subscription}`,
  'subscription-changed': (_event, { who, subscription }) =>
    t`${who} changed the event subscription of ${subscription}`,
  'subscription-secret-rotated': (_event, { who, subscription }) => ({
    title: t`${who} rotated the signing secret of the event subscription of ${subscription}`,
    more: t`The previous secret also signs for 24 hours.`,
  }),
  'subscription-removed': (_event, { who, subscription }) =>
    t`${who} removed the event subscription of ${subscription}`,
  'operator-key-rejected': ({ detail }) =>
    plural(Number(detail.attempts), t`Wrong operator key`, t`${detail.attempts} wrong operator keys`),
}

function revokedToken(isAccessToken: boolean, byHolder: boolean, { isOwn, owner }: Objects): Words {
  if (isAccessToken && byHolder) {
    return isOwn
      ? t`The holder of an access token for your account revoked it.`
      : t`The holder of an access token for ${owner}’s account revoked it.`
  }
  if (isAccessToken) {
    return isOwn
      ? t`An access token for your account was revoked.`
      : t`An access token for ${owner}’s account was revoked.`
  }
  if (byHolder) {
    return isOwn
      ? t`The holder of a refresh token for your account revoked it and all tokens issued from it.`
      : t`The holder of a refresh token for ${owner}’s account revoked it and all tokens issued from it.`
  }
  return isOwn
    ? t`A refresh token for your account and all tokens issued from it were revoked.`
    : t`A refresh token for ${owner}’s account and all tokens issued from it were revoked.`
}

function eventCount(events: string | undefined): Words {
  return plural(Number(events), t`a webhook`, t`${events} webhooks`)
}

function keyBefore(before: string | undefined): Words {
  return before === 'ends now' ? t`The previous key was revoked.` : t`The previous key works for another 24 hours.`
}

/** Returns names of scopes, which are the same in every language. */
function codes(names: string | undefined): Html | undefined {
  return names === undefined || names === '' ? undefined : html`<code>${names}</code>`
}

/** Returns a space and the secret's label or last characters. Events of earlier releases have neither. */
function secretOf({ label, lastFour }: ShownEvent['detail']): Words | undefined {
  const name = label ?? (lastFour && `••••${lastFour}`)
  return name ? t` “${name}”` : undefined
}

function passkeyOf({ detail }: ShownEvent, { inAccount }: Objects): Html {
  return inAccount('/passkeys', detail.name ? t`the passkey “${detail.name}”` : t`a passkey`)
}

function linkedAccount({ detail }: ShownEvent, { inAccount }: Objects): Html {
  const account = linkedAccounts[detail.provider ?? ''] ?? t`an account`
  return inAccount('/linked', detail.name ? t`${account} (${detail.name})` : account)
}

const linkedAccounts: Readonly<Record<string, Words>> = {
  'chat-platform': t`a chat-platform account`,
  'code-hosting': t`a code-hosting account`,
  upstream: t`an account at the sign-in provider`,
}

function rights({ role, capabilities = '' }: ShownEvent['detail']): Html {
  const name = role === 'editor' || role === 'viewer' ? roleWords[role].name : role
  const extra = capabilities.split(' ').filter((one) => one !== '')
  const listed = extra.map((one, at) => html`${at > 0 && '; '}${capabilityInWords(one)}`)
  const more = extra.length > 0 && html` ${t`${t`Extra permissions`}: ${html`${listed}`}`}.`
  return html`${t`${t`Role`}: ${name}`}.${more}`
}

/** Returns the webhook that the event is about, and the flow if the event names it. */
function whichWebhooks({ detail }: ShownEvent, { webhook, flow }: Objects): Html | undefined {
  const ofFlow = detail.flow === undefined ? undefined : html`Flow ${flow}`
  if (webhook === undefined) return ofFlow
  return ofFlow === undefined ? webhook : html`${ofFlow}, ${webhook}`
}

const signInBy: Readonly<Record<string, Words>> = {
  password: t`With the password.`,
  'sign-up': t`When the account was created.`,
  passkey: t`With a passkey.`,
  'linked account': t`With a linked account.`,
  portal: t`In the developer portal.`,
}

const outcomes: Readonly<Record<string, Words>> = {
  created: t.in('by the operator')`created`,
  changed: t.in('by the operator')`changed`,
  removed: t.in('by the operator')`removed`,
  exported: t.in('by the operator')`exported`,
  disabled: t.in('by the operator')`disabled`,
  enabled: t.in('by the operator')`enabled`,
  ended: t.in('by the operator')`ended`,
  revoked: t.in('by the operator')`revoked`,
}

/** The change that a call makes, by operation ID. Calls that concern neither users nor applications are on no activity page. */
const provisionedRecord: Readonly<Record<string, (objects: Objects) => Text>> = {
  putUser: account,
  deleteUser: account,
  disableUser: account,
  enableUser: account,
  postRecovery: ({ inAccount }) => inAccount('', t`an account recovery link`),
  endUserSessions: ({ inAccount }) => inAccount('/sessions', t`the account’s sessions`),
  revokeUserTokens: ({ inAccount }) => inAccount('/applications', t`the account’s tokens`),
  exportUser: ({ inAccount }) => inAccount('', t`the account’s data`),
  putApplication: application,
  deleteApplication: application,
  disableApplication: application,
  enableApplication: application,
  revokeApplicationTokens: ({ application }) => t`the tokens of ${application}`,
  putCoworker: access,
  deleteCoworker: access,
}

function account({ inAccount }: Objects): Html {
  return inAccount('', t`the account`)
}

function application({ application }: Objects): Words {
  return t`the application ${application}`
}

function access({ isOwn, owner, bot }: Objects): Words {
  return isOwn ? t`your access to bot ${bot}` : t`${owner}’s access to bot ${bot}`
}

function accessRemoved(programs: boolean): Words {
  return programs
    ? t`Passkeys, linked accounts, PIN, sessions and application access were removed. So were runtimes, subscriptions and client secrets.`
    : t`Passkeys, linked accounts, PIN, sessions and application access were removed.`
}

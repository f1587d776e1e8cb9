import type { Language } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { ChatEvent, ChatFormat, ChatMessages } from '../../domain/subscriptions/chat-messages.ts'
import type { EventType, testType } from '../../domain/subscriptions/outgoing-event.ts'
import type { DeadReason } from '../../domain/webhooks/retry.ts'
import { durationInSentence } from '../../pages/components/figures.ts'
import { plural, t, type Words } from '../../pages/html.ts'

/** Renders a name for its place: no name may mention anyone, link, or change the format of a message. */
type Rendering = (name: string) => string

/** Writes messages for incoming webhooks of Discord and Slack: a line for each event, in the subscription's language. */
export const chatMessages: ChatMessages = {
  write: (format, language, events) => Buffer.from(JSON.stringify(bodies[format](language, events))),
  example: (language, types) =>
    messageOf(
      types.map((type) => ({ type, data: examples[type] })),
      language,
      (name) => name,
    ),
}

const bodies: Record<ChatFormat, (language: Language, events: readonly ChatEvent[]) => object> = {
  discord: (language, events) => ({
    content: messageOf(events, language, (name) => `**${escapedForDiscord(name)}**`),
    allowed_mentions: { parse: [] },
  }),
  slack: (language, events) => ({ text: messageOf(events, language, escapedForSlack) }),
}

/** Discord's Markdown: a backslash before a punctuation character takes its meaning, also in mentions and URLs. */
function escapedForDiscord(name: string): string {
  return name.replace(/[\\*_~`|<>@#:[\]()]/g, '\\$&')
}

/** Slack's links and mentions can't be escaped: zero-width spaces separate what would have a meaning. */
function escapedForSlack(name: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
  return name.replace(/[.:/@#*_~`]/g, '$&\u200b').replace(/[&<>]/g, (character) => entities[character] as string)
}

/** Returns a line for each event. Equal lines are merged; lines that don't fit are only counted. */
function messageOf(events: readonly ChatEvent[], language: Language, rendered: Rendering): string {
  const counts = new Map<string, number>()
  for (const event of events) {
    const line = lineOf(event, rendered)
      .map((sentence) => sentence.in(language))
      .join(' ')
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  const lines: string[] = []
  let [characters, omitted] = [0, 0]
  for (const [line, count] of counts) {
    const counted = count === 1 ? line : `${line} (${count}×)`
    characters += counted.length + 1
    if (characters <= limits.chatMessageMaxCharacters) lines.push(counted)
    else omitted += count
  }
  if (omitted > 0)
    lines.push(String(plural(omitted, t`… and 1 more event.`, t`… and ${omitted} more events.`).in(language)))
  return lines.join('\n')
}

function lineOf({ type, data }: ChatEvent, rendered: Rendering): readonly Words[] {
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : '')
  const line = Object.hasOwn(lines, type) ? lines[type as keyof typeof lines] : undefined
  if (line === undefined) return [t`ℹ️ Event ${rendered(type)}`]
  return [line({ subject: rendered(text('botName') || text('applicationName')), data, text })].flat()
}

interface Told {
  /** Name of the bot or application. */
  subject: string
  data: ChatEvent['data']
  text(name: string): string
}

const lines: Record<EventType | typeof testType, (told: Told) => Words | readonly Words[]> = {
  'bot.offline': ({ subject, text }) => {
    if (text('state') === 'hosting-off') return t`🔴 ${subject} is offline: its hosting was switched off.`
    if (text('state') === 'connecting') return t`🔴 ${subject} is offline: it is connecting to the chat platform.`
    const at = text('lastHeartbeatAt').slice(0, 16).replace('T', ' ')
    return at === '' ? t`🔴 ${subject} is offline.` : t`🔴 ${subject} is offline. Last heartbeat: ${at} UTC.`
  },
  'bot.online': ({ subject, data: { offlineForMs } }) =>
    typeof offlineForMs === 'number'
      ? t`🟢 ${subject} is online again after ${durationInSentence(offlineForMs)}.`
      : t`🟢 ${subject} is online.`,
  'delivery.dead': ({ subject, data }) => {
    const count = Number(data.count)
    const told = plural(
      count,
      t`❌ ${subject}: ${count} webhook could not be delivered.`,
      t`❌ ${subject}: ${count} webhooks could not be delivered.`,
    )
    return [told, ...causesOf(data.causes)]
  },
  'queue.nearly_full': ({ subject, data }) => {
    const shareOf = (used: string, most: string) => Math.floor((100 * Number(data[used])) / Number(data[most]))
    const percent = Math.max(shareOf('events', 'maxEvents'), shareOf('bytes', 'maxBytes'))
    return t`⚠️ ${subject}: the queue of webhooks is ${percent} % full.`
  },
  'refresh_token.reused': ({ subject, text }) =>
    text('probableCause') === 'client_race'
      ? t`🔑 ${subject}: a refresh token was used twice, probably by two requests at once. The authorization has ended.`
      : t`🔑 ${subject}: a refresh token was used twice, and may be stolen. The authorization has ended.`,
  'client_secret.revoked': ({ subject, text }) =>
    t`🔑 ${subject}: the client secret ••••${text('lastFour')} was revoked.`,
  'authorization.revoked': ({ subject }) => t`👤 ${subject}: a user revoked the application’s access.`,
  'subscription.test': () => t`✅ Test: messages about your bots and applications arrive here.`,
}

const causes: Record<DeadReason, (count: number) => Words> = {
  'attempts-spent': (count) => t`All attempts failed: ${count}.`,
  expired: (count) => t`Expired: ${count}.`,
  'refused-by-runtime': (count) => t`Refused by the runtime: ${count}.`,
}

function causesOf(counts: unknown): readonly Words[] {
  return Object.entries((counts ?? {}) as Record<string, number>).flatMap(([cause, count]) =>
    Object.hasOwn(causes, cause) ? causes[cause as DeadReason](count) : [],
  )
}

const bot = { botId: 'lantern', botName: 'Lantern' }
const application = { applicationId: 'atlas', applicationName: 'Atlas' }

const examples: Record<EventType, ChatEvent['data']> = {
  'bot.offline': { ...bot, state: 'offline', lastHeartbeatAt: '2026-01-05T11:58:27.000Z' },
  'bot.online': { ...bot, state: 'online', offlineForMs: 754_000 },
  'delivery.dead': { ...bot, count: 12, causes: { 'attempts-spent': 10, expired: 2 } },
  'queue.nearly_full': { ...bot, events: 83_000, maxEvents: 100_000, bytes: 41_500_000, maxBytes: 268_435_456 },
  'refresh_token.reused': { ...application, probableCause: 'theft' },
  'client_secret.revoked': { ...application, lastFour: 'x7Qe' },
  'authorization.revoked': application,
}

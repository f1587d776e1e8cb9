import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import { state, type Tone } from '../../../pages/components/notice.ts'
import { type Html, plural, type Text, t, type Words } from '../../../pages/html.ts'

type OwnState = BotState | 'not-connected-yet'

/** A bot's states as its owner and collaborators see them, each with an explanation. */
const ownStateWords: Readonly<Record<OwnState, { word: Words; meaning: Words }>> = {
  online: {
    word: t`Online`,
    meaning: t`Connected to the chat platform.`,
  },
  connecting: {
    word: t`Connecting`,
    meaning: t`The runtime sends heartbeats, but the connection to the chat platform isn’t ready yet.`,
  },
  offline: {
    word: t`Offline`,
    meaning: t`Hosting is on, but no heartbeat arrived in the last 90 seconds. Check that the runtime is running.`,
  },
  'not-connected-yet': {
    word: t`Not connected yet`,
    meaning: t`Hosting is on.`,
  },
  'hosting-off': {
    word: t`Hosting off`,
    meaning: t`The bot isn’t running. New webhooks are kept for 24 hours.`,
  },
}

const tones: Record<OwnState, Tone> = {
  online: 'good',
  connecting: 'warn',
  offline: 'bad',
  'not-connected-yet': 'neutral',
  'hosting-off': 'neutral',
}

/**
 * Returns the bot's state as a label, and what it means. A bot that never connected isn't shown as an outage.
 *
 * @param reportedAtMs when the last heartbeat was received. `null` if the bot never had one.
 */
export function ownState(is: BotState, reportedAtMs: number | null): { label: Html; meaning: Words } {
  const shown = is === 'offline' && reportedAtMs === null ? 'not-connected-yet' : is
  const { word, meaning } = ownStateWords[shown]
  return { label: state({ tone: tones[shown], word }), meaning }
}

/** Text for a bot's overview page. */
export const botOverviewWords = {
  state: t.in('state of a bot')`State`,
  heartbeat: (when: Text): Words => t`Last heartbeat ${when}.`,
  noHeartbeat: t`No heartbeat yet.`,
  turnOn: t`Turn hosting on`,
  turnOff: t`Turn hosting off`,
  details: t`Details`,
  detailsAbout: (settings: string): Words =>
    t.html`Servers and shards are as of the last heartbeat. Location and status page are in the <a href="${settings}">settings</a>.`,
  servers: t`Servers`,
  shards: t`Shards`,
  location: t`Hosting location`,
  statusPage: t`Status page`,
  openStatusPage: t`Open status page`,
  notPublic: t`Not public`,
  plan: t`Plan`,
  botId: t`Bot ID`,
  chatPlatformId: t`Chat-platform ID`,
}

/** Text for the steps up to a bot's first heartbeat. */
export const setupWords = {
  title: t`Set up this bot`,
  progress: (done: number, all: number): Words => t`${done} of ${all} done`,
  done: t`Done`,
  runtime: t`Add a runtime`,
  runtimeHow: t`A runtime is the program that processes your bot’s webhooks. You get a key for it and a command to start it.`,
  ownerOnly: t`Only the bot’s owner can do this.`,
  hosting: t`Turn hosting on`,
  hostingHow: t`Until then, no runtime can host the bot or receive its webhooks.`,
  webhook: t`Send the first webhook`,
  webhookHow: t`Each flow shows its URL and a command to try it. Webhooks wait for the runtime for up to 24 hours.`,
  heartbeat: t`Start your runtime`,
  heartbeatHow: t`Its first heartbeat appears here within 30 seconds.`,
}

/** Text for the figures on a bot's overview. */
export const figureWords = {
  received: t`Webhooks, last 24 hours`,
  unfinished: (count: Words): Words => t`${count} not delivered yet`,
  noneUnfinished: t`None waiting`,
  failed: t`Failed attempts, last 24 hours`,
  deadLetters: (count: Words, number: number): Words =>
    plural(number, t`${count} dead letter`, t`${count} dead letters`),
  lastError: t`Last error`,
  noError: t.in('error')`None`,
  runtime: t`Runtime`,
  connected: t`Connected`,
  notConnected: t`Not connected`,
  neverConnected: t`Never connected`,
  lastHeartbeat: (when: Text): Words => t`Last heartbeat ${when}`,
  since: (when: Text): Words => t`connected ${when}`,
  lastSeen: (when: Text): Words => t`last connected ${when}`,
  andMore: (name: string, others: Words): Words => t`${name} and ${others} more`,
  byPlatform: t`Operated by the platform`,
}

/** Text for the user's list of bots. */
export const botListWords = {
  caption: t`Your bots and those you collaborate on`,
  bot: t`Bot`,
  state: t.in('state of a bot')`State`,
  location: t`Location`,
  lastHeartbeat: t`Last heartbeat`,
  none: {
    title: t`No bots yet`,
    steps: t.html`<p>You create bots on the platform. They then appear here with their state, webhooks and logs.</p>
<ol>
<li>Sign in to the platform with this account and create a bot. An administrator can also create one for you. They need your user ID from <a href="/account">your account page</a>.</li>
<li>To work on someone else’s bot, ask its owner to add you as a collaborator.</li>
<li>Open the bot here, turn hosting on, and connect a runtime.</li>
</ol>`,
  },
  more: t.html`You create bots on the platform, and they appear here. <a href="/account">Your account</a> shows your user ID.`,
  waiting: t`Undelivered`,
  dead: t`Dead letters, 24 h`,
  searchField: t`Name or ID`,
  sorts: {
    oldest: t`Oldest first`,
    name: t`Name`,
    attention: t`Needs attention first`,
  },
}

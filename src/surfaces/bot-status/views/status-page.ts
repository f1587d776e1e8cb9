import type { HostingLocation } from '../../../domain/bots/bot.ts'
import type { BotState } from '../../../domain/bots/bot-status.ts'
import type { Presence } from '../../../domain/bots/gateway-snapshot.ts'
import type { PublicBot } from '../../../domain/bots/status-board.ts'
import { card } from '../../../http/components/card.ts'
import { state, type Tone } from '../../../http/components/notice.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import { durationInWords } from './duration-in-words.ts'

const states: Record<BotState, { tone: Tone; word: string; meaning: string }> = {
  online: { tone: 'good', word: 'Online', meaning: 'The bot is connected to the chat platform.' },
  connecting: {
    tone: 'warn',
    word: 'Connecting',
    meaning: 'The bot is running, and its connection to the chat platform is not ready yet.',
  },
  offline: {
    tone: 'bad',
    word: 'Offline',
    meaning: 'Hosting is on, but nothing runs the bot: its runtime left, or no heartbeat came in the last 90 seconds.',
  },
  'hosting-off': { tone: 'neutral', word: 'Hosting off', meaning: 'The bot’s owner has powered its hosting off.' },
}

const presences: Record<Presence, string> = {
  online: 'Online',
  idle: 'Idle',
  dnd: 'Do not disturb',
  invisible: 'Invisible',
}

const hostingLocations: Record<HostingLocation, string> = { local: 'Local', cloud: 'Cloud' }

/** @param apiPath address of the same as JSON. */
export function statusPage({ status, state: is }: PublicBot, nowMs: number, apiPath: string): Html {
  const { tone, word, meaning } = states[is]
  const { presence, uptimeMs, guildCount, shardCount, hostingLocation, reportedAt } = status
  return page({
    title: `${status.name}: ${word.toLowerCase()}`,
    place: identityPlace,
    body: html`<div class="title"><h1>${status.name}</h1>${state({ tone, word })}</div>
<p>${meaning}</p>
${card({
  body: html`<dl>
<dt>Presence</dt><dd>${presence === null ? unknown : presences[presence]}</dd>
<dt>Uptime</dt><dd>${uptimeMs === null ? unknown : durationInWords(uptimeMs)}</dd>
<dt>Servers</dt><dd>${guildCount === null ? unknown : inGroups(guildCount)}</dd>
<dt>Shards</dt><dd>${shardCount === null ? unknown : inGroups(shardCount)}</dd>
<dt>Hosting</dt><dd>${hostingLocation === null ? 'No location given' : hostingLocations[hostingLocation]}</dd>
<dt>Last heartbeat</dt><dd>${reportedAt === null ? 'Never' : time(reportedAt, nowMs)}</dd>
<dt>Chat-platform id</dt><dd><code>${status.chatPlatformId}</code></dd>
</dl>`,
})}
<p class="soft small">Checked ${time(nowMs, nowMs)}. Programs read the same <a href="${apiPath}">as JSON</a>.</p>`,
  })
}

const unknown = html`<span class="soft">Not known</span>`

function inGroups(count: number): string {
  return count.toLocaleString('en-GB')
}

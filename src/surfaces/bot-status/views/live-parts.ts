import type { HostingLocation } from '../../../domain/bots/bot.ts'
import type { Presence } from '../../../domain/bots/gateway-snapshot.ts'
import type { PublicBot } from '../../../domain/bots/status-board.ts'
import type { BotHistory } from '../../../domain/bots/status-history.ts'
import { notice, state } from '../../../http/components/notice.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html, words } from '../../../http/html.ts'
import { durationWords } from '../../../http/words/durations.ts'
import { historyPart } from './history-part.ts'
import { statesInWords } from './state-in-words.ts'

/** What a status page shows. */
export interface StatusView {
  bot: PublicBot
  history: BotHistory
  nowMs: number
}

/** The parts of the page that change while it is open. The script finds them by these names. */
export interface LiveParts {
  state: Html
  notice: Html
  facts: Html
  history: Html
}

export function liveParts(view: StatusView): LiveParts {
  const { bot, history } = view
  return { state: statePart(bot), notice: noticePart(view), facts: factsPart(view), history: historyPart(history) }
}

function statePart({ state: is }: PublicBot): Html {
  const { tone, word, meaning } = statesInWords[is]
  return html`${state({ tone, word })}<span class="meaning">${meaning}</span>`
}

function noticePart({ bot, nowMs }: StatusView): Html {
  if (bot.notice === undefined) return html``
  const { text, setAtMs } = bot.notice
  const body = html`<p>${text}</p><p class="soft small">Set ${time(setAtMs, nowMs)}</p>`
  return notice({ tone: 'neutral', title: 'From the bot’s owner', body })
}

const presences: Record<Presence, string> = {
  online: 'Online',
  idle: 'Idle',
  dnd: 'Do not disturb',
  invisible: 'Invisible',
}

const hostingLocations: Record<HostingLocation, string> = { local: 'Local', cloud: 'Cloud' }

function factsPart({ bot: { status }, nowMs }: StatusView): Html {
  const { presence, uptimeMs, guildCount, shardCount, hostingLocation, reportedAt } = status
  return html`<dl>
<dt>Presence</dt><dd>${presence === null ? unknown : presences[presence]}</dd>
<dt>Uptime</dt><dd>${uptimeMs === null ? unknown : words(durationWords(uptimeMs))}</dd>
<dt>Servers</dt><dd>${guildCount === null ? unknown : inGroups(guildCount)}</dd>
<dt>Shards</dt><dd>${shardCount === null ? unknown : inGroups(shardCount)}</dd>
<dt>Hosting</dt><dd>${hostingLocation === null ? 'No location given' : hostingLocations[hostingLocation]}</dd>
<dt>Last heartbeat</dt><dd>${reportedAt === null ? 'Never' : time(reportedAt, nowMs)}</dd>
<dt>Chat-platform id</dt><dd><code>${status.chatPlatformId}</code></dd>
</dl>`
}

const unknown = html`<span class="soft">Not known</span>`

function inGroups(count: number): string {
  return count.toLocaleString('en-GB')
}

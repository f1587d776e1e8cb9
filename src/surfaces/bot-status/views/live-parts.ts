import type { PublicBot } from '../../../domain/bots/status/status-board.ts'
import type { BotHistory } from '../../../domain/bots/status/status-history.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, words } from '../../../pages/html.ts'
import { durationWords } from '../../../pages/words/durations.ts'
import { countWords } from '../../../pages/words/figures.ts'
import { botStatusWords } from '../words.ts'
import { historyPart } from './history-part.ts'
import { statesInWords } from './state-in-words.ts'

export interface StatusView {
  bot: PublicBot
  history: BotHistory
  nowMs: number
}

/** The parts of the page that are updated while it is open. The script finds them by these names. */
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
  const body = html`<p>${text}</p><p class="soft small">${botStatusWords.notice.set(time(setAtMs, nowMs))}</p>`
  return notice({ tone: 'neutral', title: botStatusWords.notice.title, body })
}

const { facts } = botStatusWords

function factsPart({ bot: { status }, nowMs }: StatusView): Html {
  const { presence, uptimeMs, guildCount, shardCount, hostingLocation, reportedAt } = status
  return html`<dl>
<dt>${facts.presence}</dt><dd>${presence === null ? unknown : facts.presences[presence]}</dd>
<dt>${facts.uptime}</dt><dd>${uptimeMs === null ? unknown : words(durationWords(uptimeMs))}</dd>
<dt>${facts.servers}</dt><dd>${guildCount === null ? unknown : countWords(guildCount)}</dd>
<dt>${facts.shards}</dt><dd>${shardCount === null ? unknown : countWords(shardCount)}</dd>
<dt>${facts.hosting}</dt><dd>${hostingLocation === null ? facts.noLocation : facts.locations[hostingLocation]}</dd>
<dt>${facts.lastHeartbeat}</dt><dd>${reportedAt === null ? facts.never : time(reportedAt, nowMs)}</dd>
<dt>${facts.chatPlatformId}</dt><dd><code>${status.chatPlatformId}</code></dd>
</dl>`
}

const unknown = html`<span class="soft">${facts.notKnown}</span>`

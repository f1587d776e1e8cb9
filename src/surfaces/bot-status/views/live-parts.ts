import type { Incident } from '../../../domain/bots/status/incidents.ts'
import { isFresh } from '../../../domain/bots/status/snapshots.ts'
import type { PublicBot } from '../../../domain/bots/status/status-board.ts'
import type { BotHistory } from '../../../domain/bots/status/status-history.ts'
import { countWords, durationWords, time } from '../../../pages/components/figures.ts'
import { notice, state, tag } from '../../../pages/components/notice.ts'
import { type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import { botStatusWords, incidentWords, stateWords } from '../words.ts'
import { historyPart } from './history-part.ts'

export interface StatusView {
  bot: PublicBot
  history: BotHistory
  incidents: readonly Incident[]
  nowMs: number
}

export type LiveParts = ReturnType<typeof liveParts>

/** Renders the parts of the page that are updated while it is open. The script finds them by these names. */
export function liveParts(view: StatusView) {
  return {
    state: statePart(view),
    notice: noticePart(view),
    facts: factsPart(view),
    incidents: incidentsPart(view),
    history: historyPart(view.history),
  }
}

function statePart({ bot, incidents, nowMs }: StatusView): Html {
  const { tone, word, meaning } = stateWords[bot.state]
  const latest = bot.state === 'offline' ? incidents[0] : undefined
  const since = latest?.endedAtMs === null && incidentWords.downFor(latest, nowMs)
  return html`${state({ tone, word })}<span class="meaning">${meaning} ${since}</span>`
}

function noticePart({ bot, nowMs }: StatusView): Html {
  if (bot.notice === undefined) return html``
  const { text, setAtMs } = bot.notice
  const body = html`<p>${text}</p><p class="soft small">${t`Published ${time(setAtMs, nowMs)}`}</p>`
  return notice({ tone: 'neutral', title: t`Notice from the owner`, body })
}

const { facts } = botStatusWords

/** Renders the values from the last heartbeat, even if it is too old for the status record. */
function factsPart({ bot: { status, lastReport }, nowMs }: StatusView): Html {
  const { presence = null, guildCount = null, shardCount = null } = lastReport ?? {}
  const uptimeMs = lastReport?.ready === true ? lastReport.uptimeMs : null
  const isCurrent = lastReport === undefined || isFresh(lastReport, nowMs)
  const { hostingLocation, reportedAt } = status
  const fact = (name: Words, value: Text) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  return html`<h2>${isCurrent ? t`Current values` : t`Last known values`}</h2>
<dl class="values${!isCurrent && ' past'}">${fact(t`Presence`, presence === null ? unknown : facts.presences[presence])}
${fact(t`Uptime`, uptimeMs === null ? unknown : durationWords(uptimeMs))}
${fact(t`Servers`, guildCount === null ? unknown : countWords(guildCount))}
${fact(t`Shards`, shardCount === null ? unknown : countWords(shardCount))}
${fact(t`Hosting`, hostingLocation === null ? t`Not set` : facts.locations[hostingLocation])}
${fact(t`Last heartbeat`, reportedAt === null ? t`Never` : time(reportedAt, nowMs))}
${fact(t`Chat-platform ID`, html`<code>${status.chatPlatformId}</code>`)}</dl>`
}

const unknown = html`<span class="soft">${t`Unknown`}</span>`

/** Maximum number of incidents shown at first, and with the collapsed section open. */
const shownFirst = 5
const shownMax = 40

function incidentsPart({ incidents, nowMs }: StatusView): Html {
  const earlier = incidents.slice(shownFirst, shownMax)
  return html`<h2>${t`Incidents`}</h2>
${incidents.length === 0 ? html`<p class="soft">${t`No incidents recorded in the last 90 days.`}</p>` : list(incidents.slice(0, shownFirst), nowMs)}
${earlier.length > 0 && html`<details class="reveal" data-name="incidents"><summary class="small">${t`Earlier incidents`}</summary>${list(earlier, nowMs)}</details>`}`
}

function list(incidents: readonly Incident[], nowMs: number): Html {
  return html`<ol class="incidents">${incidents.map((incident) => {
    const isOngoing = incident.endedAtMs === null
    const length = state({ tone: isOngoing ? 'bad' : 'neutral', word: incidentWords.length(incident, nowMs) })
    return html`<li>${length}${isOngoing && tag(t`Ongoing`)}<time datetime="${new Date(incident.beganAtMs).toISOString()}">${incidentWords.period(incident)}</time></li>`
  })}</ol>`
}

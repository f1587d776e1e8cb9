import { isFresh } from '../../../domain/bots/status/snapshots.ts'
import type { Incident, PublicBot } from '../../../domain/bots/status/status-board.ts'
import type { BotHistory } from '../../../domain/bots/status/status-history.ts'
import {
  nothingKnown,
  plus,
  type StatusFigures,
  type StatusSpan,
  uptimeShare,
} from '../../../domain/bots/status/status-span.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { notice, state, table, tag } from '../../../pages/components/elements.ts'
import {
  countWords,
  durationInSentence,
  durationWords,
  monthWords,
  time,
  uptimeWords,
} from '../../../pages/components/figures.ts'
import { statusStrip, stripLegend } from '../../../pages/components/status-strip.ts'
import { type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import { locationWords } from '../../../pages/words/bots.ts'
import { barWords, incidentWords, periodWords, presenceWords, stateWords } from '../words.ts'

/** Time span of each bar in the 24-hour strip. The resulting 96 bars are still legible on a phone. */
const barMs = 15 * 60_000
const barsShown = 96

/** Renders the last 24 hours as a strip and the last 90 days as a calendar, each with its uptime and its downtimes. */
function historyPart({ slots, days }: BotHistory): Html {
  const [from, to] = [t`24 hours ago`, t.in('axis')`Now`]
  return html`${periodSection({
    name: 'day',
    title: t`Last 24 hours`,
    spans: barsOfDay(slots),
    when: periodWords.quarter,
    chart: (title, words, slots) => html`${statusStrip({ title, slots, words, from, to })}${stripLegend}`,
  })}
${periodSection({
  name: 'days',
  title: t`Last 90 days`,
  spans: days,
  when: periodWords.days,
  chart: (title, said, days) => html`${calendar(title, days, said)}${calendarLegend}`,
})}
<p class="soft small">${t`Time without data or with hosting off isn’t counted. All times are UTC.`}</p>`
}

interface Period {
  /** Name of the section, by which the script keeps it open after an update. */
  name: 'day' | 'days'
  title: Words
  spans: readonly StatusSpan[]
  when: (span: StatusSpan) => Words
  chart: (title: Words, said: (span: StatusSpan) => Words, spans: readonly StatusSpan[]) => Html
}

function periodSection({ name, title, spans, when, chart }: Period): Html {
  const inTable = t`${title}: downtime and times with hosting off`
  const figure = uptimeWords(uptimeShare(spans))
  const length = (ms: number) => (ms === 0 ? '–' : durationInSentence(ms))
  const notOnline = mergeAdjacent(spans.filter(({ downMs, hostingOffMs }) => downMs > 0 || hostingOffMs > 0))
  return html`<section class="stretch" aria-label="${title}"><div class="head"><h2>${title}</h2><p>${figure}</p></div>
${chart(t`${title}: ${figure}`, (span) => t`${when(span)}: ${barWords(span)}`, spans)}
${
  notOnline.length > 0 &&
  html`<details class="reveal" data-name="${name}"><summary class="small">${inTable}</summary>${table({
    caption: inTable,
    columns: [
      { title: t`Period`, cell: when },
      { title: t`Online`, cell: ({ upMs }) => length(upMs) },
      { title: t`Downtime`, cell: ({ downMs }) => length(downMs) },
      { title: t`Hosting off`, cell: ({ hostingOffMs }) => length(hostingOffMs) },
    ],
    rows: notOnline.reverse(),
  })}</details>`
}</section>`
}

/** Groups slots by quarter-hour. The last group is still in progress. */
function barsOfDay(slots: readonly StatusSpan[]): StatusSpan[] {
  const quarters = Map.groupBy(slots, ({ startMs }) => Math.floor(startMs / barMs) * barMs)
  return [...quarters].slice(-barsShown).map(([startMs, inside]) => ({
    ...inside.reduce<StatusFigures>((sum, slot) => plus(sum, slot), nothingKnown()),
    startMs,
    endMs: startMs + barMs,
  }))
}

function mergeAdjacent(spans: readonly StatusSpan[]): StatusSpan[] {
  const rows: StatusSpan[] = []
  for (const span of spans) {
    const last = rows.at(-1)
    if (last?.endMs !== span.startMs) rows.push(span)
    else rows.splice(-1, 1, { ...plus(last, span), startMs: last.startMs, endMs: span.endMs })
  }
  return rows
}

/** A day with less downtime than this is marked as brief, so that a restart doesn't look like an outage. */
const briefMs = 15 * 60_000

type DayKind = 'up' | 'brief' | 'down' | 'off' | 'unknown'

/** Returns the day's kind. Kinds differ by more than colour in the calendar. */
function kindOf({ upMs, downMs, hostingOffMs }: StatusFigures): DayKind {
  if (downMs > 0) return downMs < briefMs ? 'brief' : 'down'
  if (upMs > 0) return 'up'
  return hostingOffMs > 0 ? 'off' : 'unknown'
}

/** Renders days (UTC) as a calendar per month, oldest first. `said` is shown on hover, and read if not online. */
function calendar(title: Text, days: readonly StatusSpan[], said: (day: StatusSpan) => Words): Html {
  const months = Map.groupBy(days, ({ startMs }) => new Date(startMs).toISOString().slice(0, 7))
  return html`<div class="months" role="group" aria-label="${title}">${[...months.values()].map(
    (inside) =>
      html`<table class="month"><caption>${monthWords(inside[0]?.startMs ?? 0)}</caption><tbody>${weeksOf(inside).map(
        (week) => html`<tr>${week.map((day) => (day === undefined ? html`<td></td>` : cell(day, said(day))))}</tr>`,
      )}</tbody></table>`,
  )}</div>`
}

function cell(day: StatusSpan, said: Words): Html {
  const kind = kindOf(day)
  return html`<td class="${kind}" title="${said}">${new Date(day.startMs).getUTCDate()}${kind !== 'up' && html`<span class="hidden-visually"> ${said}</span>`}</td>`
}

/** Groups the days by week, from Monday to Sunday. The first week is padded at the start. */
function weeksOf(days: readonly StatusSpan[]): (StatusSpan | undefined)[][] {
  // The epoch began on a Thursday.
  const sinceMonday = ({ startMs }: StatusSpan) => startMs / limits.statusDayMs + 3
  const padding = days.slice(0, 1).flatMap((first) => Array<undefined>(sinceMonday(first) % 7).fill(undefined))
  const [firstWeek = [], ...weeks] = Map.groupBy(days, (day) => Math.floor(sinceMonday(day) / 7)).values()
  return [[...padding, ...firstWeek], ...weeks]
}

const dayKinds: readonly { kind: DayKind; word: Words }[] = [
  { kind: 'up', word: t`Online` },
  { kind: 'brief', word: t`Downtime under 15 minutes` },
  { kind: 'down', word: t`Longer downtime` },
  { kind: 'off', word: t`Hosting off` },
  { kind: 'unknown', word: t`Unknown` },
]

const calendarLegend = html`<ul class="legend month">${dayKinds.map(
  ({ kind, word }) => html`<li><span class="${kind}" aria-hidden="true">1</span>${word}</li>`,
)}</ul>`

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

/** Renders the values from the last heartbeat, even if it is too old for the status record. */
function factsPart({ bot: { status, lastReport }, nowMs }: StatusView): Html {
  const { presence = null, guildCount = null, shardCount = null } = lastReport ?? {}
  const uptimeMs = lastReport?.ready === true ? lastReport.uptimeMs : null
  const isCurrent = lastReport === undefined || isFresh(lastReport, nowMs)
  const { hostingLocation, reportedAt } = status
  const fact = (name: Words, value: Text) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  return html`<h2>${isCurrent ? t`Current values` : t`Last known values`}</h2>
<dl class="values${!isCurrent && ' past'}">${fact(t`Presence`, presence === null ? unknown : presenceWords[presence])}
${fact(t`Uptime`, uptimeMs === null ? unknown : durationWords(uptimeMs))}
${fact(t`Servers`, guildCount === null ? unknown : countWords(guildCount))}
${fact(t`Shards`, shardCount === null ? unknown : countWords(shardCount))}
${fact(t`Hosting`, hostingLocation === null ? t`Not set` : locationWords[hostingLocation])}
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

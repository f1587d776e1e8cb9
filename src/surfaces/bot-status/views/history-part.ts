import type { BotHistory } from '../../../domain/bots/status/status-history.ts'
import {
  nothingKnown,
  plus,
  type StatusFigures,
  type StatusSpan,
  uptimeShare,
} from '../../../domain/bots/status/status-span.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { monthWords } from '../../../pages/components/figures.ts'
import { statusStrip, stripLegend } from '../../../pages/components/status-strip.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import { botStatusWords } from '../words.ts'

const words = botStatusWords.history

/** Time span of each bar in the 24-hour strip. The resulting 96 bars are still legible on a phone. */
const barMs = 15 * 60_000
const barsShown = 96

/** Renders the last 24 hours as a strip and the last 90 days as a calendar, each with its uptime and its downtimes. */
export function historyPart({ slots, days }: BotHistory): Html {
  const quarterSaid = (span: StatusSpan) => words.bar(words.quarter(span), span)
  const daySaid = (span: StatusSpan) => words.bar(words.inDays(span), span)
  return html`${periodSection({
    name: 'day',
    said: words.day,
    spans: barsOfDay(slots),
    when: words.quarter,
    chart: (title, spans) =>
      html`${statusStrip({ title, slots: spans, words: quarterSaid, from: words.day.from, to: words.day.to })}${stripLegend}`,
  })}
${periodSection({
  name: 'days',
  said: words.days,
  spans: days,
  when: words.inDays,
  chart: (title, spans) => html`${calendar({ title, days: spans, said: daySaid })}${calendarLegend}`,
})}
<p class="soft small">${words.explain}</p>`
}

interface Period {
  /** Name of the section, by which the script keeps it open after an update. */
  name: 'day' | 'days'
  said: Pick<typeof words.day, 'title' | 'withFigure' | 'notOnline'>
  spans: readonly StatusSpan[]
  when: (span: StatusSpan) => Words
  chart: (title: Words, spans: readonly StatusSpan[]) => Html
}

function periodSection({ name, said, spans, when, chart }: Period): Html {
  const { title, notOnline: inTable } = said
  const figure = words.figure(uptimeShare(spans))
  const notOnline = mergeAdjacent(spans.filter(({ downMs, hostingOffMs }) => downMs > 0 || hostingOffMs > 0))
  return html`<section class="stretch" aria-label="${title}"><div class="head"><h2>${title}</h2><p>${figure}</p></div>
${chart(said.withFigure(figure), spans)}
${
  notOnline.length > 0 &&
  html`<details class="reveal" data-name="${name}"><summary class="small">${inTable}</summary>${table({
    caption: inTable,
    columns: [
      { title: words.when, cell: when },
      { title: t`Online`, cell: ({ upMs }) => words.length(upMs) },
      { title: t`Downtime`, cell: ({ downMs }) => words.length(downMs) },
      { title: t`Hosting off`, cell: ({ hostingOffMs }) => words.length(hostingOffMs) },
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

/**
 * Renders days (UTC) as one small calendar per month, oldest first.
 *
 * @param said returns a day's text, which is shown on hover. Screen readers also read it, except for days without
 * downtime.
 */
function calendar({
  title,
  days,
  said,
}: {
  title: Text
  days: readonly StatusSpan[]
  said: (day: StatusSpan) => Words
}): Html {
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
  { kind: 'brief', word: words.brief },
  { kind: 'down', word: words.longer },
  { kind: 'off', word: t`Hosting off` },
  { kind: 'unknown', word: t`Unknown` },
]

const calendarLegend = html`<ul class="legend month">${dayKinds.map(
  ({ kind, word }) => html`<li><span class="${kind}" aria-hidden="true">1</span>${word}</li>`,
)}</ul>`

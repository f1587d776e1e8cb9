import type { BotHistory } from '../../../domain/bots/status/status-history.ts'
import {
  nothingKnown,
  plus,
  type StatusFigures,
  type StatusSpan,
  uptimeShare,
} from '../../../domain/bots/status/status-span.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import { botStatusWords } from '../words.ts'
import { calendar, calendarLegend } from './calendar.ts'
import { statusStrip, stripLegend } from './status-strip.ts'

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
      { title: words.online, cell: ({ upMs }) => words.length(upMs) },
      { title: words.interrupted, cell: ({ downMs }) => words.length(downMs) },
      { title: words.hostingOff, cell: ({ hostingOffMs }) => words.length(hostingOffMs) },
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

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
import { statusStrip, stripLegend } from './status-strip.ts'

const words = botStatusWords.history

/** Time span of each bar in the 24-hour strip. The resulting 96 bars are still legible on a phone. */
const barMs = 15 * 60_000
const barsShown = 96

/** Renders the last 24 hours and the last 90 days, each as a strip with its uptime and a table of downtimes. */
export function historyPart({ slots, days }: BotHistory): Html {
  return html`${periodSection({ name: 'day', said: words.day, spans: barsOfDay(slots), when: words.quarter })}
${periodSection({ name: 'days', said: words.days, spans: days, when: words.inDays })}
${stripLegend}
<p class="soft small">${words.explain}</p>`
}

interface Period {
  /** Identifies the section, so that the script can reopen it after an update. */
  name: 'day' | 'days'
  said: typeof words.day
  spans: readonly StatusSpan[]
  when: (span: StatusSpan) => Words
}

function periodSection({ name, said, spans, when }: Period): Html {
  const { title, notOnline: inTable, from, to } = said
  const figure = words.figure(uptimeShare(spans))
  const notOnline = mergeAdjacent(spans.filter(({ downMs, hostingOffMs }) => downMs > 0 || hostingOffMs > 0))
  return html`<section class="stretch" aria-label="${title}"><div class="head"><h2>${title}</h2><p>${figure}</p></div>
${statusStrip({ title: said.withFigure(figure), slots: spans, words: (span) => words.bar(when(span), span), from, to })}
${
  notOnline.length > 0 &&
  html`<details data-name="${name}"><summary>${inTable}</summary>${table({
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

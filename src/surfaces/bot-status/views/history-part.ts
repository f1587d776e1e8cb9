import type { BotHistory } from '../../../domain/bots/status-history.ts'
import { nothingKnown, plus, type StatusFigures, type StatusSpan } from '../../../domain/bots/status-span.ts'
import { statusStrip, stripLegend } from '../../../http/components/status-strip.ts'
import { table } from '../../../http/components/table.ts'
import { type Html, html } from '../../../http/html.ts'
import { durationWords } from '../../../http/words/durations.ts'
import { percent, uptimeInWords } from './uptime-in-words.ts'

/** What one bar of the day stands for: 96 of them can still be told apart on a phone. */
const quarterMs = 15 * 60_000
const quartersShown = 96

/** The last 24 hours and 90 days as strips, each with its figure, and with its interruptions as a table. */
export function historyPart({ slots, days }: BotHistory): Html {
  return html`${stretch({ title: 'Last 24 hours', spans: barsOfDay(slots), from: '24 hours ago', to: 'Now', when: quarter })}
${stretch({ title: 'Last 90 days', spans: days, from: '90 days ago', to: 'Today', when: day })}
${stripLegend}
<p class="soft small">Time with hosting off, and time that is not known, count for nothing in the figures. All times are UTC.</p>`
}

interface Stretch {
  title: string
  spans: readonly StatusSpan[]
  from: string
  to: string
  when: (span: StatusSpan) => string
}

function stretch({ title, spans, from, to, when }: Stretch): Html {
  const figure = uptimeInWords(spans)
  const inTable = `${title}: what was not online`
  const notOnline = neighboursAsOne(spans.filter(({ downMs, hostingOffMs }) => downMs > 0 || hostingOffMs > 0))
  return html`<section class="stretch" aria-label="${title}"><div class="head"><h2>${title}</h2><p>${figure}</p></div>
${statusStrip({ title: `${title}: ${figure}`, slots: spans, words: (span) => `${when(span)}: ${inWords(span)}`, from, to })}
${
  notOnline.length > 0 &&
  html`<details data-name="${title}"><summary>${inTable}</summary>${table({
    caption: inTable,
    columns: [
      { title: 'When', cell: when },
      { title: 'Online', cell: ({ upMs }) => length(upMs) },
      { title: 'Interrupted', cell: ({ downMs }) => length(downMs) },
      { title: 'Hosting off', cell: ({ hostingOffMs }) => length(hostingOffMs) },
    ],
    rows: notOnline.reverse(),
  })}</details>`
}</section>`
}

/** By the quarters of the clock; the last one is not over yet. */
function barsOfDay(slots: readonly StatusSpan[]): StatusSpan[] {
  const quarters = Map.groupBy(slots, ({ startMs }) => Math.floor(startMs / quarterMs) * quarterMs)
  return [...quarters].slice(-quartersShown).map(([startMs, inside]) => ({
    ...inside.reduce<StatusFigures>((sum, slot) => plus(sum, slot), nothingKnown()),
    startMs,
    endMs: startMs + quarterMs,
  }))
}

function neighboursAsOne(spans: readonly StatusSpan[]): StatusSpan[] {
  const rows: StatusSpan[] = []
  for (const span of spans) {
    const last = rows.at(-1)
    if (last?.endMs !== span.startMs) rows.push(span)
    else rows.splice(-1, 1, { ...plus(last, span), startMs: last.startMs, endMs: span.endMs })
  }
  return rows
}

function inWords({ upMs, downMs, hostingOffMs }: StatusSpan): string {
  if (downMs > 0) return `${percent(upMs / (upMs + downMs))} online, interrupted for ${length(downMs)}`
  if (upMs > 0) return hostingOffMs > 0 ? `online, hosting off for ${length(hostingOffMs)}` : 'online'
  return hostingOffMs > 0 ? 'hosting off' : 'not known'
}

function length(ms: number): string {
  return ms === 0 ? '–' : durationWords(ms).en.toLowerCase()
}

function quarter({ startMs, endMs }: StatusSpan): string {
  return `${date(startMs)}, ${clock(startMs)} to ${clock(endMs)}`
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16)
}

function day({ startMs, endMs }: StatusSpan): string {
  const [first, last] = [date(startMs), date(endMs - 1)]
  return first === last ? first : `${first} to ${last}`
}

function date(ms: number): string {
  return new Date(ms).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
}

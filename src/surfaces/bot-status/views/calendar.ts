import type { StatusFigures, StatusSpan } from '../../../domain/bots/status/status-span.ts'
import { statusDayMs } from '../../../domain/limits/limits.ts'
import { type Html, html, type Text, type Words } from '../../../pages/html.ts'
import { monthWords } from '../../../pages/words/figures.ts'
import { botStatusWords, stripWords } from '../words.ts'

const words = botStatusWords.history

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
export function calendar({
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
  const sinceMonday = ({ startMs }: StatusSpan) => startMs / statusDayMs + 3
  const padding = days.slice(0, 1).flatMap((first) => Array<undefined>(sinceMonday(first) % 7).fill(undefined))
  const [firstWeek = [], ...weeks] = Map.groupBy(days, (day) => Math.floor(sinceMonday(day) / 7)).values()
  return [[...padding, ...firstWeek], ...weeks]
}

const legend: readonly { kind: DayKind; word: Words }[] = [
  { kind: 'up', word: stripWords.online },
  { kind: 'brief', word: words.brief },
  { kind: 'down', word: words.longer },
  { kind: 'off', word: stripWords.hostingOff },
  { kind: 'unknown', word: stripWords.notKnown },
]

export const calendarLegend = html`<ul class="legend month">${legend.map(
  ({ kind, word }) => html`<li><span class="${kind}" aria-hidden="true">1</span>${word}</li>`,
)}</ul>`

import type { HourlyCount } from '../../../domain/webhooks/event-log.ts'
import { countWords } from '../../../pages/components/figures.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'

/** Parts of a bar, from the bottom up. Each has the number that the overview shows under the same name. */
const stack = [
  { part: 'delivered', name: t`Delivered`, tone: 'good' },
  { part: 'failed', name: t`Failed attempts`, tone: 'warn' },
  { part: 'dead', name: t.in('state')`Dead letters`, tone: 'bad' },
] as const

const barWidth = 10
const height = 100

/**
 * Renders the hours as bars on a common scale, stacked by outcome, with a mark at the number received. Each bar links
 * to its hour. The same figures follow as a table.
 *
 * @param hourHref returns the URL of the list for the hour that starts at this time.
 */
export function hourChart(counts: readonly HourlyCount[], hourHref: (hourMs: number) => string): Html {
  const tallest = scaleOf(Math.max(1, ...counts.map((count) => Math.max(heightOf(count), count.accepted))))
  const width = counts.length * barWidth
  const labels = counts.filter((_, hour) => hour % 6 === 0)
  return html`<figure class="chart"><figcaption>${t`Last ${counts.length} hours`} ${legend(counts)}</figcaption>
<div class="scale" aria-hidden="true"><span>${countWords(tallest)}</span>${tallest > 1 && html`<span>${countWords(tallest / 2)}</span>`}<span>0</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="group" aria-label="${t`Webhooks in the last ${counts.length} hours`}"><path class="grid" d="M0 0.5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}"/>${counts.map(
    (count, hour) => isBusy(count) && bar(count, hour * barWidth, tallest, hourHref(count.hourMs)),
  )}</svg>
<div class="axis" aria-hidden="true">${labels.map(({ hourMs }) => hourTime(hourMs))}<span>${t`Now`}</span></div>
${asTable(counts, hourHref)}</figure>`
}

function bar(count: HourlyCount, left: number, tallest: number, href: string): Html {
  let top = height
  const rects = stack.map(({ part, tone }) => {
    const tall = count[part] === 0 ? 0 : Math.max(1.5, (count[part] / tallest) * height)
    top -= tall
    return (
      tall > 0 &&
      html`<rect class="${tone}" x="${left + 1}" y="${round(top)}" width="${barWidth - 2}" height="${round(tall)}"/>`
    )
  })
  const sums = [
    t`${t`Received`}: ${countWords(count.accepted)}`,
    ...stack.map(({ part, name }) => html`, ${t`${name}: ${countWords(count[part])}`}`),
  ]
  const mark = Math.max(0, height - (count.accepted / tallest) * height - 1)
  return html`<a href="${href}" aria-label="${t`${hourText(count.hourMs)} UTC. ${sums}`}"><rect class="hit" x="${left}" y="0" width="${barWidth}" height="${height}"/>${rects}${count.accepted > 0 && html`<rect class="received" x="${left}" y="${round(mark)}" width="${barWidth}" height="2"/>`}</a>`
}

function legend(counts: readonly HourlyCount[]): Html {
  const sum = (of: (count: HourlyCount) => number) => countWords(counts.reduce((total, count) => total + of(count), 0))
  const entry = (tone: string, name: Words, said: Words) =>
    html`<li><svg viewBox="0 0 12 12" aria-hidden="true">${
      tone === 'received'
        ? html`<rect class="received" y="5" width="12" height="2"/>`
        : html`<rect class="${tone}" width="12" height="12"/>`
    }</svg>${name} ${said}</li>`
  return html`<ul class="legend">${entry(
    'received',
    t`Received`,
    sum(({ accepted }) => accepted),
  )}${stack.map(({ part, name, tone }) =>
    entry(
      tone,
      name,
      sum((count) => count[part]),
    ),
  )}</ul>`
}

/** Renders the table, omitting hours without events. */
function asTable(counts: readonly HourlyCount[], hourHref: (hourMs: number) => string): Html | false {
  const busy = counts.filter(isBusy)
  return (
    busy.length > 0 &&
    html`<details class="reveal" data-name="chart"><summary class="small">${t`Show as table`}</summary><table><caption class="hidden-visually">${t`Webhooks per hour, UTC`}</caption><thead><tr><th scope="col">${t`Hour`}</th><th scope="col" class="number">${t`Received`}</th>${stack.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>${busy.map(
      (count) =>
        html`<tr><th scope="row"><a href="${hourHref(count.hourMs)}">${hourTime(count.hourMs)}</a></th><td class="number">${countWords(count.accepted)}</td>${stack.map(({ part }) => html`<td class="number">${countWords(count[part])}</td>`)}</tr>`,
    )}</tbody></table></details>`
  )
}

function heightOf(count: HourlyCount): number {
  return stack.reduce((sum, { part }) => sum + count[part], 0)
}

function isBusy(count: HourlyCount): boolean {
  return count.accepted > 0 || heightOf(count) > 0
}

/**
 * Returns the lowest of 1, 2, 4, 10, 20, 40, 100 … that is at least `most`. Except for 1, half of it is a whole number,
 * for the label in the middle of the scale.
 */
function scaleOf(most: number): number {
  for (let power = 1; ; power *= 10) {
    const fits = [1, 2, 4].find((step) => step * power >= most)
    if (fits !== undefined) return fits * power
  }
}

function hourText(hourMs: number): string {
  return new Date(hourMs).toISOString().slice(11, 16)
}

function hourTime(hourMs: number): Html {
  return html`<time datetime="${new Date(hourMs).toISOString()}" data-local data-hour>${hourText(hourMs)}</time>`
}

function round(figure: number): number {
  return Math.round(figure * 100) / 100
}

import type { HourlyCount } from '../../../domain/webhooks/event-log.ts'
import { type Html, html } from '../../../pages/html.ts'
import { countWords } from '../../../pages/words/figures.ts'
import { deliveriesWords } from './words.ts'

const words = deliveriesWords.chart

const series = [
  { of: 'accepted', name: words.received, tone: 'neutral' },
  { of: 'delivered', name: words.delivered, tone: 'good' },
  { of: 'failed', name: words.failed, tone: 'warn' },
  { of: 'dead', name: words.dead, tone: 'bad' },
] as const

const barWidth = 10
const height = 32

/** Renders events per hour as a bar chart with one row per kind, and as a table. */
export function hourBars(counts: readonly HourlyCount[]): Html {
  return html`<figure class="hours"><figcaption>${words.title(counts.length)}</figcaption>
${series.map(({ of, name, tone }) => {
  const most = Math.max(1, ...counts.map((count) => count[of]))
  const sum = counts.reduce((total, count) => total + count[of], 0)
  const said = sum === 0 ? words.none(name) : words.sum(name, countWords(sum), countWords(most))
  return html`<div class="row"><div class="name">${name}</div><svg class="${tone}" role="img" aria-label="${said}" viewBox="0 0 ${counts.length * barWidth} ${height}" preserveAspectRatio="none"><path d="M0 ${height - 0.5}H${counts.length * barWidth}"/>${counts.map(
    (count, hour) => {
      if (count[of] === 0) return false
      const tall = Math.max(2, Math.round((count[of] / most) * height))
      return html`<rect x="${hour * barWidth + 1}" y="${height - tall}" width="${barWidth - 2}" height="${tall}"/>`
    },
  )}</svg><div class="sum">${countWords(sum)}</div></div>`
})}
<div class="axis" aria-hidden="true"><span>${words.from(counts.length)}</span><span>${words.to}</span></div>
${asTable(counts)}</figure>`
}

/** Renders the table, omitting hours without events. */
function asTable(counts: readonly HourlyCount[]): Html | false {
  const busy = counts.filter((count) => series.some(({ of }) => count[of] > 0))
  return (
    busy.length > 0 &&
    html`<details><summary>${words.asTable}</summary><table><caption class="hidden-visually">${words.caption}</caption><thead><tr><th scope="col">${words.hour}</th>${series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>${busy.map(
      (count) =>
        html`<tr><th scope="row">${new Date(count.hourMs).toISOString().slice(11, 16)}</th>${series.map(({ of }) => html`<td class="number">${countWords(count[of])}</td>`)}</tr>`,
    )}</tbody></table></details>`
  )
}

import type { HourlyCount } from '../../../domain/webhooks/event-log.ts'
import { type Html, html } from '../../../http/html.ts'

const series = [
  { of: 'accepted', name: 'Accepted', tone: 'neutral' },
  { of: 'delivered', name: 'Done', tone: 'good' },
  { of: 'failed', name: 'Failed attempts', tone: 'warn' },
  { of: 'dead', name: 'Dead letters', tone: 'bad' },
] as const

const barWidth = 10
const height = 32

/** What happened hour by hour: one row of bars for each kind, its sum beside it, and the same as a table. */
export function hourBars(counts: readonly HourlyCount[]): Html {
  return html`<figure class="hours"><figcaption>The last ${counts.length} hours</figcaption>
${series.map(({ of, name, tone }) => {
  const most = Math.max(1, ...counts.map((count) => count[of]))
  const sum = counts.reduce((total, count) => total + count[of], 0)
  const words = sum === 0 ? 'none' : `${inGroups(sum)}, at most ${inGroups(most)} in an hour`
  return html`<div class="row"><div class="name">${name}</div><svg class="${tone}" role="img" aria-label="${name}: ${words}" viewBox="0 0 ${counts.length * barWidth} ${height}" preserveAspectRatio="none"><path d="M0 ${height - 0.5}H${counts.length * barWidth}"/>${counts.map(
    (count, hour) => {
      if (count[of] === 0) return false
      const tall = Math.max(2, Math.round((count[of] / most) * height))
      return html`<rect x="${hour * barWidth + 1}" y="${height - tall}" width="${barWidth - 2}" height="${tall}"/>`
    },
  )}</svg><div class="sum">${inGroups(sum)}</div></div>`
})}
<details><summary>As a table</summary><table><caption class="hidden-visually">Events by hour, UTC</caption><thead><tr><th scope="col">Hour (UTC)</th>${series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>${counts
    .filter((count) => series.some(({ of }) => count[of] > 0))
    .map(
      (count) =>
        html`<tr><th scope="row">${new Date(count.hourMs).toISOString().slice(11, 16)}</th>${series.map(({ of }) => html`<td class="number">${inGroups(count[of])}</td>`)}</tr>`,
    )}</tbody></table></details></figure>`
}

function inGroups(count: number): string {
  return count.toLocaleString('en-GB')
}

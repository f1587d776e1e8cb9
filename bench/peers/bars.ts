import { svg, text } from '../svg.ts'
import type { Comparison } from './comparison.ts'
import { asRatio } from './tables.ts'

const width = 760
const nameWidth = 200
const barsWidth = 440
const rowHeight = 22
const headHeight = 30

/** Draws the ratios of all workloads as bars. A full-width bar means as fast as the bare server. */
export function bars({ works }: Comparison): string {
  const parts: string[] = []
  let y = 0
  for (const { name, rows } of works) {
    y += headHeight
    parts.push(text({ x: 0, y: y - 8, class: 'head' }, name))
    for (const { server, ratio, perSecond } of rows) {
      const ours = server === 'Gatehouse'
      const length = Math.min(Math.max(1, ratio * barsWidth), barsWidth)
      parts.push(
        text({ x: nameWidth - 10, y: y + 15, class: ours ? 'name ours' : 'name' }, server),
        `<rect class="track" x="${nameWidth}" y="${y + 3}" width="${barsWidth}" height="16" rx="2"/>`,
        `<rect class="${ours ? 'bar ours' : 'bar'}" x="${nameWidth}" y="${y + 3}" width="${length.toFixed(1)}" height="16" rx="2"/>`,
        text({ x: nameWidth + barsWidth + 10, y: y + 15, class: ours ? 'ours' : '' }, figure(ratio, perSecond)),
      )
      y += rowHeight
    }
  }
  const style = `
.head{font-weight:600}.name{text-anchor:end}.ours{font-weight:600}
.track{fill:#e8eaed}.bar{fill:#8a94a3}.bar.ours{fill:#2f6f4f}
@media (prefers-color-scheme:dark){.track{fill:#2a2f36}.bar{fill:#6c7684}.bar.ours{fill:#6fbf95}}`
  return svg({ width, height: y + 6, title: 'Ratio to a bare node:http server, by work and server', style }, parts)
}

function figure(ratio: number, perSecond: number): string {
  return `${asRatio(ratio)} · ${Math.round(perSecond).toLocaleString('en')}/s`
}

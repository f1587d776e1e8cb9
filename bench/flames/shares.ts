import { svg, text } from '../svg.ts'
import { kindClass, kindStyle } from './kind-colours.ts'
import { type Kind, kinds } from './kinds.ts'

export interface Path {
  name: string
  shares: Record<Kind, number>
}

const nameWidth = 130
const barWidth = 620
const rowHeight = 26

export function sharesPicture(paths: readonly Path[]): string {
  const parts: string[] = []
  paths.forEach(({ name, shares }, row) => {
    const y = row * rowHeight
    parts.push(text({ x: nameWidth - 10, y: y + 16, class: 'name' }, name))
    let x = nameWidth
    for (const kind of kinds) {
      const wide = (shares[kind] ?? 0) * barWidth
      parts.push(
        `<rect class="${kindClass(kind)}" x="${x.toFixed(1)}" y="${y + 2}" width="${Math.max(0, wide - 0.5).toFixed(1)}" height="20"/>`,
      )
      if (wide > 26)
        parts.push(text({ x: Math.round(x + 4), y: y + 16, class: 'on' }, `${Math.round((wide / barWidth) * 100)} %`))
      x += wide
    }
  })
  kinds.forEach((kind, index) => {
    const [x, y] = [nameWidth + (index % 4) * 165, paths.length * rowHeight + 12 + Math.floor(index / 4) * 20]
    parts.push(`<rect class="${kindClass(kind)}" x="${x}" y="${y}" width="12" height="12"/>`)
    parts.push(text({ x: x + 17, y: y + 10, class: '' }, kind))
  })
  const style = `.name{text-anchor:end}${kindStyle}`
  const height = paths.length * rowHeight + 56
  return svg({ width: nameWidth + 640, height, title: 'Where the time of each path goes', style }, parts)
}

export function sharesTable(paths: readonly Path[]): string {
  return [
    `| share of the main thread's time, % | ${paths.map(({ name }) => name).join(' | ')} |`,
    `|---|${paths.map(() => '--:').join('|')}|`,
    ...kinds.map((kind) => {
      const cells = paths.map(({ shares }) => ((shares[kind] ?? 0) * 100).toFixed(0))
      return `| ${kind} | ${cells.join(' | ')} |`
    }),
  ].join('\n')
}

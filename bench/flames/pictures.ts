import { escapeMarkup, svg, text } from '../performance-page.ts'
import type { Frame } from './frames.ts'
import { type Kind, kindClass, kindStyle, kinds } from './kinds.ts'

const width = 1_000
const rowHeight = 18
const leastShare = 0.004
const letterWidth = 6.6

/**
 * Draws callers above callees. The width of a box is its share of time, which the tooltip shows too. The horizontal
 * order has no meaning.
 */
export function flameGraph(title: string, root: Frame): string {
  const boxes: string[] = []
  const depth = draw(root, 0, 0)
  return svg({ width, height: (depth + 1) * rowHeight + 2, title, style: kindStyle }, boxes)

  function draw(frame: Frame, from: number, level: number): number {
    const share = frame.micros / root.micros
    const [x, y, wide] = [from * width, level * rowHeight, share * width - 0.5]
    const letters = Math.floor((wide - 6) / letterWidth)
    const name = frame.name.length <= letters ? frame.name : `${frame.name.slice(0, letters - 1)}…`
    boxes.push(
      `<g><title>${escapeMarkup(frame.name)}: ${(share * 100).toFixed(1)} %</title>`,
      `<rect class="${kindClass(frame.kind)}" x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" rx="1"/>`,
      letters >= 3 ? text({ x: Math.round(x + 3), y: y + 13, class: 'on' }, name) : '',
      '</g>',
    )
    let deepest = level
    let at = from
    const children = [...frame.children.values()].sort((one, other) => other.micros - one.micros)
    for (const child of children) {
      if (child.micros / root.micros < leastShare) continue
      deepest = Math.max(deepest, draw(child, at, level + 1))
      at += child.micros / root.micros
    }
    return deepest
  }
}

export interface Path {
  name: string
  shares: Record<Kind, number>
}

const nameWidth = 130
const barWidth = 620
const pathHeight = 26

export function sharesPicture(paths: readonly Path[]): string {
  const parts: string[] = []
  paths.forEach(({ name, shares }, row) => {
    const y = row * pathHeight
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
    const [x, y] = [nameWidth + (index % 4) * 165, paths.length * pathHeight + 12 + Math.floor(index / 4) * 20]
    parts.push(`<rect class="${kindClass(kind)}" x="${x}" y="${y}" width="12" height="12"/>`)
    parts.push(text({ x: x + 17, y: y + 10, class: '' }, kind))
  })
  const style = `.name{text-anchor:end}${kindStyle}`
  const height = paths.length * pathHeight + 56
  return svg({ width: nameWidth + 640, height, title: 'Where the time of each path goes', style }, parts)
}

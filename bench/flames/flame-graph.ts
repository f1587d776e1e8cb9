import { escapeMarkup, svg, text } from '../svg.ts'
import type { Frame } from './frames.ts'
import { kindClass, kindStyle } from './kind-colours.ts'

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

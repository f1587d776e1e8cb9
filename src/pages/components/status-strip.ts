import type { StatusFigures } from '../../domain/bots/status/status-span.ts'
import { type Html, html, type Text, t } from '../html.ts'

export type BarKind = 'up' | 'down' | 'off' | 'unknown'
interface Bar {
  kind: BarKind
  y: number
  height: number
}

/** Height of the bars, and of the whole strip including the ticks below the bars. */
const barHeight = 32
const stripHeight = 40

/**
 * Returns a slot's bars, whose shapes differ: online is tall, an interruption fills from the top and has a tick below,
 * hosting off is short, and unknown a line.
 */
export function barsOf({ upMs, downMs, hostingOffMs }: StatusFigures): Bar[] {
  if (downMs > 0) {
    const down = Math.max(6, Math.round((barHeight * downMs) / (upMs + downMs)))
    const bars: Bar[] = [
      { kind: 'down', y: 0, height: Math.min(down, barHeight) },
      { kind: 'down', y: barHeight + 3, height: stripHeight - barHeight - 3 },
    ]
    if (down < barHeight) bars.push({ kind: 'up', y: down, height: barHeight - down })
    return bars
  }
  if (upMs > 0) return [{ kind: 'up', y: 0, height: barHeight }]
  if (hostingOffMs > 0) return [{ kind: 'off', y: barHeight - 12, height: 12 }]
  return [{ kind: 'unknown', y: barHeight - 2, height: 2 }]
}

interface Strip<Slot extends StatusFigures> {
  title: Text
  /** Oldest first. */
  slots: readonly Slot[]
  words?: (slot: Slot) => Text
}

export function statusBars<Slot extends StatusFigures>({ title, slots, words }: Strip<Slot>): Html {
  const bars = slots.map((slot, index) => {
    const drawn = barsOf(slot).map(
      ({ kind, y, height }) => html`<rect class="${kind}" x="${index * 4}" y="${y}" width="3" height="${height}"/>`,
    )
    return words === undefined ? drawn : html`<g><title>${words(slot)}</title>${drawn}</g>`
  })
  return html`<svg role="img" aria-label="${title}" viewBox="0 0 ${slots.length * 4 - 1} ${stripHeight}" preserveAspectRatio="none">${bars}</svg>`
}

export function statusStrip<Slot extends StatusFigures>(strip: Strip<Slot> & { from: Text; to: Text }): Html {
  return html`<div class="strip">${statusBars(strip)}
<div class="axis" aria-hidden="true"><span>${strip.from}</span><span>${strip.to}</span></div></div>`
}

const legend: { word: Text; slot: StatusFigures }[] = [
  { word: t`Online`, slot: { upMs: 1, downMs: 0, hostingOffMs: 0 } },
  { word: t`Downtime`, slot: { upMs: 1, downMs: 1, hostingOffMs: 0 } },
  { word: t`Hosting off`, slot: { upMs: 0, downMs: 0, hostingOffMs: 1 } },
  { word: t`Unknown`, slot: { upMs: 0, downMs: 0, hostingOffMs: 0 } },
]

export const stripLegend = html`<ul class="legend">${legend.map(
  ({ word, slot }) =>
    html`<li><svg aria-hidden="true" viewBox="0 0 3 ${stripHeight}" preserveAspectRatio="none">${barsOf(slot).map(({ kind, y, height }) => html`<rect class="${kind}" x="0" y="${y}" width="3" height="${height}"/>`)}</svg>${word}</li>`,
)}</ul>`

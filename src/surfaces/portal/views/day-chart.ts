import { type Html, html, type Text } from '../../../pages/html.ts'

const barWidth = 8
const gap = 2
const height = 40

/**
 * Renders a bar chart of daily counts, oldest day first. The caption shows the total; the axis shows the first and last
 * day and the peak.
 */
export function dayChart(chart: {
  title: Text
  figures: readonly number[]
  /** Colour of the bars. */
  tone: 'plain' | 'bad'
  /** Labels at the two ends of the axis. */
  from: Text
  to: Text
  peak: (figure: number) => Text
}): Html {
  const { title, figures, tone, from, to, peak } = chart
  const most = Math.max(...figures, 0)
  const sum = figures.reduce((total, figure) => total + figure, 0)
  const width = figures.length * (barWidth + gap) - gap
  const bars = figures.map((figure, index) => {
    // Minimum height of a bar, so that a count of 1 stays visible next to a count of 1,000.
    const tall = figure === 0 ? 1 : Math.max(3, Math.round((height * figure) / most))
    return html`<rect${figure === 0 && html` class="none"`} x="${index * (barWidth + gap)}" y="${height - tall}" width="${barWidth}" height="${tall}"/>`
  })
  return html`<figure class="days ${tone}"><figcaption><span>${title}</span> <strong>${sum}</strong></figcaption>
<svg aria-hidden="true" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${bars}</svg>
<div class="axis" aria-hidden="true"><span>${from}</span>${most > 0 && html`<span>${peak(most)}</span>`}<span>${to}</span></div></figure>`
}

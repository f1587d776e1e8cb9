import { svg, text } from '../performance-page.ts'
import type { Machine } from './machine.ts'

/** The result of `npm run bench -- --peers`. All figures in docs/performance.md that compare servers come from it. */
export interface Comparison {
  machine: Machine
  rounds: number
  secondsPerLoad: number
  servers: { name: string; version: string; keeps: string }[]
  leftOut: { name: string; why: string }[]
  works: ComparedWork[]
}

export interface ComparedWork {
  name: string
  connections: number
  rows: Row[]
  failed: { server: string; why: string }[]
}

/**
 * Medians of all rounds. Ratios are relative to the bare server, measured within the same minute. A ratio of 1 means as
 * fast as the bare server, or as cheap in processor time.
 */
export interface Row {
  server: string
  perSecond: number
  ratio: number
  p50Ms: number
  p99Ms: number
  processorMicros: number
  processorRatio: number
  residentMiB: number
}

/** Returns a table of Gatehouse and the next best server. `ratios.svg` shows all, and `comparison.json` has the rest. */
export function figures({ works }: Comparison): string {
  return [
    '| | ratio | a second | p99 ms | CPU µs | RSS MiB | next best |',
    '|---|--:|--:|--:|--:|--:|---|',
    ...works.map(workRow),
    ...works.flatMap(({ failed }) => failed.map(({ server, why }) => `\n**${server} failed**: ${why}`)),
  ].join('\n')
}

function workRow({ name, connections, rows }: ComparedWork): string {
  const ours = rows.find(({ server }) => server === 'Gatehouse')
  if (ours === undefined) throw new Error(`${name}: no figures of Gatehouse`)
  const [next] = rows.filter((row) => row !== ours).sort((one, other) => other.ratio - one.ratio)
  const cells = [
    `${name[0]?.toUpperCase()}${name.slice(1)}, ${connections} connections`,
    asRatio(ours.ratio),
    thousands(ours.perSecond),
    ours.p99Ms.toFixed(1),
    thousands(ours.processorMicros),
    ours.residentMiB,
    next === undefined ? '' : `${asRatio(next.ratio)}, ${next.server}`,
  ]
  return `| ${cells.join(' | ')} |`
}

export function comparedServers({ servers, leftOut }: Comparison): string {
  return [
    '| | version | what it keeps if it is killed, or the power fails |',
    '|---|---|---|',
    ...servers.map(({ name, version, keeps }) => `| ${name} | ${version} | ${keeps} |`),
    ...leftOut.map(({ name, why }) => `\n**Left out**: ${name} (${why.split('\n')[0]}).`),
  ].join('\n')
}

export function machineAndMethod({ machine, rounds, secondsPerLoad }: Comparison): string {
  const { sync } = machine
  return [
    '| | |',
    '|---|---|',
    `| taken | ${machine.date}, commit ${machine.commit} |`,
    `| processor | ${machine.processor}, ${machine.cores} cores; one for the server, one for the load |`,
    `| memory | ${machine.memoryGiB} GiB |`,
    `| disk | 4 KiB written and synced in ${sync.p50Ms.toFixed(2)} ms (p99 ${sync.p99Ms.toFixed(2)} ms), ${thousands(sync.perSecond)} a second |`,
    `| system | ${machine.system}, Node ${machine.node} |`,
    `| rounds | ${rounds} of ${secondsPerLoad} s, each after a round of the bare server |`,
  ].join('\n')
}

/** Formats a ratio. Small ratios get three decimal places, since they would otherwise all read 0.01. */
function asRatio(ratio: number): string {
  return ratio.toFixed(ratio < 0.1 ? 3 : 2)
}

function thousands(figure: number): string {
  return Math.round(figure).toLocaleString('en')
}

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
  return `${asRatio(ratio)} · ${thousands(perSecond)}/s`
}

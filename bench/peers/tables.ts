import type { ComparedWork, Comparison } from './comparison.ts'

export function figures({ works }: Comparison): string {
  return works.map(workTable).join('\n\n')
}

function workTable({ name, connections, rows, failed }: ComparedWork): string {
  const lines = rows.map((row) => {
    const cells = [
      row.server === 'Gatehouse' ? '**Gatehouse**' : row.server,
      asRatio(row.ratio),
      thousands(row.perSecond),
      row.p50Ms.toFixed(1),
      row.p99Ms.toFixed(1),
      thousands(row.processorMicros),
      asRatio(row.processorRatio),
      row.residentMiB,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    `### ${name[0]?.toUpperCase()}${name.slice(1)}, ${connections} connections`,
    '',
    '| | ratio to bare | a second | p50 ms | p99 ms | CPU µs | CPU ratio | RSS MiB |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...lines,
    ...failed.map(({ server, why }) => `\n**${server} failed**: ${why}`),
  ].join('\n')
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
export function asRatio(ratio: number): string {
  return ratio.toFixed(ratio < 0.1 ? 3 : 2)
}

function thousands(figure: number): string {
  return Math.round(figure).toLocaleString('en')
}

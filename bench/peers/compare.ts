import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGatehouse } from '../gatehouse.ts'
import { measure, medianOf, type Round, rounds, secondsPerLoad, startBare } from '../measure.ts'
import { writePart, writePicture } from '../performance-page.ts'
import { canPin, freePorts, stop } from '../processes.ts'
import { redeem, refresh, revokeAsClient, type Target, userinfo, type Work, webhookAccept } from '../works.ts'
import {
  bars,
  type ComparedWork,
  type Comparison,
  comparedServers,
  figures,
  machineAndMethod,
  type Row,
} from './comparison.ts'
import { debianWebhook } from './debian-webhook.ts'
import { glewlwyd } from './glewlwyd.ts'
import { thisMachine } from './machine.ts'
import { npmPeers } from './npm-peers.ts'

const works = [userinfo, refresh, redeem, revokeAsClient, webhookAccept(64)]

interface MeasuredServer {
  name: string
  server: ChildProcess
  target: Target
}

/**
 * Measures Gatehouse and each installed peer with the same workloads. Each load runs right after the same load on the
 * bare server. Writes the results to docs/performance.md. Peers that fail or can't be started are reported on the
 * console and on the page.
 */
export async function comparePeers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-peers-'))
  const gatehouse = await startGatehouse()
  const measuredServers: MeasuredServer[] = [{ name: 'Gatehouse', ...gatehouse }]
  const machine = thisMachine(folder)
  const comparison: Comparison = {
    machine,
    rounds,
    secondsPerLoad,
    servers: [{ name: 'Gatehouse', version: machine.commit, keeps: 'everything: on disk before the response' }],
    leftOut: [],
    works: [],
  }
  const bare = await startBare()
  try {
    if (!canPin) console.log('taskset not found: server and client share cores, so the figures are rough.')
    await startPeers()
    for (const work of works) {
      const compared = await compare(work)
      comparison.works.push(compared)
      show(compared)
    }
    writeComparison(comparison)
  } finally {
    await Promise.all([
      stop(bare.server),
      gatehouse.end(),
      ...measuredServers.slice(1).map(({ server }) => stop(server)),
    ])
    rmSync(folder, { recursive: true, force: true })
  }

  async function startPeers(): Promise<void> {
    const peers = [...npmPeers(), glewlwyd, debianWebhook]
    for (const { name, keeps, present, start } of peers) {
      const presence = present()
      try {
        if ('missing' in presence) throw new Error(presence.missing)
        const [port = 0] = await freePorts(1)
        measuredServers.push({ name, ...(await start(mkdtempSync(join(folder, 'peer-')), port)) })
        comparison.servers.push({ name, version: presence.version, keeps })
      } catch (error) {
        const why = (error as Error).message
        comparison.leftOut.push({ name, why })
        console.error(`SKIPPED: ${name}: ${why}`)
      }
    }
  }

  async function compare(work: Work): Promise<ComparedWork> {
    const shown = new Map<string, Round[]>()
    const failed = new Map<string, string>()
    for (let round = 0; round < rounds; round += 1) {
      for (const { name, target, server } of measuredServers.filter(({ name }) => !failed.has(name))) {
        try {
          const one = await measure(work, target, server, bare)
          if (one !== undefined) shown.set(name, [...(shown.get(name) ?? []), one])
        } catch (error) {
          failed.set(name, (error as Error).message)
          console.error(`FAILED: ${name}: ${(error as Error).message}`)
        }
      }
    }
    const rows = [...shown].filter(([name]) => !failed.has(name)).map(([name, each]) => toRow(name, each))
    return {
      name: work.name,
      connections: work.connections,
      rows: rows.sort((one, other) => other.ratio - one.ratio),
      failed: [...failed].map(([server, why]) => ({ server, why })),
    }
  }
}

function toRow(server: string, shown: readonly Round[]): Row {
  return {
    server,
    perSecond: medianOf(shown, ({ perSecond }) => perSecond),
    ratio: medianOf(shown, ({ perSecond, barePerSecond }) => perSecond / barePerSecond),
    p50Ms: medianOf(shown, ({ p50Ms }) => p50Ms),
    p99Ms: medianOf(shown, ({ p99Ms }) => p99Ms),
    processorMicros: medianOf(shown, ({ processorMicros }) => processorMicros),
    processorRatio: medianOf(
      shown,
      ({ processorMicros, bareProcessorMicros }) => bareProcessorMicros / processorMicros,
    ),
    residentMiB: medianOf(shown, ({ residentMiB }) => residentMiB),
  }
}

function show({ name, connections, rows }: ComparedWork): void {
  console.log(`\n${name}, ${connections} connections`)
  for (const row of rows) {
    const { server, perSecond, ratio, p50Ms, p99Ms, processorMicros, residentMiB } = row
    console.log(
      `  ${server.padEnd(30)} ${ratio.toFixed(3)}  ${Math.round(perSecond)}/s  p50 ${p50Ms.toFixed(1)}  p99 ${p99Ms.toFixed(1)} ms  ${Math.round(processorMicros)} µs  ${residentMiB} MiB`,
    )
  }
}

function writeComparison(comparison: Comparison): void {
  writePicture('comparison.json', `${JSON.stringify(comparison, null, 2)}\n`)
  writePicture('ratios.svg', bars(comparison))
  writePart('figures', figures(comparison))
  writePart('servers', comparedServers(comparison))
  writePart('machine', machineAndMethod(comparison))
}

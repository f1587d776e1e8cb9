import type { ChildProcess } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadResult } from './load.ts'
import { type Percentiles, percentilesOf } from './percentiles.ts'
import { freePorts, load, processorSeconds, residentMiB, startServer, untilIdle } from './processes.ts'
import type { Target, Work } from './works.ts'

export const secondsPerLoad = Number(process.env.BENCH_SECONDS ?? 4)
export const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const duration = { afterMs: secondsPerLoad * 1_000 }

/** The results of one round of a workload, and of the bare server immediately before it. */
export interface Round extends Percentiles {
  perSecond: number
  barePerSecond: number
  /**
   * Processor time per response, including work done after responding, in microseconds. Other load on the machine
   * affects this figure least.
   */
  processorMicros: number
  bareProcessorMicros: number
  residentMiB: number
}

interface Bare {
  server: ChildProcess
  port: number
}

export async function startBare(): Promise<Bare> {
  const [port = 0] = await freePorts(1)
  return { server: await startServer('./bare.ts', { PORT: String(port), ANSWER_BYTES: '200' }), port }
}

/**
 * Runs the load on the bare server and then on the target. Returns `undefined` if the target does not support the call.
 */
export async function measure(
  work: Work,
  target: Target,
  server: ChildProcess,
  bare: Bare,
): Promise<Round | undefined> {
  const prepared = await work.order(target, duration)
  if (prepared === undefined) return undefined
  const { origin, ...order } = prepared
  const { chain: _, ...plain } = order
  const at = { host: '127.0.0.1', connections: work.connections }
  const baseline = await timed(bare.server, () => load({ ...plain, ...at, port: bare.port, until: duration }))
  const own = await timed(server, () => load({ ...order, ...at, port: Number(origin.port) }))
  assertStatus(work, target, own.result)
  return {
    perSecond: own.result.perSecond,
    barePerSecond: baseline.result.perSecond,
    p50Ms: own.result.p50Ms,
    p99Ms: own.result.p99Ms,
    processorMicros: own.processorMicros,
    bareProcessorMicros: baseline.processorMicros,
    residentMiB: residentMiB(server) ?? Number.NaN,
  }
}

async function timed(server: ChildProcess, run: () => Promise<LoadResult>) {
  const before = processorSeconds(server) ?? Number.NaN
  const result = await run()
  await untilIdle(server)
  const after = processorSeconds(server) ?? Number.NaN
  return { result, processorMicros: ((after - before) * 1_000_000) / result.answers }
}

function assertStatus(work: Work, target: Target, result: LoadResult): void {
  const others = Object.keys(result.statuses).filter((status) => status !== work.status(target))
  if (others.length > 0)
    throw new Error(`${work.name}: not every response was ${work.status(target)}: ${JSON.stringify(result.statuses)}`)
}

export interface Sync extends Percentiles {
  perSecond: number
}

/** Measures the rate of small synced writes on this disk, which limits every figure that involves durable writes. */
export function probeSync(folder: string): Sync {
  const path = join(folder, 'sync-probe')
  const fd = openSync(path, 'w')
  const started = performance.now()
  const tookMs: number[] = []
  while (performance.now() - started < 500) {
    const before = performance.now()
    writeSync(fd, 'x'.repeat(4_096), 0)
    fdatasyncSync(fd)
    tookMs.push(performance.now() - before)
  }
  closeSync(fd)
  rmSync(path)
  return { perSecond: Math.round(tookMs.length * 2), ...percentilesOf(tookMs) }
}

export function medianOf(rounds: readonly Round[], of: (round: Round) => number): number {
  return median(rounds.map(of))
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

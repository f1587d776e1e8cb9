import type { ChildProcess } from 'node:child_process'
import { freePorts } from './free-ports.ts'
import type { LoadResult } from './load.ts'
import { median } from './median.ts'
import { atRest, load, processorSeconds, residentMiB, startServer } from './processes.ts'
import type { Target, Work } from './works.ts'

export const secondsPerLoad = Number(process.env.BENCH_SECONDS ?? 4)
export const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const forAWhile = { afterMs: secondsPerLoad * 1_000 }

/** What one round of a work showed, beside the bare server moments before. */
export interface Round {
  perSecond: number
  barePerSecond: number
  p50Ms: number
  p99Ms: number
  /** Processor time for each answer and what follows it, in microseconds; a busy machine bends it least. */
  processorMicros: number
  bareProcessorMicros: number
  /** Resident memory once the load had ended. */
  residentMiB: number
}

/** The yardstick, and where it listens. */
export interface Bare {
  server: ChildProcess
  port: number
}

export async function startBare(): Promise<Bare> {
  const [port = 0] = await freePorts(1)
  return { server: await startServer('./bare.ts', { PORT: String(port), ANSWER_BYTES: '200' }), port }
}

/** Runs the load on the bare server, then on the target; undefined if the target has no such call. */
export async function measure(
  work: Work,
  target: Target,
  server: ChildProcess,
  bare: Bare,
): Promise<Round | undefined> {
  const prepared = await work.order(target, forAWhile)
  if (prepared === undefined) return undefined
  const { origin, ...order } = prepared
  const { chain: _, ...plain } = order
  const at = { host: '127.0.0.1', connections: work.connections }
  const yardstick = await timed(bare.server, () => load({ ...plain, ...at, port: bare.port, until: forAWhile }))
  const own = await timed(server, () => load({ ...order, ...at, port: Number(origin.port) }))
  assertStatus(work, target, own.result)
  return {
    perSecond: own.result.perSecond,
    barePerSecond: yardstick.result.perSecond,
    p50Ms: own.result.p50Ms,
    p99Ms: own.result.p99Ms,
    processorMicros: own.processorMicros,
    bareProcessorMicros: yardstick.processorMicros,
    residentMiB: residentMiB(server) ?? Number.NaN,
  }
}

async function timed(server: ChildProcess, run: () => Promise<LoadResult>) {
  const before = processorSeconds(server) ?? Number.NaN
  const result = await run()
  await atRest(server)
  const after = processorSeconds(server) ?? Number.NaN
  return { result, processorMicros: ((after - before) * 1_000_000) / result.answers }
}

function assertStatus(work: Work, target: Target, result: LoadResult): void {
  const others = Object.keys(result.statuses).filter((status) => status !== work.status(target))
  if (others.length > 0)
    throw new Error(`${work.name}: not every answer was ${work.status(target)}: ${JSON.stringify(result.statuses)}`)
}

/** The middle one of what the rounds showed, or of a ratio made of each. */
export function medianOf(rounds: readonly Round[], of: (round: Round) => number): number {
  return median(rounds.map(of))
}

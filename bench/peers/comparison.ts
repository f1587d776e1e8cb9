import type { Machine } from '../machine.ts'

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

import type { Machine } from '../machine.ts'

/** What a run of `npm run bench -- --peers` found: all that the page's figures are made of. */
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

/** Medians of the rounds. Ratios are to the bare server of the same minute: more answers, and less processor time for each, are nearer to 1. */
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

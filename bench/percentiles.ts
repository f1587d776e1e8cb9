export interface Percentiles {
  p50Ms: number
  p99Ms: number
}

/** Returns 0 for both if there are no times. */
export function percentilesOf(timesMs: readonly number[]): Percentiles {
  const sorted = timesMs.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}

import { Counter, Gauge, Histogram, type MetricType, type Registry } from 'prom-client'
import type { DurationHistogram } from '../../domain/durations.ts'

type Labels = Record<string, string>

export type Sample = readonly [value: number, labels?: Labels]

/** A metric whose values are read from the service on every scrape. */
export interface Metric {
  name: string
  help: string
  labelNames?: readonly string[]
  read(): Iterable<Sample> | Promise<Iterable<Sample>>
}

export function addCounter(register: Registry, metric: Metric): void {
  new Counter(metricSettings(register, metric, (counter: Counter, labels, value) => counter.inc(labels, value)))
}

export function addGauge(register: Registry, metric: Metric): void {
  new Gauge(metricSettings(register, metric, (gauge: Gauge, labels, value) => gauge.set(labels, value)))
}

/** Returns settings for a metric that replaces all its samples on every scrape. */
function metricSettings<Registered extends { reset(): void }>(
  register: Registry,
  { read, labelNames = [], ...settings }: Metric,
  put: (metric: Registered, labels: Labels, value: number) => void,
) {
  return {
    ...settings,
    labelNames: [...labelNames],
    registers: [register],
    async collect(this: Registered) {
      const samples = await read()
      this.reset()
      for (const [value, labels = {}] of samples) put(this, labels, value)
    },
  }
}

/** Registers a histogram of durations, exported in seconds. */
export function addHistogram(
  register: Registry,
  metric: Omit<Metric, 'read'> & { read(): Promise<Iterable<readonly [DurationHistogram, Labels?]>> },
): void {
  register.registerMetric(new DurationsHistogram(metric))
}

/** prom-client declares `MetricType` as a numeric enum, but uses strings at runtime. */
const histogram = 'histogram' as unknown as MetricType.Histogram

/**
 * Exports durations that have already been counted in buckets. prom-client's own histogram only accepts individual
 * values.
 */
class DurationsHistogram extends Histogram {
  readonly #metric: Parameters<typeof addHistogram>[1]

  constructor(metric: Parameters<typeof addHistogram>[1]) {
    super({ name: metric.name, help: metric.help, labelNames: [...(metric.labelNames ?? [])], registers: [] })
    this.#metric = metric
  }

  /** Called by the registry when it exports the text format. */
  getForPromString() {
    return this.get()
  }

  override async get() {
    const { name, help, read } = this.#metric
    const values = [...(await read())].flatMap(([durations, labels = {}]) => samplesOf(name, durations, labels))
    return { name, help, values, type: histogram, aggregator: 'sum' as const, collect: () => {} }
  }
}

function samplesOf(name: string, { endsMs, counts, sumMs }: DurationHistogram, labels: Labels) {
  let below = 0
  const buckets = counts.map((count, at) => {
    below += count
    const endMs = endsMs[at]
    const le = endMs === undefined ? '+Inf' : String(endMs / 1_000)
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels, value: below },
  ]
}

import { Counter, Gauge, Histogram, type MetricType, type Registry } from 'prom-client'
import type { DurationHistogram } from '../../domain/durations.ts'

type Labels = Record<string, string>

export type Sample = readonly [value: number, labels?: Labels]

type Samples<Value> = Iterable<readonly [value: Value, labels?: Labels]>
/** Declares a metric whose values are read from the service on every scrape. */
type Declare<Value> = (
  name: string,
  labelNames: readonly string[],
  help: string,
  read: () => Samples<Value> | Promise<Samples<Value>>,
) => void

export interface Metrics {
  counter: Declare<number>
  gauge: Declare<number>
  /** Durations, exported in seconds. */
  histogram: Declare<DurationHistogram>
}

export function metricsIn(registry: Registry): Metrics {
  /** Returns settings for a metric that replaces all its samples on every scrape. */
  const settings = <Registered extends { reset(): void }>(
    [name, labelNames, help, read]: Parameters<Declare<number>>,
    put: (metric: Registered, labels: Labels, value: number) => void,
  ) => ({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    async collect(this: Registered) {
      const samples = await read()
      this.reset()
      for (const [value, labels = {}] of samples) put(this, labels, value)
    },
  })
  return {
    counter: (...metric) =>
      new Counter(settings(metric, (counter: Counter, labels, value) => counter.inc(labels, value))),
    gauge: (...metric) => new Gauge(settings(metric, (gauge: Gauge, labels, value) => gauge.set(labels, value))),
    histogram: (...metric) => registry.registerMetric(new DurationsHistogram(metric)),
  }
}

/** prom-client declares `MetricType` as a numeric enum, but uses strings at runtime. */
const histogram = 'histogram' as unknown as MetricType.Histogram

/**
 * Exports durations that have already been counted in buckets. prom-client's own histogram only accepts individual
 * values.
 */
class DurationsHistogram extends Histogram {
  readonly #metric: Parameters<Declare<DurationHistogram>>

  constructor(metric: Parameters<Declare<DurationHistogram>>) {
    const [name, labelNames, help] = metric
    super({ name, help, labelNames: [...labelNames], registers: [] })
    this.#metric = metric
  }

  /** Called by the registry when it exports the text format. */
  getForPromString() {
    return this.get()
  }

  override async get() {
    const [name, , help, read] = this.#metric
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

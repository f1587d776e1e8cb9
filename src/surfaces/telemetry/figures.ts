import { Counter, Gauge, Histogram, type MetricType, type Registry } from 'prom-client'
import type { Durations } from '../../domain/durations.ts'

type Labels = Record<string, string>

/** A value of a metric with its labels. */
export type Sample = readonly [value: number, labels?: Labels]

/** A metric whose values are read from the service on each scrape. */
export interface Figure {
  name: string
  help: string
  labelNames?: readonly string[]
  read(): Iterable<Sample> | Promise<Iterable<Sample>>
}

export function addCounter(register: Registry, figure: Figure): void {
  new Counter(collected(register, figure, (counter: Counter, labels, value) => counter.inc(labels, value)))
}

export function addGauge(register: Registry, figure: Figure): void {
  new Gauge(collected(register, figure, (gauge: Gauge, labels, value) => gauge.set(labels, value)))
}

/** Returns settings for a metric that replaces all its samples on each scrape. */
function collected<Metric extends { reset(): void }>(
  register: Registry,
  { read, labelNames = [], ...figure }: Figure,
  put: (metric: Metric, labels: Labels, value: number) => void,
) {
  return {
    ...figure,
    labelNames: [...labelNames],
    registers: [register],
    async collect(this: Metric) {
      const samples = await read()
      this.reset()
      for (const [value, labels = {}] of samples) put(this, labels, value)
    },
  }
}

/** Registers a histogram of durations, exported in seconds. */
export function addHistogram(
  register: Registry,
  figure: Omit<Figure, 'read'> & { read(): Promise<Iterable<readonly [Durations, Labels?]>> },
): void {
  register.registerMetric(new DurationsHistogram(figure))
}

/** prom-client types this as a number, but reads and writes the word. */
const histogram = 'histogram' as unknown as MetricType.Histogram

/** Exports durations that are already counted in buckets. prom-client's own histogram only observes single values. */
class DurationsHistogram extends Histogram {
  readonly #figure: Parameters<typeof addHistogram>[1]

  constructor(figure: Parameters<typeof addHistogram>[1]) {
    super({ name: figure.name, help: figure.help, labelNames: [...(figure.labelNames ?? [])], registers: [] })
    this.#figure = figure
  }

  /** Called by the registry for the text format. */
  getForPromString() {
    return this.get()
  }

  override async get() {
    const { name, help, read } = this.#figure
    const values = [...(await read())].flatMap(([durations, labels = {}]) => samplesOf(name, durations, labels))
    return { name, help, values, type: histogram, aggregator: 'sum' as const, collect: () => {} }
  }
}

function samplesOf(name: string, { endsMs, counts, sumMs }: Durations, labels: Labels) {
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

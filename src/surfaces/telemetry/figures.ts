import { Counter, Gauge, Histogram, type MetricType, type Registry } from 'prom-client'
import type { Durations } from '../../domain/durations.ts'

type Labels = Record<string, string>

/** One value of a figure, with what tells it from the others. */
export type Sample = readonly [value: number, labels?: Labels]

/** A figure that is read where it arises, at the moment it is asked for. */
export interface Figure {
  name: string
  help: string
  labelNames?: readonly string[]
  read(): Iterable<Sample> | Promise<Iterable<Sample>>
}

/** Registers a figure that only grows, except when the process starts anew. */
export function addCounter(register: Registry, figure: Figure): void {
  new Counter(collected(register, figure, (counter: Counter, labels, value) => counter.inc(labels, value)))
}

/** Registers a figure that rises and falls. */
export function addGauge(register: Registry, figure: Figure): void {
  new Gauge(collected(register, figure, (gauge: Gauge, labels, value) => gauge.set(labels, value)))
}

/** Each time the figure is asked for, all its samples are read and put in place of the ones before. */
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

/** Registers a figure of durations, in seconds. */
export function addHistogram(
  register: Registry,
  figure: Omit<Figure, 'read'> & { read(): Promise<Iterable<readonly [Durations, Labels?]>> },
): void {
  register.registerMetric(new DurationsHistogram(figure))
}

/** The library's types have a number here, but what it reads and writes is the word. */
const histogram = 'histogram' as unknown as MetricType.Histogram

/** In the library's histogram each duration is noted by itself; ours are counted already. */
class DurationsHistogram extends Histogram {
  readonly #figure: Parameters<typeof addHistogram>[1]

  constructor(figure: Parameters<typeof addHistogram>[1]) {
    super({ name: figure.name, help: figure.help, labelNames: [...(figure.labelNames ?? [])], registers: [] })
    this.#figure = figure
  }

  /** What the registry writes as text. */
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

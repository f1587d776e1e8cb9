import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import { type Audit, auditKinds } from '../../domain/audit/audit.ts'
import {
  type DurationHistogram,
  type FileFigures,
  oneAtATime,
  type StorageFigures,
} from '../../domain/background-work.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Build } from '../../domain/build.ts'
import type { Clock } from '../../domain/clock.ts'
import type { Readiness, ReadinessReport } from '../../domain/readiness.ts'
import type { DeliveryQueue } from '../../domain/webhooks/delivery-queue.ts'
import type { Dispatcher } from '../../domain/webhooks/dispatcher.ts'
import type { Refusals, ResponseCounts } from '../../http/request-metrics.ts'

export interface MeasuredServices {
  readiness: Pick<Readiness, 'check'>
  build: Build
  queue: Pick<DeliveryQueue, 'figures'>
  dispatcher: Dispatcher
  bots: Pick<Bots, 'heartbeats'>
  accounts: Pick<Accounts, 'hashing'>
  audit: Audit
  clock: Clock
  refusals: Readonly<Record<'webhooks' | 'oauth' | 'runtimes' | 'control', Refusals>>
  responses: Readonly<Record<string, ResponseCounts>>
  measuredStorage: StorageFigures
  upkeepFigures: readonly {
    name: string
    rowsDeleted: number
    failures: number
    lastDoneAtMs: number | undefined
  }[]
}

type Labels = Readonly<Record<string, string>>
type Sample = readonly [value: number | DurationHistogram, labels: Labels]

interface Declared {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  /** Returns the only value, or a value for each set of labels. Durations are exported in seconds. */
  read(): number | DurationHistogram | readonly Sample[] | Promise<number | DurationHistogram | readonly Sample[]>
}

type Table = Readonly<Record<string, Declared>>

const declared = (type: Declared['type']) => (help: string, read: Declared['read']) => ({ type, help, read })
const counter = declared('counter')
const gauge = declared('gauge')
const histogram = declared('histogram')

export function waitingMetrics(build: Build): Registry {
  return registryOf(nodeMetrics(build, async () => 'starting'))
}

/** Returns the registry for `/metrics`. Scrapes read the services, so hot paths don't depend on the metrics library. */
export function serviceMetrics(services: MeasuredServices): Registry {
  return registryOf({
    ...queueMetrics(services),
    ...runtimeMetrics(services),
    ...responseMetrics(services),
    ...storageMetrics(services),
    ...upkeepMetrics(services),
    // Last, because the check writes to the database, which the figures above would include.
    ...nodeMetrics(services.build, async () => (await services.readiness.check()).reason),
  })
}

function registryOf(table: Table): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // These gauges have names of counters, which `promtool check metrics` rejects.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`)
  for (const [name, { type, help, read }] of Object.entries(table)) {
    const get = async () => {
      const figures = await read()
      const samples = Array.isArray(figures) ? figures : [[figures, {}]]
      const values = samples.flatMap(([value, labels]: Sample) =>
        typeof value === 'number' ? { value, labels } : bucketsOf(name, value, labels),
      )
      return { name, type, help, values }
    }
    // The library's own metrics store their values, and its histogram accepts only individual durations.
    registry.registerMetric({ name, get } as unknown as Metric)
  }
  return registry
}

function bucketsOf(name: string, { endsMs, counts, sumMs }: DurationHistogram, labels: Labels) {
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

function queueMetrics({ queue, clock, refusals }: MeasuredServices): Table {
  // A scrape collects all metrics at the same time.
  const read = oneAtATime(() => queue.figures()).run
  const of = (name: 'waitingEvents' | 'waitingBytes' | 'leasedEvents' | 'accepted' | 'deliveryTimes') => async () =>
    (await read())[name]
  return {
    gatehouse_queue_events: gauge('Webhooks accepted and not yet finished.', of('waitingEvents')),
    gatehouse_queue_body_bytes: gauge('Bytes of the bodies of unfinished webhooks.', of('waitingBytes')),
    gatehouse_queue_leased_events: gauge('Webhooks leased to a runtime.', of('leasedEvents')),
    gatehouse_queue_oldest_event_age_seconds: gauge(
      'Age of the oldest unfinished webhook in seconds; 0 if there is none.',
      async () => {
        const { oldestAcceptedAtMs = clock.nowMs() } = await read()
        return Math.max(0, clock.nowMs() - oldestAcceptedAtMs) / 1_000
      },
    ),
    gatehouse_webhooks_accepted_total: counter(
      'Webhooks accepted. Each was on disk before its response.',
      of('accepted'),
    ),
    gatehouse_webhooks_refused_total: counter('Webhooks rejected, by cause.', async () => {
      const { refusedBotFull, refusedQueueFull, refusedUnavailable } = await read()
      return [
        [refusedBotFull, { cause: 'bot-full' }],
        [refusedQueueFull, { cause: 'queue-full' }],
        [refusedUnavailable, { cause: 'unavailable' }],
        ...counted(refusals.webhooks).filter(([, { cause }]) => !countedByQueue.has(cause)),
      ]
    }),
    gatehouse_deliveries_total: counter(
      'Deliveries by outcome: delivered, failed attempt, or dead letter.',
      async () => {
        const { delivered, failedAttempts, deadLetters } = await read()
        return [
          [delivered, { outcome: 'delivered' }],
          [failedAttempts, { outcome: 'failed' }],
          [deadLetters, { outcome: 'dead' }],
        ]
      },
    ),
    gatehouse_delivery_seconds: histogram(
      "Time from a webhook's acceptance to its acknowledgement by a runtime, in seconds.",
      of('deliveryTimes'),
    ),
  }
}

/** Causes that the metrics of refusals omit, because the queue counts them in more detail. */
const countedByQueue: ReadonlySet<string | undefined> = new Set(['queue-full', 'gateway-unavailable'])

function counted({ counts }: Refusals): Sample[] {
  return [...counts].map(({ labels, count }) => [count, labels])
}

/** Exports each cause from the start: a series that begins at 1 has no increase, so an alert would miss it. */
function fromZero(causes: readonly string[], refusals: Refusals): Sample[] {
  const known = new Map(counted(refusals).map(([count, { cause }]) => [cause, count]))
  return causes.map((cause) => [known.get(cause) ?? 0, { cause }])
}

function runtimeMetrics({ dispatcher, bots, refusals }: MeasuredServices): Table {
  return {
    gatehouse_runtimes_connected: gauge('Connected bot runtimes.', () => dispatcher.figures.runtimes),
    gatehouse_bots_hosted: gauge('Bots hosted by a connected runtime.', () => dispatcher.figures.bots),
    gatehouse_deliveries_in_flight: gauge(
      'Deliveries in flight at connected runtimes.',
      () => dispatcher.figures.inFlight,
    ),
    gatehouse_bot_reports_total: counter('Bot reports received in heartbeats.', () => bots.heartbeats.received),
    gatehouse_runtime_connections_refused_total: counter(
      'Connections of runtimes closed before they became a session, by cause.',
      () => fromZero(runtimeConnectionCauses, refusals.runtimes),
    ),
  }
}

const runtimeConnectionCauses = [
  'key-missing',
  'key-rejected',
  'key-unreadable',
  'no-subprotocol',
  'too-many-sessions',
  'draining',
]
const operatorKeyCauses = ['key-missing', 'key-wrong', 'too-many-wrong-keys', 'read-only']

function responseMetrics({ responses, audit, accounts, refusals }: MeasuredServices): Table {
  return {
    gatehouse_oauth_refusals_total: counter('OAuth requests rejected, by endpoint and cause.', () =>
      counted(refusals.oauth),
    ),
    gatehouse_operator_key_refusals_total: counter(
      'Calls to the control surface rejected for their operator key, by cause.',
      () => fromZero(operatorKeyCauses, refusals.control),
    ),
    gatehouse_http_answers_total: counter('HTTP responses by surface, route pattern and status.', () =>
      Object.entries(responses).flatMap(([surface, counts]) =>
        counts.all().map(({ route, status, count }): Sample => [count, { surface, route, status: String(status) }]),
      ),
    ),
    // From 0, as in fromZero.
    gatehouse_audit_events_total: counter('Audit events by kind.', () =>
      auditKinds.map((kind) => [audit.counts.get(kind) ?? 0, { kind }]),
    ),
    gatehouse_hashing_waiting: gauge(
      'Passwords and PINs waiting to be hashed. Requests are rejected when the queue is full.',
      () => accounts.hashing.figures.waiting,
    ),
  }
}

function storageMetrics({ measuredStorage: { files, pools } }: MeasuredServices): Table {
  const ofFiles = (figure: keyof FileFigures) => () =>
    files.map(({ name, figures }): Sample => [figures()[figure], { database: name }])
  return {
    gatehouse_database_commits_total: counter(
      'Committed transactions. Each contains the writes of one event loop tick.',
      ofFiles('commits'),
    ),
    gatehouse_database_writes_total: counter('Committed writes.', ofFiles('writes')),
    gatehouse_database_waiting_writes: gauge(
      'Writes waiting for their commit or for the disk.',
      ofFiles('waitingWrites'),
    ),
    gatehouse_database_sync_seconds: histogram(
      'Duration of disk syncs in seconds. Responses wait for the sync of their writes.',
      ofFiles('syncTimes'),
    ),
    gatehouse_pool_connections: gauge('Connections to the database server, by state.', () =>
      pools.flatMap(({ name: pool, figures }): Sample[] => {
        const { connections, idle } = figures()
        return [
          [connections - idle, { pool, state: 'busy' }],
          [idle, { pool, state: 'idle' }],
        ]
      }),
    ),
    gatehouse_pool_waiting: gauge('Tasks waiting for a connection to the database server.', () =>
      pools.map(({ name, figures }) => [figures().waiting, { pool: name }]),
    ),
  }
}

function upkeepMetrics({ upkeepFigures }: MeasuredServices): Table {
  const ofJobs = (figure: 'rowsDeleted' | 'failures') => () =>
    upkeepFigures.map((job): Sample => [job[figure], { job: job.name }])
  return {
    gatehouse_upkeep_deleted_rows_total: counter('Rows deleted because their retention ended.', ofJobs('rowsDeleted')),
    gatehouse_upkeep_failures_total: counter('Failed runs of upkeep jobs.', ofJobs('failures')),
    gatehouse_upkeep_last_done_timestamp_seconds: gauge(
      'Time of the last completed run of an upkeep job, in seconds since the epoch.',
      () =>
        upkeepFigures.flatMap(({ name, lastDoneAtMs }): Sample[] =>
          lastDoneAtMs === undefined ? [] : [[lastDoneAtMs / 1_000, { job: name }]],
        ),
    ),
  }
}

/** @param reason returns why this node isn't ready, or `none`. */
function nodeMetrics({ version, commit }: Build, reason: () => Promise<ReadinessReport['reason']>): Table {
  return {
    gatehouse_ready: gauge('Readiness of this node: 1, or 0 with the reason.', async () => {
      const word = await reason()
      return [[word === 'none' ? 1 : 0, { reason: word }]]
    }),
    gatehouse_build_info: gauge('The release that runs: its version, and the commit where it is known.', () => [
      [1, { version, ...(commit !== undefined && { commit }) }],
    ]),
  }
}

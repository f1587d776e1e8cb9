import type { Registry } from 'prom-client'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import { type Audit, auditKinds } from '../../domain/audit/audit.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Build } from '../../domain/build.ts'
import type { Clock } from '../../domain/clock.ts'
import type { DurationHistogram } from '../../domain/durations.ts'
import type { Readiness } from '../../domain/readiness.ts'
import type { DeliveryQueue, QueueFigures } from '../../domain/webhooks/delivery-queue.ts'
import type { Dispatcher } from '../../domain/webhooks/dispatcher.ts'
import type { Refusals, ResponseCounts } from '../../http/request-metrics.ts'
import { addNode, processMetrics } from './node-metrics.ts'
import { type Metrics, metricsIn, type Sample } from './register-metric.ts'

export interface MeasuredServices {
  readiness: Pick<Readiness, 'check'>
  build: Build
  queue: Pick<DeliveryQueue, 'figures'>
  dispatcher: Dispatcher
  bots: Pick<Bots, 'heartbeats'>
  accounts: Pick<Accounts, 'hashing'>
  audit: Audit
  clock: Clock
  /** Rejected requests, by kind. */
  refusals: Readonly<Record<'webhooks' | 'oauth' | 'runtimes' | 'control', Refusals>>
  responses: Readonly<Record<string, ResponseCounts>>
  /** SQLite files or connection pools. One of the two lists is empty. */
  measuredStorage: {
    files: readonly {
      name: string
      figures(): { commits: number; writes: number; waitingWrites: number; syncTimes: DurationHistogram }
    }[]
    pools: readonly { name: string; figures(): { connections: number; idle: number; waiting: number } }[]
  }
  upkeepFigures: readonly {
    name: string
    rowsDeleted: number
    failures: number
    lastDoneAtMs: number | undefined
  }[]
}

/**
 * Returns the registry for `/metrics`. Values are read from the services on every scrape, so hot paths don't depend on
 * the metrics library.
 */
export function serviceMetrics(services: MeasuredServices): Registry {
  const registry = processMetrics()
  const metrics = metricsIn(registry)
  addQueue(metrics, services)
  addRuntimes(metrics, services)
  addResponses(metrics, services)
  addFiles(metrics, services)
  addPools(metrics, services)
  addUpkeep(metrics, services)
  // Last, because the check writes to the database, which the figures above would include.
  addNode(metrics, services.build, async () => (await services.readiness.check()).reason)
  return registry
}

function addQueue({ counter, gauge, histogram }: Metrics, { queue, clock, refusals }: MeasuredServices): void {
  const read = shareConcurrent(() => queue.figures())
  const figure = (name: string, help: string, value: (figures: QueueFigures) => number) =>
    gauge(name, [], help, async () => [[value(await read())]])
  figure('gatehouse_queue_events', 'Webhooks accepted and not yet finished.', ({ waitingEvents }) => waitingEvents)
  figure(
    'gatehouse_queue_body_bytes',
    'Bytes of the bodies of unfinished webhooks.',
    ({ waitingBytes }) => waitingBytes,
  )
  figure('gatehouse_queue_leased_events', 'Webhooks leased to a runtime.', ({ leasedEvents }) => leasedEvents)
  figure(
    'gatehouse_queue_oldest_event_age_seconds',
    'Age of the oldest unfinished webhook in seconds; 0 if there is none.',
    ({ oldestAcceptedAtMs }) => Math.max(0, clock.nowMs() - (oldestAcceptedAtMs ?? clock.nowMs())) / 1_000,
  )
  counter(
    'gatehouse_webhooks_accepted_total',
    [],
    'Webhooks accepted. Each was on disk before its response.',
    async () => [[(await read()).accepted]],
  )
  counter('gatehouse_webhooks_refused_total', ['cause'], 'Webhooks rejected, by cause.', async () => {
    const { refusedBotFull, refusedQueueFull, refusedUnavailable } = await read()
    return [
      [refusedBotFull, { cause: 'bot-full' }],
      [refusedQueueFull, { cause: 'queue-full' }],
      [refusedUnavailable, { cause: 'unavailable' }],
      ...[...refusals.webhooks.counts]
        .filter(({ labels }) => !countedByQueue.has(labels.cause))
        .map(({ labels, count }): Sample => [count, labels]),
    ]
  })
  counter(
    'gatehouse_deliveries_total',
    ['outcome'],
    'Deliveries by outcome: delivered, failed attempt, or dead letter.',
    async () => {
      const { delivered, failedAttempts, deadLetters } = await read()
      return [
        [delivered, { outcome: 'delivered' }],
        [failedAttempts, { outcome: 'failed' }],
        [deadLetters, { outcome: 'dead' }],
      ]
    },
  )
  histogram(
    'gatehouse_delivery_seconds',
    [],
    "Time from a webhook's acceptance to its acknowledgement by a runtime, in seconds.",
    async () => [[(await read()).deliveryTimes]],
  )
}

/** Causes that the metrics of refusals omit, because the queue counts them in more detail. */
const countedByQueue: ReadonlySet<string | undefined> = new Set(['queue-full', 'gateway-unavailable'])

/** Shares one pending read among concurrent callers, because a scrape collects all metrics at the same time. */
function shareConcurrent<Read>(read: () => Promise<Read>): () => Promise<Read> {
  let reading: Promise<Read> | undefined
  return () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}

function addRuntimes({ counter, gauge }: Metrics, { dispatcher, bots, refusals }: MeasuredServices): void {
  const figure = (name: string, help: string, value: (figures: Dispatcher['figures']) => number) =>
    gauge(name, [], help, () => [[value(dispatcher.figures)]])
  figure('gatehouse_runtimes_connected', 'Connected bot runtimes.', ({ runtimes }) => runtimes)
  figure('gatehouse_bots_hosted', 'Bots hosted by a connected runtime.', ({ bots: hosted }) => hosted)
  figure('gatehouse_deliveries_in_flight', 'Deliveries in flight at connected runtimes.', ({ inFlight }) => inFlight)
  counter('gatehouse_bot_reports_total', [], 'Bot reports received in heartbeats.', () => [[bots.heartbeats.received]])
  counter(
    'gatehouse_runtime_connections_refused_total',
    ['cause'],
    'Connections of runtimes closed before they became a session, by cause.',
    () => fromZero(runtimeConnectionCauses, refusals.runtimes),
  )
}

function addResponses({ counter, gauge }: Metrics, { responses, audit, accounts, refusals }: MeasuredServices): void {
  counter('gatehouse_oauth_refusals_total', ['route', 'cause'], 'OAuth requests rejected, by endpoint and cause.', () =>
    [...refusals.oauth.counts].map(({ labels, count }): Sample => [count, labels]),
  )
  counter(
    'gatehouse_operator_key_refusals_total',
    ['cause'],
    'Calls to the control surface rejected for their operator key, by cause.',
    () => fromZero(operatorKeyCauses, refusals.control),
  )
  counter(
    'gatehouse_http_answers_total',
    ['surface', 'route', 'status'],
    'HTTP responses by surface, route pattern and status.',
    () =>
      Object.entries(responses).flatMap(([surface, counts]) =>
        counts.all().map(({ route, status, count }): Sample => [count, { surface, route, status: String(status) }]),
      ),
  )
  // Start at 0: a series that starts at 1 shows no increase, so an alert would miss the first event of its kind.
  counter('gatehouse_audit_events_total', ['kind'], 'Audit events by kind.', () =>
    auditKinds.map((kind): Sample => [audit.counts.get(kind) ?? 0, { kind }]),
  )
  gauge(
    'gatehouse_hashing_waiting',
    [],
    'Passwords and PINs waiting to be hashed. Requests are rejected when the queue is full.',
    () => [[accounts.hashing.figures.waiting]],
  )
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

/** Exports each cause from the start: a series that begins at 1 has no increase, so an alert would miss it. */
function fromZero(causes: readonly string[], { counts }: Refusals): Sample[] {
  const counted = new Map([...counts].map(({ labels, count }) => [labels.cause, count]))
  return causes.map((cause) => [counted.get(cause) ?? 0, { cause }])
}

function addFiles({ counter, gauge, histogram }: Metrics, { measuredStorage: { files } }: MeasuredServices): void {
  type Figures = ReturnType<(typeof files)[number]['figures']>
  const labelNames = ['database']
  const samples = (value: (figures: Figures) => number) =>
    files.map(({ name, figures }): Sample => [value(figures()), { database: name }])
  counter(
    'gatehouse_database_commits_total',
    labelNames,
    'Committed transactions. Each contains the writes of one event loop tick.',
    () => samples(({ commits }) => commits),
  )
  counter('gatehouse_database_writes_total', labelNames, 'Committed writes.', () => samples(({ writes }) => writes))
  gauge('gatehouse_database_waiting_writes', labelNames, 'Writes waiting for their commit or for the disk.', () =>
    samples(({ waitingWrites }) => waitingWrites),
  )
  histogram(
    'gatehouse_database_sync_seconds',
    labelNames,
    'Duration of disk syncs in seconds. Responses wait for the sync of their writes.',
    async () => files.map(({ name, figures }) => [figures().syncTimes, { database: name }] as const),
  )
}

function addPools({ gauge }: Metrics, { measuredStorage: { pools } }: MeasuredServices): void {
  gauge('gatehouse_pool_connections', ['pool', 'state'], 'Connections to the database server, by state.', () =>
    pools.flatMap(({ name: pool, figures }): Sample[] => {
      const { connections, idle } = figures()
      return [
        [connections - idle, { pool, state: 'busy' }],
        [idle, { pool, state: 'idle' }],
      ]
    }),
  )
  gauge('gatehouse_pool_waiting', ['pool'], 'Tasks waiting for a connection to the database server.', () =>
    pools.map(({ name, figures }): Sample => [figures().waiting, { pool: name }]),
  )
}

function addUpkeep({ counter, gauge }: Metrics, { upkeepFigures }: MeasuredServices): void {
  const labelNames = ['job']
  counter('gatehouse_upkeep_deleted_rows_total', labelNames, 'Rows deleted because their retention ended.', () =>
    upkeepFigures.map(({ name, rowsDeleted }): Sample => [rowsDeleted, { job: name }]),
  )
  counter('gatehouse_upkeep_failures_total', labelNames, 'Failed runs of upkeep jobs.', () =>
    upkeepFigures.map(({ name, failures }): Sample => [failures, { job: name }]),
  )
  gauge(
    'gatehouse_upkeep_last_done_timestamp_seconds',
    labelNames,
    'Time of the last completed run of an upkeep job, in seconds since the epoch.',
    () =>
      upkeepFigures.flatMap(({ name, lastDoneAtMs }): Sample[] =>
        lastDoneAtMs === undefined ? [] : [[lastDoneAtMs / 1_000, { job: name }]],
      ),
  )
}

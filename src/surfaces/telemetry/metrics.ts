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
import { addCounter, addGauge, addHistogram, type Sample } from './register-metric.ts'

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
  /** Response counts by surface. */
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
  addQueue(registry, services)
  addRuntimes(registry, services)
  addResponses(registry, services)
  addFiles(registry, services)
  addPools(registry, services)
  addUpkeep(registry, services)
  // Last, because the check writes to the database, which the figures above would include.
  addNode(registry, services.build, async () => (await services.readiness.check()).reason)
  return registry
}

function addQueue(registry: Registry, { queue, clock, refusals }: MeasuredServices): void {
  const read = shareConcurrent(() => queue.figures())
  const gauge = (name: string, help: string, value: (figures: QueueFigures) => number) =>
    addGauge(registry, { name, help, read: async () => [[value(await read())]] })
  gauge('gatehouse_queue_events', 'Webhooks accepted and not yet finished.', ({ waitingEvents }) => waitingEvents)
  gauge('gatehouse_queue_body_bytes', 'Bytes of the bodies of unfinished webhooks.', ({ waitingBytes }) => waitingBytes)
  gauge('gatehouse_queue_leased_events', 'Webhooks leased to a runtime.', ({ leasedEvents }) => leasedEvents)
  gauge(
    'gatehouse_queue_oldest_event_age_seconds',
    'Age of the oldest unfinished webhook in seconds; 0 if there is none.',
    ({ oldestAcceptedAtMs }) => Math.max(0, clock.nowMs() - (oldestAcceptedAtMs ?? clock.nowMs())) / 1_000,
  )
  addCounter(registry, {
    name: 'gatehouse_webhooks_accepted_total',
    help: 'Webhooks accepted. Each was on disk before its response.',
    read: async () => [[(await read()).accepted]],
  })
  addCounter(registry, {
    name: 'gatehouse_webhooks_refused_total',
    help: 'Webhooks rejected, by cause.',
    labelNames: ['cause'],
    read: async () => {
      const { refusedBotFull, refusedQueueFull, refusedUnavailable } = await read()
      return [
        [refusedBotFull, { cause: 'bot-full' }],
        [refusedQueueFull, { cause: 'queue-full' }],
        [refusedUnavailable, { cause: 'unavailable' }],
        ...[...refusals.webhooks.counts]
          .filter(({ labels }) => !countedByQueue.has(labels.cause))
          .map(({ labels, count }): Sample => [count, labels]),
      ]
    },
  })
  addCounter(registry, {
    name: 'gatehouse_deliveries_total',
    help: 'Deliveries by outcome: delivered, failed attempt, or dead letter.',
    labelNames: ['outcome'],
    read: async () => {
      const { delivered, failedAttempts, deadLetters } = await read()
      return [
        [delivered, { outcome: 'delivered' }],
        [failedAttempts, { outcome: 'failed' }],
        [deadLetters, { outcome: 'dead' }],
      ]
    },
  })
  addHistogram(registry, {
    name: 'gatehouse_delivery_seconds',
    help: "Time from a webhook's acceptance to its acknowledgement by a runtime, in seconds.",
    read: async () => [[(await read()).deliveryTimes]],
  })
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

function addRuntimes(registry: Registry, { dispatcher, bots, refusals }: MeasuredServices): void {
  const gauge = (name: string, help: string, value: (figures: Dispatcher['figures']) => number) =>
    addGauge(registry, { name, help, read: () => [[value(dispatcher.figures)]] })
  gauge('gatehouse_runtimes_connected', 'Connected bot runtimes.', ({ runtimes }) => runtimes)
  gauge('gatehouse_bots_hosted', 'Bots hosted by a connected runtime.', ({ bots: hosted }) => hosted)
  gauge('gatehouse_deliveries_in_flight', 'Deliveries in flight at connected runtimes.', ({ inFlight }) => inFlight)
  addCounter(registry, {
    name: 'gatehouse_bot_reports_total',
    help: 'Bot reports received in heartbeats.',
    read: () => [[bots.heartbeats.received]],
  })
  addCounter(registry, {
    name: 'gatehouse_runtime_connections_refused_total',
    help: 'Connections of runtimes closed before they became a session, by cause.',
    labelNames: ['cause'],
    read: () => fromZero(runtimeConnectionCauses, refusals.runtimes),
  })
}

function addResponses(registry: Registry, { responses, audit, accounts, refusals }: MeasuredServices): void {
  addCounter(registry, {
    name: 'gatehouse_oauth_refusals_total',
    help: 'OAuth requests rejected, by endpoint and cause.',
    labelNames: ['route', 'cause'],
    read: () => [...refusals.oauth.counts].map(({ labels, count }): Sample => [count, labels]),
  })
  addCounter(registry, {
    name: 'gatehouse_operator_key_refusals_total',
    help: 'Calls to the control surface rejected for their operator key, by cause.',
    labelNames: ['cause'],
    read: () => fromZero(operatorKeyCauses, refusals.control),
  })
  addCounter(registry, {
    name: 'gatehouse_http_answers_total',
    help: 'HTTP responses by surface, route pattern and status.',
    labelNames: ['surface', 'route', 'status'],
    read: () =>
      Object.entries(responses).flatMap(([surface, counts]) =>
        counts.all().map(({ route, status, count }): Sample => [count, { surface, route, status: String(status) }]),
      ),
  })
  addCounter(registry, {
    name: 'gatehouse_audit_events_total',
    help: 'Audit events by kind.',
    labelNames: ['kind'],
    // Start at 0: a series that starts at 1 shows no increase, so an alert would miss the first event of its kind.
    read: () => auditKinds.map((kind): Sample => [audit.counts.get(kind) ?? 0, { kind }]),
  })
  addGauge(registry, {
    name: 'gatehouse_hashing_waiting',
    help: 'Passwords and PINs waiting to be hashed. Requests are rejected when the queue is full.',
    read: () => [[accounts.hashing.figures.waiting]],
  })
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

function addFiles(registry: Registry, { measuredStorage: { files } }: MeasuredServices): void {
  type Figures = ReturnType<(typeof files)[number]['figures']>
  const labelNames = ['database']
  const samples = (value: (figures: Figures) => number) =>
    files.map(({ name, figures }): Sample => [value(figures()), { database: name }])
  addCounter(registry, {
    name: 'gatehouse_database_commits_total',
    help: 'Committed transactions. Each contains the writes of one event loop tick.',
    labelNames,
    read: () => samples(({ commits }) => commits),
  })
  addCounter(registry, {
    name: 'gatehouse_database_writes_total',
    help: 'Committed writes.',
    labelNames,
    read: () => samples(({ writes }) => writes),
  })
  addGauge(registry, {
    name: 'gatehouse_database_waiting_writes',
    help: 'Writes waiting for their commit or for the disk.',
    labelNames,
    read: () => samples(({ waitingWrites }) => waitingWrites),
  })
  addHistogram(registry, {
    name: 'gatehouse_database_sync_seconds',
    help: 'Duration of disk syncs in seconds. Responses wait for the sync of their writes.',
    labelNames,
    read: async () => files.map(({ name, figures }) => [figures().syncTimes, { database: name }] as const),
  })
}

function addPools(registry: Registry, { measuredStorage: { pools } }: MeasuredServices): void {
  addGauge(registry, {
    name: 'gatehouse_pool_connections',
    help: 'Connections to the database server, by state.',
    labelNames: ['pool', 'state'],
    read: () =>
      pools.flatMap(({ name: pool, figures }): Sample[] => {
        const { connections, idle } = figures()
        return [
          [connections - idle, { pool, state: 'busy' }],
          [idle, { pool, state: 'idle' }],
        ]
      }),
  })
  addGauge(registry, {
    name: 'gatehouse_pool_waiting',
    help: 'Tasks waiting for a connection to the database server.',
    labelNames: ['pool'],
    read: () => pools.map(({ name, figures }): Sample => [figures().waiting, { pool: name }]),
  })
}

function addUpkeep(registry: Registry, { upkeepFigures }: MeasuredServices): void {
  const labelNames = ['job']
  addCounter(registry, {
    name: 'gatehouse_upkeep_deleted_rows_total',
    help: 'Rows deleted because their retention ended.',
    labelNames,
    read: () => upkeepFigures.map(({ name, rowsDeleted }): Sample => [rowsDeleted, { job: name }]),
  })
  addCounter(registry, {
    name: 'gatehouse_upkeep_failures_total',
    help: 'Failed runs of upkeep jobs.',
    labelNames,
    read: () => upkeepFigures.map(({ name, failures }): Sample => [failures, { job: name }]),
  })
  addGauge(registry, {
    name: 'gatehouse_upkeep_last_done_timestamp_seconds',
    help: 'Time of the last completed run of an upkeep job, in seconds since the epoch.',
    labelNames,
    read: () =>
      upkeepFigures.flatMap(({ name, lastDoneAtMs }): Sample[] =>
        lastDoneAtMs === undefined ? [] : [[lastDoneAtMs / 1_000, { job: name }]],
      ),
  })
}

import { hash } from 'node:crypto'
import { oneAtATime } from '../../domain/background-work.ts'
import type { Clock } from '../../domain/clock.ts'
import type { Delivery, DeliveryTracing } from '../../domain/webhooks/delivery-queue.ts'

export interface TracingSettings {
  /** Base URL of the collector, without a trailing slash. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  serviceName: string
}

const sendEveryMs = 5_000
const sendTimeoutMs = 5_000
const spansPerRequest = 512
/** Maximum number of finished spans waiting to be sent. When it is exceeded, the oldest span is dropped. */
const spansWaitingMax = 4_096
/** Maximum number of unfinished spans, one per delivery attempt. When it is exceeded, the oldest span is dropped. */
const openMax = 10_000

/**
 * Sends webhook traces to a collector, as OTLP over HTTP with JSON. Each event is one trace, from acceptance through
 * all attempts to acknowledgement (decision 0031). Its IDs are derived from the event's ID, so nothing has to be stored
 * and all nodes contribute to the same trace.
 *
 * @param parts.onFault receives the first failure to send, and the first failure after each recovery.
 */
export function otlpTracing(parts: {
  settings: TracingSettings
  clock: Clock
  onFault: (error: unknown) => void
}): DeliveryTracing & { close(): Promise<void> } {
  const { endpoint, headers, serviceName } = parts.settings
  const { clock, onFault } = parts
  const open = new Map<string, object>()
  /** Finished spans in OTLP's JSON encoding (opentelemetry-proto, `Span`). */
  let waiting: object[] = []
  let failing = false
  const sending = oneAtATime(sendAll)
  const stopClock = clock.every(sendEveryMs, sending.run)

  function add(span: object): void {
    if (waiting.length >= spansWaitingMax) waiting.shift()
    waiting.push(span)
    // While the collector is unreachable, retry only on the timer, not for each span.
    if (waiting.length >= spansPerRequest && !failing) sending.run()
  }

  /** Sends all waiting spans in batches. Spans that can't be sent are kept for the next attempt. */
  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, spansPerRequest)
      try {
        const answer = await fetch(`${endpoint}/v1/traces`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(requestOf(batch, serviceName)),
          signal: AbortSignal.timeout(sendTimeoutMs),
        })
        await answer.arrayBuffer()
        if (!answer.ok) throw new Error(`the trace collector responded with ${answer.status}`)
        failing = false
      } catch (error) {
        waiting = [...batch, ...waiting].slice(-spansWaitingMax)
        if (!failing) onFault(error)
        failing = true
        return
      }
    }
  }

  return {
    dispatched({ id, delivery, attempt, botId, flowId, acceptedAtMs }: Delivery): string {
      const nowMs = clock.nowMs()
      const traceId = idFrom(`trace ${id}`, 16)
      const rootId = idFrom(`event ${id}`, 8)
      const spanId = idFrom(`delivery ${delivery}`, 8)
      const about = { 'gatehouse.bot.id': botId, 'gatehouse.flow.id': flowId, 'messaging.message.id': id }
      if (attempt === 1) {
        add({
          traceId,
          spanId: rootId,
          name: 'webhook accepted and queued',
          kind: kinds.server,
          startTimeUnixNano: inNanoseconds(acceptedAtMs),
          endTimeUnixNano: inNanoseconds(nowMs),
          attributes: asAttributes(about),
        })
      }
      open.set(delivery, {
        traceId,
        spanId,
        parentSpanId: rootId,
        name: 'webhook delivery',
        kind: kinds.producer,
        startTimeUnixNano: inNanoseconds(nowMs),
        attributes: asAttributes({ ...about, 'gatehouse.attempt': attempt }),
      })
      const [oldest] = open.keys()
      if (open.size > openMax && oldest !== undefined) open.delete(oldest)
      return `00-${traceId}-${spanId}-01`
    },

    ended(delivery: string, error: string | undefined): void {
      const span = open.get(delivery)
      if (span === undefined) return
      open.delete(delivery)
      const status = error !== undefined && { status: { code: statusError, message: error } }
      add({ ...span, endTimeUnixNano: inNanoseconds(clock.nowMs()), ...status })
    },

    async close(): Promise<void> {
      stopClock()
      await sending.running
      await sending.run()
    },
  }
}

function idFrom(text: string, bytes: number): string {
  return hash('sha256', text).slice(0, bytes * 2)
}

const kinds = { server: 2, producer: 4 } as const
const statusError = 2

/** Returns the spans as an `ExportTraceServiceRequest` of opentelemetry-proto. */
function requestOf(spans: readonly object[], serviceName: string): object {
  const resource = { attributes: asAttributes({ 'service.name': serviceName }) }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'gatehouse' }, spans }] }] }
}

function asAttributes(attributes: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}

function inNanoseconds(ms: number): string {
  return `${Math.trunc(ms)}000000`
}

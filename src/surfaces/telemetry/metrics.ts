import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { DeliveryQueue } from '../../domain/webhooks/delivery-queue.ts'

/**
 * What `/metrics` tells, in the text format of Prometheus. Nothing is counted here: the figures are read from where
 * they arise when they are asked for, so that no hot path knows of metrics.
 */
export function metricsOf({ queue }: { queue: DeliveryQueue }): Registry {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  new Gauge({
    name: 'gatehouse_queue_events',
    help: 'Webhooks accepted and not yet finished.',
    registers,
    collect() {
      this.set(queue.figures.waitingEvents)
    },
  })
  new Gauge({
    name: 'gatehouse_queue_body_bytes',
    help: 'Bodies of the webhooks that are not yet finished, in bytes.',
    registers,
    collect() {
      this.set(queue.figures.waitingBytes)
    },
  })
  new Counter({
    name: 'gatehouse_webhooks_accepted_total',
    help: 'Webhooks accepted, which were on disk before they were answered.',
    registers,
    collect() {
      this.reset()
      this.inc(queue.figures.accepted)
    },
  })
  new Counter({
    name: 'gatehouse_webhooks_refused_total',
    help: 'Webhooks answered with 503, by what did not take them: the queue of their bot, that of all, or the disk.',
    labelNames: ['cause'],
    registers,
    collect() {
      const { refusedBotFull, refusedQueueFull, refusedUnavailable } = queue.figures
      this.reset()
      this.inc({ cause: 'bot-full' }, refusedBotFull)
      this.inc({ cause: 'queue-full' }, refusedQueueFull)
      this.inc({ cause: 'unavailable' }, refusedUnavailable)
    },
  })
  new Counter({
    name: 'gatehouse_deliveries_total',
    help: 'What became of webhooks at runtimes: delivered, an attempt failed, or given up as a dead letter.',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { delivered, failedAttempts, deadLetters } = queue.figures
      this.reset()
      this.inc({ outcome: 'delivered' }, delivered)
      this.inc({ outcome: 'failed' }, failedAttempts)
      this.inc({ outcome: 'dead' }, deadLetters)
    },
  })
  return registry
}

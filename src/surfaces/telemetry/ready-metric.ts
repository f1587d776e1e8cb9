import type { ReadinessReport } from '../../domain/readiness.ts'
import type { Metric } from './register-metric.ts'

/** @param reason returns why this node isn't ready, or `none`. */
export function readyMetric(reason: () => ReadinessReport['reason'] | Promise<ReadinessReport['reason']>): Metric {
  return {
    name: 'gatehouse_ready',
    help: 'Readiness of this node: 1, or 0 with the reason.',
    labelNames: ['reason'],
    async read() {
      const word = await reason()
      return [[word === 'none' ? 1 : 0, { reason: word }]]
    },
  }
}

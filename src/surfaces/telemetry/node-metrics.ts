import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Build } from '../../domain/build.ts'
import type { ReadinessReport } from '../../domain/readiness.ts'
import { type Metrics, metricsIn } from './register-metric.ts'

/** Returns the registry for `/metrics` of a node that is waiting for its database. */
export function waitingMetrics(build: Build): Registry {
  const registry = processMetrics()
  addNode(metricsIn(registry), build, async () => 'starting')
  return registry
}

export function processMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/**
 * Adds the metrics of readiness and release.
 *
 * @param reason returns why this node isn't ready, or `none`.
 */
export function addNode(
  { gauge }: Metrics,
  { version, commit }: Build,
  reason: () => Promise<ReadinessReport['reason']>,
): void {
  gauge('gatehouse_ready', ['reason'], 'Readiness of this node: 1, or 0 with the reason.', async () => {
    const word = await reason()
    return [[word === 'none' ? 1 : 0, { reason: word }]]
  })
  gauge(
    'gatehouse_build_info',
    ['version', 'commit'],
    'The release that runs: its version, and the commit where it is known.',
    () => [[1, { version, ...(commit === undefined ? {} : { commit }) }]],
  )
}

import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Build } from '../../domain/build.ts'
import type { ReadinessReport } from '../../domain/readiness.ts'
import { addGauge } from './register-metric.ts'

/** Returns the registry for `/metrics` of a node that is waiting for its database. */
export function waitingMetrics(build: Build): Registry {
  const registry = processMetrics()
  addNode(registry, build, async () => 'starting')
  return registry
}

/** Returns a registry with the metrics of the process. */
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
  registry: Registry,
  { version, commit }: Build,
  reason: () => Promise<ReadinessReport['reason']>,
): void {
  addGauge(registry, {
    name: 'gatehouse_ready',
    help: 'Readiness of this node: 1, or 0 with the reason.',
    labelNames: ['reason'],
    async read() {
      const word = await reason()
      return [[word === 'none' ? 1 : 0, { reason: word }]]
    },
  })
  addGauge(registry, {
    name: 'gatehouse_build_info',
    help: 'The release that runs: its version, and the commit where it is known.',
    labelNames: ['version', 'commit'],
    read: () => [[1, { version, ...(commit === undefined ? {} : { commit }) }]],
  })
}

import type { Build } from '../../domain/build.ts'
import type { Metric } from './register-metric.ts'

/** Returns a metric whose value is always 1. Its labels name the release. */
export function buildMetric({ version, commit }: Build): Metric {
  return {
    name: 'gatehouse_build_info',
    help: 'The release that runs: its version, and the commit where it is known.',
    labelNames: ['version', 'commit'],
    read: () => [[1, { version, ...(commit === undefined ? {} : { commit }) }]],
  }
}

import type { ReadinessReport } from '../../domain/readiness.ts'
import type { Figure } from './figures.ts'

/** @param reason returns why this node isn't ready, or `none`. */
export function readyFigure(reason: () => ReadinessReport['reason'] | Promise<ReadinessReport['reason']>): Figure {
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

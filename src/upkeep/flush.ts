import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/clock.ts'

const intervalMs = 60_000

/**
 * Stores in-memory counts once a minute. A failed flush is logged and doesn't stop the other flushes. Returns a
 * function that stops the timer after a final flush.
 */
export function startFlushing(parts: {
  clock: Clock
  log: FastifyBaseLogger
  flushes: readonly { name: string; flush(): Promise<void> }[]
}) {
  async function flushAll(): Promise<void> {
    for (const { name, flush } of parts.flushes) {
      try {
        await flush()
      } catch (error) {
        parts.log.error({ err: error, of: name }, 'flush of in-memory counts failed')
      }
    }
  }

  let running: Promise<void> = Promise.resolve()
  const stopClock = parts.clock.every(intervalMs, () => {
    running = running.then(flushAll)
  })

  return async (): Promise<void> => {
    stopClock()
    await running
    await flushAll()
  }
}

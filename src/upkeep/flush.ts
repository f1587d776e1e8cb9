import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/clock.ts'

const intervalMs = 60_000

/**
 * Stores once a minute what is only noted in memory. What fails is logged, and its figures stay as they
 * were. Returns the function that stops it, after storing one last time.
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
        parts.log.error({ err: error, of: name }, 'figures noted in memory could not be stored')
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

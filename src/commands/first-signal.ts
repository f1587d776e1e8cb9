import { exitCodes } from './start-fault.ts'

/**
 * Ctrl-C reaches every process of the terminal, and npm passes it on once more. What comes this soon
 * after the first signal is that echo, not a person who has lost patience.
 */
const echoMs = 500

/** Resolves with the first of the signals; a later one that is no echo of it ends the process at once. */
export function firstSignal(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined
    const told = (signal: NodeJS.Signals) => {
      if (firstAtMs === undefined) {
        firstAtMs = performance.now()
        resolve(signal)
      } else if (performance.now() - firstAtMs > echoMs) {
        process.exit(exitCodes.failed)
      }
    }
    for (const signal of signals) process.on(signal, told)
  })
}

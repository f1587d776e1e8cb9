import { exitCodes } from './start-fault.ts'

/** Ctrl-C signals every process in the terminal, and npm forwards it again. This soon, it is no second Ctrl-C. */
const echoMs = 500

/** Resolves with the first signal. Any later signal that is not an echo ends the process immediately. */
export function firstSignal(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAtMs === undefined) {
        firstAtMs = performance.now()
        resolve(signal)
      } else if (performance.now() - firstAtMs > echoMs) {
        process.exit(exitCodes.failed)
      }
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
}

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const delayMs = 1_000

/**
 * One second after the call, frees the memory that was needed only at startup (decision 0032). An idle process never
 * fills its heap, so V8 would keep that memory. Blocks the event loop for less than 100 ms.
 */
export function releaseStartupMemory(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect: NodeJS.GCFunction = runInNewContext('gc')
    setFlagsFromString('--no-expose-gc')
    // The collection drops hidden classes without an object. If there is no tick object now, `process.nextTick` takes
    // ten times as long for the rest of the process.
    process.nextTick(() => {})
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, delayMs).unref()
}

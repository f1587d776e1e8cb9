import { readFileSync } from 'node:fs'

/** Linux reports processor time in this unit on every architecture. */
const ticksPerSecond = 100

/**
 * Returns the processor time of this process, and of its child processes that have ended, with theirs. Returns
 * `undefined` on systems other than Linux.
 */
export function processorSeconds(): number | undefined {
  try {
    // The process's name comes before these fields, in parentheses, and may contain spaces.
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number)
    return (user! + system! + childrenUser! + childrenSystem!) / ticksPerSecond
  } catch {
    return undefined
  }
}

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

/** What {@link referenceWork} takes on the machine that the limits were measured on, while nothing else runs there. */
const referenceMs = 19

/**
 * Tells how much slower than the reference machine this one is. Tests take up to twice as much processor time when other
 * programs use the same caches. So {@link sample} repeats a fixed piece of work from time to time during the run.
 */
export class MachineSpeed {
  readonly #samplesMs: number[] = []

  constructor() {
    // The compiler optimizes the function first.
    for (let run = 0; run < 3; run++) referenceWork()
  }

  sample(): void {
    const before = process.cpuUsage()
    referenceWork()
    const { user, system } = process.cpuUsage(before)
    this.#samplesMs.push((user + system) / 1_000)
  }

  /** Returns the seconds that the reference machine would have taken. */
  atReferenceSpeed(seconds: number): number {
    const meanMs = this.#samplesMs.reduce((sum, ms) => sum + ms, 0) / this.#samplesMs.length
    return (seconds * referenceMs) / meanMs
  }
}

/** Allocates, converts and looks up objects, as most code does. */
function referenceWork(): number {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, n) => ({ id: `x${n}`, tags: [n % 7, n % 11], at: { n } })),
  )
  const objects = JSON.parse(text) as { id: string; at: { n: number } }[]
  const byId = new Map(objects.map((object) => [object.id, object]))
  return objects.reduce((sum, { id }) => sum + (byId.get(id)?.at.n ?? 0), 0)
}

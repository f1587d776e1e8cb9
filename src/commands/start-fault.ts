/** Exit codes of the process, after sysexits.h where it has one. */
export const exitCodes = { ok: 0, failed: 1, usage: 64, configuration: 78 } as const

/** Why the process can't start, in lines for the operator's terminal, with the code it ends with. */
export class StartFault extends Error {
  readonly lines: readonly string[]
  readonly exitCode: number

  constructor(exitCode: number, lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), { cause })
    this.name = 'StartFault'
    this.lines = lines
    this.exitCode = exitCode
  }
}

/** What the system says of a failure, such as `EACCES: permission denied, mkdir '/data'`. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

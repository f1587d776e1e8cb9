import { type Config, readConfig } from '../config/config.ts'

/** Process exit codes, taken from sysexits.h where it defines one. */
export const exitCodes = { ok: 0, failed: 1, usage: 64, configuration: 78 } as const

/** An error that prevents the service from starting. Has the exit code and the lines to print for the operator. */
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

/** A service manager restarts the service after this fault. */
export function failed(line: string, cause?: unknown): StartFault {
  return new StartFault(exitCodes.failed, [line], cause)
}

/** No restart fixes this fault. */
export function misconfigured(line: string, cause?: unknown): StartFault {
  return new StartFault(exitCodes.configuration, [line], cause)
}

/** Returns the system's message, such as `EACCES: permission denied, mkdir '/data'`. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Returns the configuration from `env`, by default the process's environment.
 *
 * @param requireWritable checks the data directory too, if other settings are invalid.
 * @throws StartFault (78) with one line for each invalid variable.
 */
export function configured(env?: NodeJS.ProcessEnv, requireWritable: (dataDir: string) => void = () => {}): Config {
  const reading = readConfig(env)
  if ('config' in reading) return reading.config
  const { faults, dataDir } = reading
  try {
    requireWritable(dataDir)
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    faults.push(...error.lines)
  }
  throw new StartFault(exitCodes.configuration, faults)
}

import { type Config, readConfig } from '../config/config.ts'
import { listenVariable, type SurfaceAddress } from '../config/surface-address.ts'

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

/** What keeps the service from starting, and how to fix it. */
export interface Fault {
  summary: string
  remedy: string
}

/** Resolves with the command's exit code. Prints a fault to standard error. */
export async function printingFaults(command: () => Promise<number>): Promise<number> {
  try {
    return await command()
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    for (const line of error.lines) process.stderr.write(`gatehouse: ${line}\n`)
    return error.exitCode
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

/** @throws StartFault (78), because waiting does not fix it. */
export function refuse(fault: Fault | undefined): void {
  if (fault !== undefined) throw misconfigured(`${fault.summary}; ${fault.remedy}`)
}

/** Returns why a surface's port could not be bound. `prefix` is that of its environment variables. */
export function unboundPort(prefix: string, { host, port }: SurfaceAddress, error: unknown): Fault {
  const { code } = error as NodeJS.ErrnoException
  const variables = `${prefix}_URL or ${prefix}_PORT`
  if (code === 'EADDRINUSE') {
    const remedy = `stop the program that listens there, or set ${variables}`
    return { summary: `port ${port} of ${host} is already in use`, remedy }
  }
  if (code === 'EACCES') {
    const summary = `this user may not bind port ${port} of ${host} (ports below 1024 often require root)`
    return { summary, remedy: `set ${variables}` }
  }
  const remedy = `set ${listenVariable(prefix)} to an address of this machine`
  return { summary: `can't listen on ${host} (${reasonOf(error)})`, remedy }
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

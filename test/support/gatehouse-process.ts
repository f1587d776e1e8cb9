import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openLog } from '../../src/commands/log.ts'
import { startService } from '../../src/commands/serve/start-service.ts'
import { configured, StartFault } from '../../src/commands/start-fault.ts'
import { urlsOnFreePorts } from './free-ports.ts'
import { temporaryFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '../..')

export type Environment = Record<string, string> & { DATA_DIR: string }

/** A process, started the way an operator or a developer would. */
export interface RunningProgram {
  pid: number
  stdout(): string
  stderr(): string
  /** Resolves when the process has printed the text to one of its streams. Rejects if the process ends first. */
  waitForOutput(text: string | RegExp): Promise<void>
  /** Writes to the standard input, if it is open. */
  write(text: string): void
  signal(signal: NodeJS.Signals): void
  /** Sends the signal to the process and to those that it started. */
  signalGroup(signal: NodeJS.Signals): void
  /** Resolves with the exit code, or with the signal that ended the process. */
  exited: Promise<number | NodeJS.Signals>
}

export interface GatehouseProcess extends RunningProgram {
  /** Resolves when the process has reported, at any log level, that it is ready. Rejects if the process ends first. */
  ready(): Promise<void>
}

/**
 * Starts `gatehouse <words>` as {@link startProgram} does.
 *
 * @param program replaces Node and the entry point of this checkout.
 */
export function startGatehouse(
  t: TestContext,
  words: readonly string[],
  env: Record<string, string>,
  program: readonly [string, ...string[]] = [process.execPath, join(root, 'src/main.ts')],
): GatehouseProcess {
  const running = startProgram(t, [...program, ...words], env)
  // Matches the whole sentence, because "ready" alone would also match "already" in a Node warning.
  return { ...running, ready: () => running.waitForOutput('Gatehouse is ready') }
}

/**
 * Starts a program and stops it when the test ends. The environment consists of `env` and a few of this process's
 * variables, such as `PATH`. The program's standard input is empty, unless it `hasInput`, which `write` sends.
 */
export function startProgram(
  t: Pick<TestContext, 'after' | 'signal'>,
  [command, ...words]: readonly [string, ...string[]],
  env: Record<string, string>,
  { cwd = root, hasInput = false }: { cwd?: string; hasInput?: boolean } = {},
): RunningProgram {
  // An aborted test no longer stops what it starts.
  t.signal.throwIfAborted()
  const child = spawn(command, words, {
    cwd,
    env: { ...fromHere(['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE']), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Uses a separate process group, so that processes started by npm are stopped too.
    detached: true,
  })
  if (!hasInput) child.stdin.end()
  const written = { stdout: '', stderr: '' }
  let more = Promise.withResolvers<void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      more.resolve()
      more = Promise.withResolvers()
    })
  }
  let running = true
  const exited = exitOf(child).finally(() => {
    running = false
  })
  t.after(async () => {
    try {
      if (running) process.kill(-(child.pid as number), 'SIGKILL')
    } catch {
      // It has just ended.
    }
    await exited
  })
  return {
    pid: child.pid as number,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    exited,
    write: (text) => child.stdin.write(text),
    signal: (signal) => child.kill(signal),
    signalGroup: (signal) => process.kill(-(child.pid as number), signal),
    async waitForOutput(text) {
      const isIn = (output: string) => (typeof text === 'string' ? output.includes(text) : text.test(output))
      while (!isIn(written.stderr) && !isIn(written.stdout)) {
        const ending = await Promise.race([exited, more.promise])
        if (ending !== undefined) throw new Error(`ended with ${ending} and said: ${written.stdout}${written.stderr}`)
      }
    },
  }
}

/** Resolves with the program's exit code, or the signal that ended it, and what it has printed. */
export async function outcomeOf(program: RunningProgram) {
  return { exitCode: await program.exited, stdout: program.stdout(), stderr: program.stderr() }
}

/** Asserts that the program ends with this exit code. Returns what it has printed. */
export async function ended(program: RunningProgram, exitCode: number): Promise<{ stdout: string; stderr: string }> {
  const { exitCode: actual, ...printed } = await outcomeOf(program)
  assert.equal(actual, exitCode, `${actual}, not ${exitCode}: ${printed.stdout}${printed.stderr}`)
  return printed
}

/** Stops the program as an operator does, and asserts that it ends with exit code 0. Returns what it has printed. */
export function stopped(program: RunningProgram): Promise<{ stdout: string; stderr: string }> {
  program.signal('SIGTERM')
  return ended(program, 0)
}

/** Starts the service and resolves once it is ready. Stops it when the test ends. */
export async function serve(t: TestContext, env: Record<string, string>, program?: readonly [string, ...string[]]) {
  const service = startGatehouse(t, ['serve'], env, program)
  await service.ready()
  return service
}

/**
 * Returns the environment for a service with four free ports and a data directory inside `within`. Removes the
 * directory when the test ends.
 */
export async function freshEnvironment(t: TestContext, within: string = tmpdir()): Promise<Environment> {
  return { ...(await urlsOnFreePorts()), DATA_DIR: join(temporaryFolder(t, { within }), 'data') }
}

function fromHere(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (name in process.env ? [[name, process.env[name] as string]] : [])))
}

async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return code ?? signal ?? 0
}

/**
 * Starts a service in this process, as `gatehouse serve` does, and stops it when the test ends. This takes a tenth as long as starting a separate
 * process, which only tests of the process itself need.
 *
 * @throws StartFault
 */
export async function startInProcess(t: TestContext, env: Record<string, string>) {
  // `gatehouse serve` does the same, so that other users can't read its files.
  const mask = process.umask(0o077)
  const running = await startService(configured(env), openLog('silent')).finally(() => process.umask(mask))
  let stopping: Promise<unknown> | undefined
  const stop = async () => {
    // Longer than in `gatehouse serve`, because closing takes a busy machine seconds.
    stopping ??= running.stop(60_000)
    assert.equal(await stopping, 'drained')
  }
  t.after(stop)
  return { stop }
}

export async function startAndStop(t: TestContext, env: Record<string, string>): Promise<void> {
  await (await startInProcess(t, env)).stop()
}

/** Returns the exit code of a failed start and what `gatehouse serve` would write to standard error. */
export async function startFailure(t: TestContext, env: Record<string, string>): Promise<[number, string]> {
  try {
    await startInProcess(t, env)
  } catch (error) {
    if (error instanceof StartFault) {
      return [error.exitCode, error.lines.map((line) => `gatehouse: ${line}\n`).join('')]
    }
    throw error
  }
  return assert.fail('it started')
}

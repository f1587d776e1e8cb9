import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadResult } from './load.ts'
import type { ArrivalOrder, ArrivalResult, LastArrived } from './open-loop.ts'

/** Whether processes can be held to one core each: without it the figures mix server and client. */
export const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0

const serverCore = '0'
const clientCore = '1'

const root = fileURLToPath(new URL('..', import.meta.url))

function ofNode(file: string): string[] {
  return [process.execPath, fileURLToPath(new URL(file, import.meta.url))]
}

function start(command: string[], core: string, env: NodeJS.ProcessEnv, ipc: boolean): ChildProcess {
  const [program = '', ...rest] = canPin ? ['taskset', '-c', core, ...command] : command
  return spawn(program, rest, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
}

/**
 * Starts the service on the servers' core, as `npm start` does: with what that says of memory. With `BENCH_SYNC_MS`
 * each sync to disk takes that much longer.
 */
export function startService(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  const slowSync = new URL('./slow-sync.ts', import.meta.url).href
  const options = process.env.BENCH_SYNC_MS === undefined ? {} : { NODE_OPTIONS: `--import=${slowSync}` }
  return ready(start(['sh', '-c', scripts.start], serverCore, { PATH: path, ...options, ...env }, false), 'the service')
}

/** Starts a file as a server on the servers' core. */
export function startServer(file: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  return ready(start(ofNode(file), serverCore, env, false), file)
}

/** Holds a process that runs already to the client's core, and with it what it starts from now on. */
export function moveToClientCore(pid: number): void {
  if (canPin) spawnSync('taskset', ['-acp', clientCore, String(pid)])
}

/** Starts a program that is no part of this repository on the servers' core, and waits until its port takes connections. */
export async function startProgram(command: string[], port: number): Promise<ChildProcess> {
  const program = start(command, serverCore, {}, false)
  let said = ''
  program.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const untilMs = performance.now() + 10_000
  while (!(await takesConnections(port))) {
    if (program.exitCode !== null) throw new Error(`${command[0]} ended before it was ready: ${said}`)
    if (performance.now() > untilMs) {
      program.kill('SIGKILL')
      throw new Error(`${command[0]} did not listen on port ${port} within 10 s: ${said}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return program
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Where the program is on the PATH, if it is. */
export function programOnPath(name: string): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return files.find((file) => existsSync(file))
}

/** Resolves once the server uses no more processor time to speak of, or after ten seconds: what it does behind its answers is its work too. */
export async function atRest(server: ChildProcess): Promise<void> {
  const untilMs = performance.now() + 10_000
  for (let before = processorSeconds(server) ?? 0; performance.now() < untilMs; ) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const now = processorSeconds(server) ?? 0
    if (now - before <= 0.01) return
    before = now
  }
}

/** Resolves once the server says that it is ready. */
async function ready(server: ChildProcess, name: string): Promise<ChildProcess> {
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk) => {
      said += chunk
      if (/\bready\b/.test(said)) resolve()
    })
    server.once('exit', (code, signal) => {
      reject(new Error(`${name} ended before it was ready: ${said}`))
      if (code !== 0 && signal !== 'SIGTERM') console.error(`${name} ended with ${code ?? signal}: ${said}`)
    })
  })
  return server
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Runs one load in a process of its own, on the client's core. */
export async function load(order: LoadOrder): Promise<LoadResult> {
  const client = start(ofNode('./load.ts'), clientCore, {}, true)
  client.stderr?.pipe(process.stderr)
  client.send(order)
  const result = await new Promise<LoadResult>((resolve, reject) => {
    client.once('message', (message) => resolve(message as LoadResult))
    client.once('exit', (code) => reject(new Error(`the load ended with ${code} before its result`)))
  })
  client.disconnect()
  return result
}

/** As `load`, but of requests that wait for nobody; `afterLast` is called when the last one was sent, and waited for. */
export async function arrivals(order: ArrivalOrder, afterLast: () => Promise<void>): Promise<ArrivalResult> {
  const client = start(ofNode('./open-loop.ts'), clientCore, {}, true)
  client.stderr?.pipe(process.stderr)
  client.send(order)
  let after: Promise<void> | undefined
  const result = await new Promise<ArrivalResult>((resolve, reject) => {
    client.on('message', (message: LastArrived | ArrivalResult) => {
      if ('lastArrived' in message) after = afterLast()
      else resolve(message)
    })
    client.once('exit', (code) => reject(new Error(`the arrivals ended with ${code} before their result`)))
  })
  await after
  client.disconnect()
  return result
}

/** Processor time that the process and its ended children have used so far, in seconds, where the system tells it. */
export function processorSeconds(child: ChildProcess): number | undefined {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const ticksPerSecond = 100
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
  } catch {
    return undefined
  }
}

/** Resident memory in MiB, where the system tells it. */
export function residentMiB(child: ChildProcess): number | undefined {
  try {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kib) / 1_024)
  } catch {
    return undefined
  }
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HostileCounts, HostileOwner } from './hostile-owner.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import type { ArrivalOrder, ArrivalResult } from './open-loop.ts'

/**
 * Whether processes can be pinned to a core, which requires `taskset`. If not, server and client share cores and slow
 * each other down.
 */
export const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0

const serverCore = '0'
const clientCore = '1'

const root = fileURLToPath(new URL('..', import.meta.url))

function nodeCommand(file: string): string[] {
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
 * Starts the service on the server core with the flags of `npm start`. If `BENCH_SYNC_MS` is set, each disk sync takes
 * that much longer.
 */
export function startService(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  const slowSync = new URL('./slow-sync.ts', import.meta.url).href
  const options = process.env.BENCH_SYNC_MS === undefined ? {} : { NODE_OPTIONS: `--import=${slowSync}` }
  return ready(start(['sh', '-c', scripts.start], serverCore, { PATH: path, ...options, ...env }, false), 'the service')
}

/** Runs a script that starts a server, pinned to the server core. Resolves once the server is ready. */
export function startServer(file: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  return ready(start(nodeCommand(file), serverCore, env, false), file)
}

/** Pins a running process, and any children it starts later, to the client core. */
export function moveToClientCore(pid: number): void {
  if (canPin) spawnSync('taskset', ['-acp', clientCore, String(pid)])
}

/**
 * Leaves the server core to the event loop, as the system does where nobody pins threads. Otherwise, the loop often waits
 * there for V8's own thread, which collects garbage and compiles.
 */
export function moveOtherThreadsToClientCore({ pid }: ChildProcess): void {
  if (!canPin) return
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    if (thread !== String(pid)) spawnSync('taskset', ['-cp', clientCore, thread])
  }
}

/** Starts an external program on the server core. Resolves once its port accepts connections. */
export async function startProgram(command: string[], port: number): Promise<ChildProcess> {
  const program = start(command, serverCore, {}, false)
  let output = ''
  program.stderr?.on('data', (chunk) => {
    output += chunk
  })
  const untilMs = performance.now() + 10_000
  while (!(await acceptsConnections(port))) {
    if (program.exitCode !== null) throw new Error(`${command[0]} exited before it was ready: ${output}`)
    if (performance.now() > untilMs) {
      program.kill('SIGKILL')
      throw new Error(`${command[0]} did not listen on port ${port} within 10 s: ${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return program
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Returns the version of a program from Debian, or how to install it. */
export function programVersion(name: string, option: string): { version: string } | { missing: string } {
  if (programOnPath(name) === undefined) return { missing: `not on PATH: apt-get install ${name}` }
  const { stdout } = spawnSync(name, [option], { encoding: 'utf8' })
  return { version: /[\d.]+/.exec(stdout)?.[0] ?? 'unknown' }
}

export function programOnPath(name: string): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return files.find((file) => existsSync(file))
}

/**
 * Resolves once the server is idle, or after ten seconds, so that work done after the last response is counted, too.
 */
export async function untilIdle(server: ChildProcess): Promise<void> {
  const untilMs = performance.now() + 10_000
  for (let before = processorSeconds(server) ?? 0; performance.now() < untilMs; ) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const now = processorSeconds(server) ?? 0
    if (now - before <= 0.01) return
    before = now
  }
}

async function ready(server: ChildProcess, name: string): Promise<ChildProcess> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk) => {
      output += chunk
      if (/\bready\b/.test(output)) resolve()
    })
    server.once('exit', (code, signal) => {
      reject(new Error(`${name} exited before it was ready: ${output}`))
      if (code !== 0 && signal !== 'SIGTERM') console.error(`${name} exited with ${code ?? signal}: ${output}`)
    })
  })
  return server
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Starts a script on the client core, which begins with this order. */
function startClient(file: string, order: object, prefix: readonly string[] = []): ChildProcess {
  const client = start([...prefix, ...nodeCommand(file)], clientCore, {}, true)
  client.stderr?.pipe(process.stderr)
  client.send(order)
  return client
}

export function nextMessage<Message>(client: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    client.once('message', (message) => resolve(message as Message))
    client.once('exit', (code) => reject(new Error(`${client.spawnargs.at(-1)} exited with ${code} before its result`)))
  })
}

export async function load(order: LoadOrder): Promise<LoadResult> {
  const client = startClient('./load.ts', order)
  const result = await nextMessage<LoadResult>(client)
  client.disconnect()
  return result
}

/**
 * Starts a process that attacks the service. `end` stops it and returns how often it did what. It runs only while the
 * client core is idle, so that it doesn't delay the process that measures, or the database.
 */
export function startHostileOwner(owner: HostileOwner): { end(): Promise<HostileCounts> } {
  const client = startClient('./hostile-owner.ts', owner, canPin ? ['chrt', '--idle', '0'] : [])
  return {
    end() {
      client.send('end')
      return nextMessage(client)
    },
  }
}

/**
 * Like {@link load}, but sends at a fixed rate regardless of responses. Calls `afterLast` once the last request has
 * been sent, and waits until it has finished.
 */
export async function arrivals(order: ArrivalOrder, afterLast: () => Promise<void>): Promise<ArrivalResult> {
  const client = startClient('./open-loop.ts', order)
  // The first message only says that the last request has been sent.
  await nextMessage(client)
  const [result] = await Promise.all([nextMessage<ArrivalResult>(client), afterLast()])
  client.disconnect()
  return result
}

/** Returns the processor time of the process and its exited children, in seconds, if the system reports it. */
export function processorSeconds(child: ChildProcess): number | undefined {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const ticksPerSecond = 100
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
  } catch {
    return undefined
  }
}

export function residentMiB(child: ChildProcess): number | undefined {
  try {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kib) / 1_024)
  } catch {
    return undefined
  }
}

/** Range to pick ports from. It lies below the ephemeral ports, which the system assigns to outgoing connections. */
const lowest = 13_100
const highest = 30_000

/** Returns unused loopback ports, so that a benchmark can run alongside a service or another benchmark. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (!ports.includes(port) && (await isFree(port))) ports.push(port)
  }
  return ports
}

/** Returns whether no server listens on this port of loopback. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

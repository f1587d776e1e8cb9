import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadResult } from './load.ts'

/** Whether processes can be held to one core each: without it the figures mix server and client. */
export const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0

const serverCore = '0'
const clientCore = '1'

function start(file: string, args: string[], core: string, env: NodeJS.ProcessEnv, ipc: boolean): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const command = [process.execPath, path, ...args]
  const [program = '', ...rest] = canPin ? ['taskset', '-c', core, ...command] : command
  return spawn(program, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
}

/** Starts a server on its core and resolves once it says that it is ready. */
export async function startServer(file: string, args: string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const server = start(file, args, serverCore, env, false)
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk) => {
      said += chunk
      if (/ready/.test(said)) resolve()
    })
    server.once('exit', () => reject(new Error(`${file} ended before it was ready: ${said}`)))
  })
  return server
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Runs one load in a process of its own, on the client's core. */
export async function load(order: LoadOrder): Promise<LoadResult> {
  const client = start('./load.ts', [], clientCore, {}, true)
  client.stderr?.pipe(process.stderr)
  client.send(order)
  const result = await new Promise<LoadResult>((resolve, reject) => {
    client.once('message', (message) => resolve(message as LoadResult))
    client.once('exit', (code) => reject(new Error(`the load ended with ${code} before its result`)))
  })
  client.disconnect()
  return result
}

/** Processor time the process has used so far, in seconds, where the system tells it. */
export function processorSeconds(child: ChildProcess): number | undefined {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const ticksPerSecond = 100
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
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

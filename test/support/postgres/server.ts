import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePorts } from '../free-ports.ts'
import { type PostgresPrograms, postgresPrograms, unprivileged } from './programs.ts'

export interface PostgresServerOptions {
  /** Lines of `postgresql.conf` in addition to those that all tests use. */
  settings?: readonly string[]
  /** An existing data directory, such as a copy for a standby. By default, a fresh one is created. */
  dataDir?: string
  /** By default, those that npm installed. */
  programs?: PostgresPrograms
}

/** Syncs are off, because tests only kill the server process. The system's page cache survives that. */
const ownSettings = [
  'fsync = off',
  'full_page_writes = off',
  // Vacuuming hundreds of short-lived databases would take longer than all their queries.
  'autovacuum_naptime = 1h',
  'jit = off',
  // Keeps shared memory in files in the data directory, which is removed. So a killed server leaves none behind.
  'dynamic_shared_memory_type = mmap',
  // Each of the six test processes on two cores keeps several worlds, with up to ten connections each.
  'max_connections = 600',
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
]

const startMs = 120_000

export class PostgresServer {
  readonly port: number
  readonly dataDir: string
  readonly #settings: readonly string[]
  readonly #programs: PostgresPrograms
  #process: ChildProcess | undefined

  private constructor(port: number, { dataDir, settings, programs }: Required<PostgresServerOptions>) {
    this.port = port
    this.dataDir = dataDir
    this.#settings = settings
    this.#programs = programs
  }

  /**
   * Starts a server on a fresh data directory. Resolves once it accepts connections. The caller must remove the server.
   */
  static async fresh({
    settings = [],
    programs = postgresPrograms(),
    dataDir = freshDataDir(programs),
  }: PostgresServerOptions = {}): Promise<PostgresServer> {
    const [port] = await freePorts(1)
    const server = new PostgresServer(port!, { dataDir, settings, programs })
    await server.start()
    return server
  }

  /** Returns the URL of one of the server's databases, for a superuser without a password. */
  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  get pid(): number {
    return this.#process?.pid as number
  }

  /** Starts the server. After `stop` or `kill`, starts it again with the same data and port. */
  async start(): Promise<void> {
    const settings = [...ownSettings, ...this.#settings, `port = ${this.port}`]
    const words = settings.flatMap((line) => ['-c', line.replace(/ = '?([^']*)'?$/, '=$1')])
    const logFile = join(dirname(this.dataDir), 'server.log')
    const log = openSync(logFile, 'a')
    const child = spawn(this.#programs.postgres, ['-D', this.dataDir, ...words], {
      ...unprivileged,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.#process = child
    const told = () => readFileSync(logFile, 'utf8').slice(-4_000)
    for (const untilMs = Date.now() + startMs; ; await sleep(20)) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${told()}`)
      if (await answers(this.url())) return
      if (Date.now() > untilMs) throw new Error(`PostgreSQL took no connection within ${startMs / 1_000} s:\n${told()}`)
    }
  }

  /** Stops the server cleanly, as an operator does to restart it. Connections are closed, and no data is lost. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /**
   * Kills the server and its child processes, as when a machine fails. Resolves once all are dead: a server doesn't start
   * while a process of the killed one still has its shared memory.
   */
  async kill(): Promise<void> {
    // A stopped server starts no other process, and its dead children stay visible.
    send(this.pid, 'SIGSTOP')
    const children = childrenOf(this.pid)
    for (const pid of children) send(pid, 'SIGKILL')
    while (!children.every(isDead)) await sleep(1)
    await this.#end('SIGKILL')
    rmSync(join(this.dataDir, 'postmaster.pid'), { force: true })
  }

  /** Freezes the server's processes, as when a machine hangs. Connections stay open, but nothing is answered. */
  freeze(): void {
    send(this.pid, 'SIGSTOP')
    for (const pid of childrenOf(this.pid)) send(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of [...childrenOf(this.pid), this.pid]) send(pid, 'SIGCONT')
  }

  /** Lets this process exit while the server is running. The server is removed when the process exits. */
  leaveWithProcess(): void {
    this.#process?.unref()
    process.once('exit', () => this.#removeNow())
  }

  /** Removes the server synchronously, because the process is exiting. */
  #removeNow(): void {
    this.#process?.kill('SIGKILL')
    rmSync(dirname(this.dataDir), { recursive: true, force: true })
  }

  async remove(): Promise<void> {
    await this.#end('SIGQUIT')
    rmSync(dirname(this.dataDir), { recursive: true, force: true })
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    // `leaveWithProcess` may have taken the reference.
    child.ref()
    const exit = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await exit
  }
}

/** Names the data directory that fresh ones are copied from, and the `initdb` that created it. */
const templateVariable = 'GATEHOUSE_TEST_POSTGRES_TEMPLATE'

/**
 * Returns a data directory that no server has used. It is a copy, because `initdb` takes ten times as long. All copies
 * have the same system identifier, which only matters to a standby, and a standby is a copy of its primary anyway.
 */
function freshDataDir({ initdb }: PostgresPrograms): string {
  const dataDir = join(serverFolder(), 'data')
  execFileSync('cp', ['-R', templateOf(initdb), dataDir], { ...unprivileged, stdio: 'pipe' })
  return dataDir
}

/** Returns the template of this process or of the process that started it. Creates one if there is none. */
function templateOf(initdb: string): string {
  const known = JSON.parse(process.env[templateVariable] ?? '{}') as { initdb?: string; dataDir?: string }
  if (known.initdb === initdb && known.dataDir !== undefined && existsSync(known.dataDir)) return known.dataDir
  const folder = serverFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')
  const words = ['-D', dataDir, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync']
  execFileSync(initdb, words, { ...unprivileged, stdio: 'pipe' })
  process.env[templateVariable] = JSON.stringify({ initdb, dataDir })
  return dataDir
}

function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid)
  return folder
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** Only complete for a stopped process. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function isDead(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return true
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { postgresPrograms, unprivileged } from './programs.ts'

export interface PostgresServerOptions {
  /** Lines of `postgresql.conf` beyond the tests' own. */
  settings?: readonly string[]
  /** A data directory that is there already (a standby's copy, say), in place of a fresh one. */
  dataDir?: string
}

/**
 * What the system holds in its memory survives the end of a server, however sudden: without a power cut, syncs prove
 * nothing here.
 */
const ownSettings = [
  'fsync = off',
  'full_page_writes = off',
  // Hundreds of small databases come and go: to look after them takes longer than all their queries.
  'autovacuum_naptime = 1h',
  'jit = off',
  // In the data directory, with which it is removed; elsewhere a server that is killed leaves it behind.
  'dynamic_shared_memory_type = mmap',
  'max_connections = 200',
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
]

const startMs = 30_000

/** A PostgreSQL server of the tests' own, on a free port of this machine. */
export class PostgresServer {
  readonly port: number
  readonly dataDir: string
  readonly #settings: readonly string[]
  #process: ChildProcess | undefined

  private constructor(port: number, dataDir: string, settings: readonly string[]) {
    this.port = port
    this.dataDir = dataDir
    this.#settings = settings
  }

  /** Starts a server on a fresh data directory and resolves once it takes connections. The caller removes it. */
  static async fresh({ settings = [], dataDir = freshDataDir() }: PostgresServerOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), dataDir, settings)
    await server.start()
    return server
  }

  /** Of one of its databases, as a superuser who needs no password. */
  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  get pid(): number {
    return this.#process?.pid as number
  }

  /** Starts it after `stop` or `kill`, on the same data and port. */
  async start(): Promise<void> {
    const settings = [...ownSettings, ...this.#settings, `port = ${this.port}`]
    const words = settings.flatMap((line) => ['-c', line.replace(/ = '?([^']*)'?$/, '=$1')])
    const logFile = join(dirname(this.dataDir), 'server.log')
    const log = openSync(logFile, 'a')
    const child = spawn(postgresPrograms().postgres, ['-D', this.dataDir, ...words], {
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

  /** Ends it in order, as an operator restarts it: connections are cut, nothing is lost. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** Ends it and its processes at once, as a machine that fails does. */
  async kill(): Promise<void> {
    for (const pid of childrenOf(this.pid)) send(pid, 'SIGKILL')
    await this.#end('SIGKILL')
    rmSync(join(this.dataDir, 'postmaster.pid'), { force: true })
  }

  /** Its processes stand still, as those of a machine that hangs: connections stay open, and nothing is answered. */
  freeze(): void {
    for (const pid of [this.pid, ...childrenOf(this.pid)]) send(pid, 'SIGSTOP')
  }

  /** After `freeze`: they go on where they were. */
  thaw(): void {
    for (const pid of [...childrenOf(this.pid), this.pid]) send(pid, 'SIGCONT')
  }

  /** Lets this process end when nothing else is left to do, and ends the server with it. */
  leaveWithProcess(): void {
    this.#process?.unref()
    process.once('exit', () => this.#removeNow())
  }

  /** For a process that is ending. */
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
    const exit = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await exit
  }
}

function freshDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid)
  const dataDir = join(folder, 'data')
  const words = ['-D', dataDir, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync']
  execFileSync(postgresPrograms().initdb, words, { ...unprivileged, stdio: 'pipe' })
  return dataDir
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
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

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself meanwhile.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

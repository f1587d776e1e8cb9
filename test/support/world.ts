import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { openLog } from '../../src/commands/log.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import type { SenderTimeouts } from '../../src/http/listen.ts'
import type { Host } from '../../src/listeners/app-host.ts'
import { buildHosts } from '../../src/listeners/hosts.ts'
import { openService, type Service, type ServiceParts } from '../../src/service.ts'
import { Checkpointer, identityFile, queueFile } from '../../src/storage/sqlite/database-files.ts'
import { SqliteFile } from '../../src/storage/sqlite/sqlite-file.ts'
import { urlsOnFreePorts } from './free-ports.ts'
import { endIdleWorlds, keepIdle, type ReusableWorld, sharesWorlds, takeIdleWorld, useOwnWorld } from './idle-worlds.ts'
import { ManualClock } from './manual-clock.ts'
import { recycleDatabase, reusedDatabase } from './postgres/recycled-databases.ts'
import { dropDatabase, worldStartMs } from './postgres/test-database.ts'
import { assertNoSecretIn, forgetSecretsSent } from './secrets-sent.ts'

export interface World {
  baseUrl: string
  apiUrl: string
  portalUrl: string
  controlUrl: string
  operatorKey: string
  clock: ManualClock
  service: Service
  /** Returns everything logged so far, as JSON lines at the most detailed level. */
  logs(): string
  dataDir: string
  /** The database's URL, if the world uses PostgreSQL. */
  databaseUrl: string | undefined
  /** Stops the service. This also happens when the test ends. */
  stop(): Promise<void>
  restart(otherKeys?: { secretKey: string; previousSecretKeys: string[] }): Promise<void>
}

interface Running {
  service: Service
  hosts: Host[]
}

export interface WorldOptions {
  /** Overrides the timeouts of the service for senders. By default, they are longer than any test. */
  timeouts?: Partial<SenderTimeouts>
  /** The clock of another world, for nodes that share a database. */
  clock?: ManualClock
  nowMs?: number
  /** Hashes passwords and PINs at full production cost, for tests of overload. */
  slowHashing?: boolean
  /** Overrides the version that the service reports. */
  version?: string
  /** Overrides the storage of this test run, for tests that need a specific database. */
  storage?: Storage
}

/**
 * Opens the whole service in this process, with free ports, an empty data directory and a manual clock. When the test
 * ends, asserts that the log contains no secret that any test sent.
 *
 * Tests of the specification share worlds, because starting one takes longer than most tests: everything that the
 * earlier test created is deleted first. See {@link useOwnWorld}.
 */
export async function openWorld(
  t: TestContext,
  env: Record<string, string> = {},
  options: WorldOptions = {},
): Promise<World> {
  const settings = JSON.stringify(env)
  // A node of a test's own database must stop with the test, because another test gets the database.
  const reusable = sharesWorlds(t) && Object.keys(options).length === 0 && env.DATABASE_URL === undefined
  const idle = reusable ? takeIdleWorld<StartedWorld>(settings) : undefined
  idle?.clock.startAgain()
  idle?.clearLog()
  const world = idle ?? (await startWorld(env, options))
  worldsInUse += 1
  t.after(async () => {
    worldsInUse -= 1
    world.altered ||= !t.passed
    if (reusable && !world.altered && !world.clock.wentBack) await keepIdle(settings, world)
    else await world.end()
    try {
      assertNoSecretIn(world.logs())
      for (const line of world.logs().match(mistake) ?? []) mistakes.push(`${t.name}: ${line}`)
    } finally {
      if (worldsInUse === 0) forgetSecretsSent()
    }
  })
  return world
}

/** Opens a world that only this test uses. */
export async function openOwnWorld(t: TestContext, env: Record<string, string> = {}): Promise<World> {
  useOwnWorld(t)
  return openWorld(t, env)
}

interface StartedWorld extends World, ReusableWorld {
  /** Whether a test may have changed what emptying the world can't restore. */
  altered: boolean
  clearLog(): void
}

/** A logged error that JavaScript itself throws if the code is wrong. Errors that Node throws on purpose have a code. */
const mistake = /^(?!.*(?:fetch failed|"code":"ERR_)).*"level":(?:50|60).*"type":"(?:Type|Reference|Range)Error".*$/gm
const mistakes: string[] = []

let worldsInUse = 0
after(endIdleWorlds)
after(() => assert.deepEqual(mistakes, []))

async function startWorld(
  env: Record<string, string>,
  {
    timeouts,
    nowMs = worldStartMs,
    clock = new ManualClock(nowMs),
    slowHashing = false,
    version = build.version,
    storage = storageOfRun,
  }: WorldOptions,
): Promise<StartedWorld> {
  const lines: string[] = []
  const log = openLog('trace', { write: (line) => void lines.push(line) })
  const ownUrl = storage === 'postgres' && env.DATABASE_URL === undefined ? await reusedDatabase() : undefined
  const url = env.DATABASE_URL ?? ownUrl
  const hashingCost = slowHashing ? undefined : leastHashingCost
  const start = (config: Config, otherKeys = {}) =>
    startParts(
      { config, keys: { ...keys, ...otherKeys }, build: { ...build, version }, clock, hashingCost, connectMs, log },
      timeouts,
    )

  const {
    config,
    running: first,
    remove,
  } = await onFreePorts(ownUrl === undefined ? env : { ...onDatabase(ownUrl), ...env }, start)
  let running: Running | undefined = first
  const stop = async () => {
    const parts = running
    running = undefined
    if (parts !== undefined) await stopParts(parts)
  }
  const world: StartedWorld = {
    baseUrl: config.base.url,
    apiUrl: config.api.url,
    portalUrl: config.portal.url,
    controlUrl: config.control.url,
    operatorKey: keys.operatorKey,
    clock,
    service: first.service,
    altered: false,
    get dataDir() {
      world.altered = true
      return config.dataDir
    },
    get databaseUrl() {
      world.altered = true
      return url
    },
    logs: () => lines.join(''),
    clearLog() {
      lines.length = 0
    },
    async stop() {
      world.altered = true
      await stop()
    },
    async restart(otherKeys) {
      world.altered = true
      await stop()
      running = await start(config, otherKeys)
      world.service = running.service
    },
    async end() {
      await stop()
      remove()
      if (ownUrl !== undefined) await (world.altered ? dropDatabase(ownUrl) : recycleDatabase(ownUrl))
    },
  }
  return world
}

/** The keys of every world. */
export const keys = {
  secretKey: 'test-secret-key-test-secret-key-0001',
  previousSecretKeys: [],
  operatorKey: 'test-operator-key-test-operator-k-01',
}

/** The version and commit that a service started by a test reports. */
export const build = { version: '1.2.3', commit: '0123456789ab' }

/** A test doesn't fail if a busy machine takes seconds to connect to the database. */
const connectMs = 60_000

const leastHashingCost = { memoryKiB: 8, passes: 1 }

/** Tests that send incomplete requests decide themselves when these end, also on a busy machine. */
const patient: Partial<SenderTimeouts> = {
  headersTimeout: 600_000,
  requestTimeout: 600_000,
  bodyCheckInterval: 600_000,
  stuckTimeout: 600_000,
}

export const storages = ['sqlite', 'postgres'] as const
export type Storage = (typeof storages)[number]

/**
 * The storage that all worlds use. `npm run test:all` runs the specification on both. To run a single file on PostgreSQL:
 * `GATEHOUSE_TEST_STORAGE=postgres node --test <file>`. Each world then has its own database.
 */
export const storageOfRun: Storage = process.env.GATEHOUSE_TEST_STORAGE === 'postgres' ? 'postgres' : 'sqlite'

export function onDatabase(url: string): Record<string, string> {
  return { DATABASE_URL: url, SECRET_KEY: keys.secretKey }
}

/** Completes the configuration in `env` and starts. Retries with other ports if another process has taken one. */
async function onFreePorts(
  env: Record<string, string>,
  start: (config: Config) => Promise<Running>,
): Promise<{ config: Config; running: Running; remove: () => void }> {
  for (let left = 4; ; left -= 1) {
    const dataDir = await freshDataDir()
    const remove = () => rmSync(dataDir, { recursive: true, force: true })
    const reading = readConfig({
      ...(await urlsOnFreePorts()),
      DATA_DIR: dataDir,
      // Doesn't exist unless the test creates it.
      PACKAGES_DIR: join(dataDir, 'packages'),
      ...env,
    })
    if ('faults' in reading) throw new Error(reading.faults.join('\n'))
    try {
      return { config: reading.config, running: await start(reading.config), remove }
    } catch (error) {
      remove()
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || left === 0) throw error
    }
  }
}

let migrated: Promise<string> | undefined

/** Returns a data directory with this release's tables. Copying them takes a tenth as long as migrating. */
async function freshDataDir(): Promise<string> {
  migrated ??= migrateFiles()
  const from = await migrated
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  for (const { name } of [identityFile, queueFile]) copyFileSync(join(from, name), join(dataDir, name))
  return dataDir
}

async function migrateFiles(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-migrated-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const checkpointer = new Checkpointer()
  for (const file of [identityFile, queueFile]) {
    await new SqliteFile({ ...file, path: join(folder, file.name), checkpointer }).close()
  }
  return folder
}

/**
 * Starts the parts of a world. If one fails, stops them all; otherwise they would keep the test process alive forever.
 */
async function startParts(parts: ServiceParts, timeouts: Partial<SenderTimeouts> | undefined): Promise<Running> {
  const service = await openService(parts)
  const running: Running = { service, hosts: [] }
  try {
    running.hosts = await buildHosts(service, { ...patient, ...timeouts })
    for (const host of running.hosts) await host.listen()
    return running
  } catch (error) {
    await stopParts(running)
    throw error
  }
}

async function stopParts({ service, hosts }: Running): Promise<void> {
  await Promise.all(hosts.map((host) => host.close({ silentMs: 0, sendingMs: 50 })))
  await service.close()
}

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { portalClientId } from '../../src/domain/applications/portal-application.ts'
import { SlidingLog } from '../../src/domain/limits/sliding-log.ts'
import type { Service } from '../../src/service.ts'
import { identityFile } from '../../src/storage/sqlite/database-files.ts'
import { withKeptClient } from './postgres/with-client.ts'

/** A world that can be emptied and used by another test. */
export interface ReusableWorld {
  service: Service
  end(): Promise<void>
}

/** Maximum tests that use a world one after another. */
const usesMax = 50
/** Maximum idle worlds per process. Each holds database connections. */
const idleMax = 4

const uses = new WeakMap<ReusableWorld, number>()
/** Idle worlds with the settings that they were started with. The one that became idle last is at the end. */
const idle: { settings: string; world: ReusableWorld }[] = []

/** Returns an emptied world with these settings, if there is one. */
export function takeIdleWorld<W extends ReusableWorld>(settings: string): W | undefined {
  const at = idle.findLastIndex((one) => one.settings === settings)
  return at < 0 ? undefined : (idle.splice(at, 1)[0]?.world as W)
}

/** Empties a world for another test. Ends it instead if that isn't possible, or if many tests have used it. */
export async function keepIdle(settings: string, world: ReusableWorld): Promise<void> {
  const used = (uses.get(world) ?? 0) + 1
  uses.set(world, used)
  if (used >= usesMax || !(await canBeEmptied(world))) return world.end()
  try {
    await empty(world)
  } catch (error) {
    await world.end()
    throw error
  }
  idle.push({ settings, world })
  if (idle.length > idleMax) await idle.shift()?.world.end()
}

const all = { after: undefined, most: 100 }
const loners = new WeakSet<TestContext>()

/**
 * Makes `openWorld` start a new world that only this test uses. For tests that see what earlier tests leave behind:
 * numbers of keys and passkeys continue, and so do metrics, caches, and log messages that are written once.
 *
 * A world is not used again either if its test failed, set the clock back, stopped the service, read its files or
 * database, or passed options to `openWorld`. A clock that was advanced continues at the next full hour, so a test
 * compares times with `world.clock.startMs`.
 */
export function useOwnWorld(t: TestContext): void {
  loners.add(t)
}

/** Only tests of the specification share worlds. The files of a process are all in one folder. */
const inSpecification = process.argv.some((word) => word.includes('test/spec/'))

/** Returns whether this test may use a world that an earlier test has used. */
export function sharesWorlds(t: TestContext): boolean {
  return inSpecification && !loners.has(t)
}

/** Returns false if the service remembers what a bot has reported. */
async function canBeEmptied({ service }: ReusableWorld): Promise<boolean> {
  const { items } = await service.bots.records.page({}, all)
  return items.every(({ runtimeConnected }) => !runtimeConnected)
}

/** Ends the worlds that no test uses, when all tests of the process have ended. */
export async function endIdleWorlds(): Promise<void> {
  for (const { world } of idle.splice(0)) await world.end()
}

/**
 * Deletes everything that tests create, and resets rate limits. Leaves counts for metrics and log lines as they are.
 */
async function empty({ service }: ReusableWorld): Promise<void> {
  const { accounts, applications, authorization, bots, events, operatorKeys, people } = service
  for (const { id } of (await bots.runtimes.page({}, all)).items) await bots.runtimes.remove(id, 'operator')
  for (const { id } of await events.subscriptions.list(undefined, 100))
    await events.subscriptions.remove('operator', id)
  for (const { id } of await operatorKeys.list()) await operatorKeys.end(id)
  for (const { bot } of (await bots.records.page({}, all)).items) {
    await bots.records.remove(bot.id)
    // The service removes the events too, but a little later.
    await bots.discardOfDeleted(bot.id, 'remove')
  }
  for (const { id } of (await accounts.users.page({}, all)).items) await people.remove(id, 'delete')
  for (const { id } of (await applications.provisioned.page({}, all)).items) {
    if (id !== 'portal') await applications.provisioned.remove(id)
  }
  for (const { name } of await authorization.scopes.list()) await authorization.scopes.remove(name)
  // The service keeps deleted applications and the audit log.
  const applicationRows = `DELETE FROM applications WHERE client_id <> '${portalClientId}'`
  await inIdentityDatabase(service, {
    sqlite: `${applicationRows}; DELETE FROM audit_reader; DELETE FROM audit_events;
      DELETE FROM sqlite_sequence WHERE name = 'audit_events'`,
    // Without the trigger that keeps audit events from being changed.
    postgres: `BEGIN; ${applicationRows}; DELETE FROM audit_reader; DELETE FROM request_counts;
      SET LOCAL session_replication_role = replica; DELETE FROM audit_events; COMMIT;
      ALTER SEQUENCE audit_events_number_seq RESTART`,
  })
  // On SQLite, the service's reads of one tick share a snapshot.
  await new Promise((resolve) => setImmediate(resolve))
  for (const [log, keys] of limited) for (const key of keys) log.clear(key)
  limited.clear()
}

/** The keys that rate limits in memory have counted since a world was last emptied. */
const limited = new Map<SlidingLog, Set<string>>()
if (inSpecification) {
  const { add } = SlidingLog.prototype
  SlidingLog.prototype.add = function (key, nowMs) {
    limited.set(this, (limited.get(this) ?? new Set()).add(key))
    add.call(this, key, nowMs)
  }
}

async function inIdentityDatabase({ config }: Service, sql: { sqlite: string; postgres: string }): Promise<void> {
  const [url] = config.databaseUrls ?? []
  if (url !== undefined) {
    await withKeptClient(url, (client) => client.query(sql.postgres))
    return
  }
  using db = new DatabaseSync(join(config.dataDir, identityFile.name))
  db.exec(sql.sqlite)
}

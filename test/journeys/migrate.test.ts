import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { type BotId, parseUserId } from '../../src/domain/ids.ts'
import type { EventSummary } from '../../src/domain/webhooks/event-log.ts'
import { migrateOn } from '../../src/store/postgres/migrate.ts'
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts'
import { postgresIdentity } from '../../src/store/postgres/postgres-identity.ts'
import { Primary } from '../../src/store/postgres/primary.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { ada, Browser, provision, refresh, signedIn, userinfo } from '../support/people.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { provisionSeveralBots } from '../support/several-bots.ts'
import { onDatabase, openWorld, type World } from '../support/world.ts'
import { auditOf, type Filled, fill } from '../upgrade/fill.ts'

const greeter = 'greeter' as BotId
const hourMs = 3_600_000
const secretKey = 'test-secret-key-test-secret-key-0001'
const schema = new URL('../../src/store/postgres/migrations/', import.meta.url)

describe('our choice: a stopped service’s data is copied into PostgreSQL, and compared (0042)', () => {
  test('every row of every table is there, whatever characters are in it, and the stores number on', async (t) => {
    const { dataDir } = await filledDirectory(t)
    furnish(dataDir)
    const rows = rowsOf(dataDir)
    for (const [table, count] of Object.entries(rows)) assert.ok(count > 0, `${table} has no row to copy`)
    const url = await emptyDatabase()
    const { exitCode, stdout, stderr } = await migrate(t, dataDir, url)
    assert.deepEqual([exitCode, stderr], [0, ''])
    const copied = await counted(
      url,
      Object.keys(rows).filter((table) => !queueTables.includes(table)),
    )
    for (const [table, count] of Object.entries(copied)) assert.equal(count, rows[table], table)
    const queue = await counted(url, ['queue_events', 'queue_done', 'queue_dead'])
    assert.equal(
      Object.values(queue).reduce((sum, count) => sum + count),
      rows.events,
    )
    const waits = await counted(url, [
      'queue_events',
      `(SELECT generate_series(1, sum(events)) FROM queue_entered) AS n`,
    ])
    assert.equal(new Set(Object.values(waits)).size, 1, 'the limits of the queue count what waits')
    for (const [table, count] of Object.entries(copied)) {
      assert.match(stdout, new RegExp(`^${table}: ${count} rows, digest [0-9a-f]{32}$`, 'm'))
    }
    assert.match(stdout, /All \d+ rows are in the database of DATABASE_URL, and equal\. Start the nodes/)

    const primary = new Primary([url])
    await migrateOn(primary, 'identity', schema)
    const database = new PostgresDatabase({ primary, connections: 2 })
    t.after(() => database.close())
    const { users, sessions, audit, grants, passkeys } = postgresIdentity(database)
    const odd = parseUserId('odd')!
    assert.equal((await users.findUser(odd))?.name, oddName.replaceAll('\0', '\uFFFD'))
    assert.ok((await sessions.allotNumber()) > 1_000_000)
    assert.ok((await grants.allotNumber('family')) > 2_000_000)
    assert.ok((await grants.allotNumber('access-token')) > 3_000_000)
    const last = (await audit.listAfter(0, 100_000)).at(-1)!.number
    await audit.append({ ...(await audit.listAfter(last - 1, 1))[0]!, atMs: 1 })
    assert.equal((await audit.listAfter(last, 10))[0]?.number, last + 1)
    const added = await passkeys.addPasskey(aPasskey, 100, 1)
    assert.equal(added.kind === 'added' && added.passkey.number, 4_001, 'numbers of passkeys that are gone stay gone')
  })

  test('on it the service goes on: people are signed in, tokens stand, webhooks wait, the log and the audit tell what was', async (t) => {
    const { dataDir, filled, nowMs } = await filledDirectory(t)
    const url = await emptyDatabase()
    assert.equal((await migrate(t, dataDir, url)).exitCode, 0)
    const world = await openWorld(t, onDatabase(url), { nowMs: nowMs + 60_000 })
    const { client, tokens } = filled

    assert.equal((await new Browser(filled.cookies).get(`${world.baseUrl}/account`)).status, 200)
    const browser = await signedIn(world)
    assert.equal((await userinfo(world, tokens.current.access_token)).json.sub, ada.id)
    assert.equal((await userinfo(world, tokens.revoked.access_token)).status, 401)
    assert.equal((await refresh(world, client, tokens.current.refresh_token)).status, 200)
    // Reuse is recognised, and ends the family that it was of.
    assert.equal((await refresh(world, client, tokens.superseded.refresh_token)).json.error, 'invalid_grant')
    assert.equal((await userinfo(world, tokens.successor.access_token)).status, 401)

    for (const [path, record] of Object.entries(filled.records)) {
      const { status, json } = await provision(world, 'GET', path)
      assert.equal(status, 200, path)
      // When keys were used last was noted after the record was read.
      assert.deepEqual({ ...json, keys: undefined }, { ...(record as object), keys: undefined }, path)
    }
    assert.deepEqual((await auditOf(world)).slice(0, filled.audit.length), filled.audit)

    const dead = await browser.get(`${world.baseUrl}/bots/greeter/deliveries?state=dead`)
    const [address = ''] = /\/bots\/greeter\/deliveries\/ev[\w-]+/.exec(dead.text) ?? []
    assert.match((await browser.get(`${world.baseUrl}${address}`)).text, /no such order/)

    const headers = { 'svc-key': filled.flowKey }
    assert.equal((await fetch(`${world.apiUrl}/greeter/keyed`, { method: 'POST', headers, body: 'new' })).status, 202)
    const { runtime } = await BotRuntime.ready(t, world, filled.runtimeKey)
    const [late = '', ...due] = filled.waiting
    const frames = await runtime.deliveries(due.length + 1)
    assert.deepEqual(
      frames.map(({ body, attempt }) => [Buffer.from(body, 'base64').toString(), attempt]),
      [...due, 'new'].map((body) => [body, 1]),
    )
    runtime.send({ type: 'ack', deliveries: frames.map(({ delivery }) => delivery) })
    // Nobody is told that an acknowledgement is stored: only then is the connection of no more use.
    await eventually(async () => ((await world.service.queue.figures()).delivered === frames.length ? true : undefined))
    await runtime.crash()
    await world.clock.advance(61 * 60_000)
    const [again] = await (await BotRuntime.ready(t, world, filled.runtimeKey)).runtime.deliveries(1)
    assert.ok(again)
    assert.deepEqual([Buffer.from(again.body, 'base64').toString(), again.attempt], [late, 2])
  })

  test('events keep their ids, and new ones of all bots have others, also when the clock is behind', async (t) => {
    const allOf = async ({ service }: World) => (await service.queue.log.page(greeter, {}, { most: 100 })).events
    let events: EventSummary[] = []
    const { dataDir, filled, nowMs } = await filledDirectory(t, async (world) => {
      for (const { id } of await allOf(world)) await world.service.queue.replay(greeter, id, world.clock.nowMs())
      events = await allOf(world)
    })
    const url = await emptyDatabase()
    assert.equal((await migrate(t, dataDir, url)).exitCode, 0)
    const world = await openWorld(t, onDatabase(url), { nowMs: nowMs - hourMs })
    const { log } = world.service.queue
    const named = ({ id, path, replayOf, replayedAs, state }: EventSummary) => ({
      id,
      path,
      replayOf,
      replayedAs,
      state,
    })
    assert.deepEqual((await allOf(world)).map(named), events.map(named))
    for (const { id } of events) assert.equal((await log.find(greeter, id))?.id, id)

    const bots = await provisionSeveralBots(world, 3)
    const sent = await bots.burst([world], 5)
    const [original = assert.fail('nothing is dead')] = events.filter(({ state }) => state === 'dead')
    const replay = await world.service.queue.replay(greeter, original.id, world.clock.nowMs())
    const due = events.filter(({ state }) => state === 'ready')
    await world.clock.advance(2 * hourMs + 60_000)
    const { runtime } = await BotRuntime.ready(t, world, filled.runtimeKey, { credit: 100 })
    const frames = await runtime.deliveries(due.length + sent.length + 1)
    assert.equal(new Set(frames.map(({ id }) => id)).size, frames.length)
    assert.deepEqual(
      frames.flatMap(({ id }) => (events.some((event) => event.id === id) ? [id] : [])).sort(),
      due.map(({ id }) => id).sort(),
    )
    const replayed = frames.find(({ id }) => replay.kind === 'replayed' && id === replay.id)
    assert.equal(replayed?.replayOf, original.id)
  })

  test('killed at any moment and run again, it goes on where it was', async (t) => {
    const { dataDir } = await filledDirectory(t)
    manySessions(dataDir, 20_000)
    const url = await emptyDatabase()
    const count = async () => (await counted(url, ['sessions']).catch(() => ({ sessions: 0 }))).sessions ?? 0
    for (const least of [1_000, 9_000]) {
      const process = startMigration(t, dataDir, url)
      while ((await count()) < least) await new Promise((resolve) => setTimeout(resolve, 2))
      process.signal('SIGKILL')
      await process.exited
    }
    const before = await count()
    const { exitCode, stdout } = await migrate(t, dataDir, url)
    assert.equal(exitCode, 0)
    if (before < 20_000) assert.match(stdout, /^Going on with what was begun\.\n/)
    assert.equal(await count(), rowsOf(dataDir).sessions)
  })

  test('what does not fit breaks it off; mended, it goes on; and until it has finished no node starts', async (t) => {
    const { dataDir } = await filledDirectory(t)
    manySessions(dataDir, 2_500)
    const source = new DatabaseSync(join(dataDir, 'identity.sqlite'), { enableForeignKeyConstraints: false })
    t.after(() => source.close())
    source.exec(
      "INSERT INTO sessions (number, digest, surface, user_id, created_at_ms, expires_at_ms) SELECT 9000000, zeroblob(32), 'portal', 'nobody', 0, 0",
    )
    const url = await emptyDatabase()
    const broken = await migrate(t, dataDir, url)
    assert.equal(broken.exitCode, 1)
    assert.match(
      broken.stderr,
      /^gatehouse: the migration broke off \(.*foreign key.*\); the same command goes on where it was\n$/,
    )
    const start = () => migrateOn(new Primary([url]), 'identity', schema)
    await assert.rejects(start(), /half filled: run the same gatehouse migrate again/)

    const elsewhere = mkdtempSync(join(tmpdir(), 'gatehouse-migrate-'))
    t.after(() => rmSync(elsewhere, { recursive: true, force: true }))
    cpSync(dataDir, elsewhere, { recursive: true })
    assert.equal(
      (await migrate(t, elsewhere, url)).stderr,
      `gatehouse: the database of DATABASE_URL is half filled from ${dataDir}; go on with --from ${dataDir}, or give an empty database\n`,
    )
    source.exec('DELETE FROM sessions WHERE number = 9000000')
    assert.equal((await migrate(t, dataDir, url)).exitCode, 0)
    await start()
  })

  test('data that was changed between two runs is told by its digest', async (t) => {
    const { dataDir } = await filledDirectory(t)
    manySessions(dataDir, 10)
    const source = new DatabaseSync(join(dataDir, 'identity.sqlite'), { enableForeignKeyConstraints: false })
    t.after(() => source.close())
    source.exec(
      "INSERT INTO sessions (number, digest, surface, user_id, created_at_ms, expires_at_ms) SELECT 9000000, zeroblob(32), 'portal', 'nobody', 0, 0",
    )
    const url = await emptyDatabase()
    assert.equal((await migrate(t, dataDir, url)).exitCode, 1)
    source.exec("DELETE FROM sessions WHERE number = 9000000; UPDATE users SET name = 'Somebody' WHERE id = 'ada'")
    const { exitCode, stderr } = await migrate(t, dataDir, url)
    assert.equal(exitCode, 1)
    assert.match(
      stderr,
      /^gatehouse: users is not equal: \d+ rows in the data directory, \d+ in the database, with other contents\. /,
    )
  })
})

describe('our choice: what can not be migrated is refused, and nothing is changed (0042)', () => {
  test('no data directory named, no database named, no data there', async (t) => {
    const dataDir = emptyDirectory(t)
    const none = startGatehouse(t, ['migrate'], {})
    assert.equal(await none.exited, 64)
    assert.match(none.stderr(), /^migrate needs --from, the data directory to copy\.\n/)
    const nowhere = startGatehouse(t, ['migrate', '--from', dataDir], {})
    assert.equal(await nowhere.exited, 78)
    assert.match(
      nowhere.stderr(),
      /^gatehouse: DATABASE_URL is missing; it takes the address of the empty database to fill/,
    )
    assert.deepEqual(await migrate(t, dataDir, 'postgres://127.0.0.1:1/none'), {
      exitCode: 1,
      stdout: '',
      stderr: `gatehouse: there is nothing to migrate: ${dataDir}/identity.sqlite does not exist\n`,
    })
  })

  test('a service that runs, another key, an earlier schema, and a database that holds data or can’t be reached', async (t) => {
    const { dataDir, stop } = await usedDirectory(t)
    const url = await emptyDatabase()
    assert.match((await migrate(t, dataDir, url)).stderr, /which another Gatehouse \(process \d+\) is using/)
    await stop()
    writeFileSync(join(dataDir, 'secret.key'), `${'k'.repeat(40)}\n`)
    const otherKey = await migrate(t, dataDir, url)
    assert.equal(otherKey.exitCode, 78)
    assert.match(otherKey.stderr, /secret\.key has a key that is neither SECRET_KEY nor in SECRET_KEY_PREVIOUS/)
    rmSync(join(dataDir, 'secret.key'))

    const unreachable = await migrate(t, dataDir, 'postgres://somebody:hidden@127.0.0.1:1/none')
    assert.match(unreachable.stderr, /^gatehouse: DATABASE_URL can't be used \(127\.0\.0\.1:1: .*ECONNREFUSED/)
    assert.ok(!unreachable.stderr.includes('hidden'))

    assert.equal((await migrate(t, dataDir, url)).exitCode, 0)
    assert.equal(
      (await migrate(t, dataDir, url)).stderr,
      'gatehouse: the database of DATABASE_URL holds data already (in users); give an empty one\n',
    )
    const source = new DatabaseSync(join(dataDir, 'identity.sqlite'))
    source.exec('PRAGMA user_version = 3')
    source.close()
    assert.match(
      (await migrate(t, dataDir, await emptyDatabase())).stderr,
      /is of an earlier release \(schema 3, this one has \d+\)/,
    )
  })
})

/** A data directory of a service that was used and stopped. @param also what else happens in it. */
async function filledDirectory(
  t: TestContext,
  also: (world: World) => Promise<void> = async () => {},
): Promise<{ dataDir: string; filled: Filled; nowMs: number }> {
  const dataDir = emptyDirectory(t)
  const world = await openWorld(t, { DATA_DIR: dataDir })
  const filled = await fill(world)
  await also(world)
  await world.stop()
  return { dataDir, filled, nowMs: world.clock.nowMs() }
}

/** A data directory of a service that still runs, as a process. */
async function usedDirectory(t: TestContext): Promise<{ dataDir: string; stop: () => Promise<void> }> {
  const env = await freshEnvironment(t)
  const service = startGatehouse(t, ['serve'], { ...env, SECRET_KEY: secretKey })
  await service.ready()
  const user = { name: 'Ada' }
  const key = readFileSync(join(env.DATA_DIR, 'operator.key'), 'utf8').trim()
  const put = await fetch(`${env.CONTROL_URL}/v1/users/ada`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  assert.equal(put.status, 201)
  return {
    dataDir: env.DATA_DIR,
    async stop() {
      service.signal('SIGTERM')
      assert.equal(await service.exited, 0)
    },
  }
}

function emptyDirectory(t: TestContext): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-migrate-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

function startMigration(t: TestContext, dataDir: string, url: string) {
  return startGatehouse(t, ['migrate', '--from', dataDir], { DATABASE_URL: url, SECRET_KEY: secretKey })
}

async function migrate(t: TestContext, dataDir: string, url: string) {
  const process = startMigration(t, dataDir, url)
  return { exitCode: await process.exited, stdout: process.stdout(), stderr: process.stderr() }
}

/** What PostgreSQL's arrays, numbers and texts could stumble over. */
const oddName = 'NULL "quoted" \\back\\slash\\ {braces}, ’tis \u{1F600} \0 \n end'

const aPasskey = {
  userId: parseUserId(ada.id)!,
  credentialId: 'another',
  publicKey: new Uint8Array([1, 2, 3]),
  counter: 0,
  transports: [],
  backupEligible: false,
  backedUp: false,
  name: null,
}

/** A row at least for each table that use over HTTP leaves empty, and numbers that were given out and are gone. */
function furnish(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'identity.sqlite'))
  db.prepare("INSERT INTO users (id, name, created_at_ms, updated_at_ms) VALUES ('odd', ?, 0, 9007199254740991)").run(
    oddName,
  )
  db.exec(`
    INSERT INTO sessions (number, digest, surface, user_id, created_at_ms, expires_at_ms)
      VALUES (1000000, zeroblob(32), 'portal', 'ada', 0, 1);
    UPDATE sqlite_sequence SET seq = 2000000 WHERE name = 'token_families';
    INSERT INTO access_tokens (number, digest, family, scopes, expires_at_ms) VALUES (3000000, x'00ff5c', 1, '', 1);
    INSERT INTO passkeys (number, user_id, credential_id, public_key, counter, transports, backup_eligible, backed_up, name, created_at_ms)
      VALUES (7, 'ada', 'credential', x'00010203', 0, '[]', 0, 1, 'Passkey', 0);
    UPDATE sqlite_sequence SET seq = 4000 WHERE name = 'passkeys';
    INSERT INTO passkey_challenges (challenge, purpose, browser, user_id, expires_at_ms) VALUES ('c', 'sign-in', x'01', NULL, 1);
    INSERT INTO one_time_links (user_id, purpose, digest, email_key, expires_at_ms) VALUES ('ada', 'set-pin', x'02', NULL, 1);
    INSERT INTO outgoing_mail (kind, user_id, address, due_at_ms, created_at_ms) VALUES ('verify-email', 'ada', 'a@example.com', 1, 1);
    INSERT INTO linked_accounts (issuer, subject, user_id, name, linked_at_ms) VALUES ('code-hosting', '42', 'ada', NULL, 1);
    INSERT INTO provider_visits (state_digest, browser_digest, provider, linking_user_id, onward, expires_at_ms)
      VALUES (x'03', x'04', 'upstream', NULL, NULL, 1);
    INSERT INTO status_slots VALUES ('greeter', 1, 2, 3, 4, 5);
    INSERT INTO status_days VALUES ('greeter', 1, 2, 3, 4, 5);
    INSERT INTO status_notices VALUES ('greeter', 'Back soon', 1);
    INSERT INTO failed_requests (application_id, at_ms, place, error, description, redirect_uri)
      VALUES ('gone', 1, 'token', NULL, 'description', NULL);
    INSERT INTO kept_forms VALUES ('form', 'ada', x'05', 1);
    INSERT INTO invitations (bot_id, label, role, capabilities, digest, expires_at_ms, accepted_by)
      VALUES ('greeter', 'Grace', 'editor', 'flows', x'07', 1, 'ada');`)
  db.close()
  const queue = new DatabaseSync(join(dataDir, 'queue.sqlite'))
  queue.exec(
    "INSERT OR REPLACE INTO marks VALUES ('greeter', x'06', 9); INSERT OR IGNORE INTO hourly_counts VALUES ('greeter', 'hooks', 1, 2, 3, 4, 5)",
  )
  queue.close()
}

function manySessions(dataDir: string, many: number): void {
  const db = new DatabaseSync(join(dataDir, 'identity.sqlite'))
  db.exec(`
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${many})
    INSERT INTO sessions (number, digest, surface, user_id, created_at_ms, expires_at_ms)
      SELECT 1000 + n, randomblob(32), 'portal', 'ada', 0, 1 FROM counted`)
  db.close()
}

/** Of the queue, which PostgreSQL keeps in other tables. */
const queueTables = ['events', 'large_bodies', 'failed_attempts', 'marks', 'hourly_counts']

/** Rows by table, of both files. */
function rowsOf(dataDir: string): Record<string, number> {
  const counted = ['identity', 'queue'].flatMap((name) => {
    const db = new DatabaseSync(join(dataDir, `${name}.sqlite`), { readOnly: true })
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
    const rows = tables.map(({ name }): [string, number] => [
      String(name),
      Number(db.prepare(`SELECT count(*) AS rows FROM ${name}`).get()?.rows),
    ])
    db.close()
    return rows
  })
  return Object.fromEntries(counted)
}

async function counted(url: string, tables: readonly string[]): Promise<Record<string, number>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const rows: Record<string, number> = {}
    for (const table of tables) {
      rows[table] = Number((await client.query(`SELECT count(*) FROM ${table}`)).rows[0].count)
    }
    return rows
  } finally {
    await client.end()
  }
}

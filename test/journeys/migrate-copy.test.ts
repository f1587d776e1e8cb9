import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { type BotId, parseUserId } from '../../src/domain/ids-and-secrets.ts'
import type { EventSummary } from '../../src/domain/webhooks/event-log.ts'
import { migratePrimary } from '../../src/storage/postgres/migrate.ts'
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { postgresIdentity } from '../../src/storage/postgres/postgres-identity.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { exported } from '../support/audit.ts'
import { BotRuntime, type ListeningBot, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { ada, provision, signedIn } from '../support/people.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { onDatabase, openWorld, type World } from '../support/world.ts'
import { assertPeopleKept, assertWebhooksKept } from '../upgrade/kept.ts'
import { rowsIn } from '../upgrade/sqlite-contents.ts'
import { counted, filledDirectory, migrate } from './migration.ts'

const greeter = 'greeter' as BotId
const hourMs = 3_600_000

describe('our choice: a stopped service’s data is copied into PostgreSQL and verified (0038)', () => {
  test('migrate copies every row of every table, whatever characters it contains, and numbering continues', async (t) => {
    const { dataDir } = await filledDirectory(t)
    furnish(dataDir)
    const rows = rowsIn(dataDir)
    for (const [table, count] of Object.entries(rows)) assert.ok(count > 0, `${table} has no row to copy`)
    const url = await emptyDatabase()
    const { exitCode, stdout, stderr } = await migrate(t, dataDir, url)
    assert.deepEqual([exitCode, stderr], [0, ''])
    const tables = Object.keys(rows).filter((table) => !queueTables.includes(table))
    const copied = await counted(url, tables)
    for (const [table, count] of Object.entries(copied)) assert.equal(count, rows[table], table)
    const queue = await counted(url, ['queue_events', 'queue_done', 'queue_dead'])
    const queued = Object.values(queue).reduce((sum, count) => sum + count)
    assert.equal(queued, rows.events)
    const waits = await counted(url, [
      'queue_events',
      `(SELECT generate_series(1, sum(events)) FROM queue_entered) AS n`,
    ])
    assert.equal(new Set(Object.values(waits)).size, 1, 'the limits of the queue count what waits')
    for (const [table, count] of Object.entries(copied)) {
      assert.match(stdout, new RegExp(`^${table}: ${count} rows, digest [0-9a-f]{32}$`, 'm'))
    }
    assert.match(stdout, /All \d+ rows are in the database of DATABASE_URL and match\. Start the nodes/)

    const primary = new Primary([url])
    await migratePrimary(primary)
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
    assert.equal(added.kind === 'added' && added.number, 4_001, 'numbers of passkeys that are gone stay gone')
  })

  test('the service runs from the migrated data and keeps sessions, tokens, waiting webhooks, logs and audit events', async (t) => {
    const { dataDir, filled, nowMs } = await filledDirectory(t)
    const url = await emptyDatabase()
    assert.equal((await migrate(t, dataDir, url)).exitCode, 0)
    const world = await openWorld(t, onDatabase(url), { nowMs: nowMs + 60_000 })
    await assertPeopleKept(world, filled)
    for (const [path, record] of Object.entries(filled.records)) {
      const { status, json } = await provision(world, 'GET', path)
      assert.equal(status, 200, path)
      // Does not compare keys: `filled.records` was read before the keys' last use was stored.
      assert.deepEqual({ ...json, keys: undefined }, { ...(record as object), keys: undefined }, path)
    }
    assert.deepEqual((await exported(world)).slice(0, filled.audit.length), filled.audit)

    const browser = await signedIn(world)
    const dead = await browser.get(`${world.baseUrl}/bots/greeter/deliveries?state=dead`)
    const [address = ''] = /\/bots\/greeter\/deliveries\/ev[\w-]+/.exec(dead.text) ?? []
    assert.match((await browser.get(`${world.baseUrl}${address}`)).text, /no such order/)
    await assertWebhooksKept(t, world, filled)
  })

  test('migrated events keep their IDs, and new events for all bots get different IDs, even with a slow clock', async (t) => {
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

    const bots = await Promise.all([1, 2, 3].map((n) => provisionListeningBot(world.service, { botId: `bot-${n}` })))
    const sent = bots.flatMap((bot) => Array<ListeningBot>(5).fill(bot))
    await Promise.all(sent.map((bot) => post(world, bot)))
    const [original = assert.fail('nothing is dead')] = events.filter(({ state }) => state === 'dead')
    const replay = await world.service.queue.replay(greeter, original.id, world.clock.nowMs())
    const due = events.filter(({ state }) => state === 'ready')
    await world.clock.advance(2 * hourMs + 60_000)
    const { runtime } = await BotRuntime.ready(t, world, filled.runtimeKey, { credit: 100 })
    const frames = await runtime.deliveries(due.length + sent.length + 1)
    assert.equal(new Set(frames.map(({ id }) => id)).size, frames.length)
    const received = frames.flatMap(({ id }) => (events.some((event) => event.id === id) ? [id] : []))
    assert.deepEqual(received.sort(), due.map(({ id }) => id).sort())
    const replayed = frames.find(({ id }) => replay.kind === 'accepted' && id === replay.id)
    assert.equal(replayed?.replayOf, original.id)
  })
})

/** Text with characters that have a special meaning in PostgreSQL's array or string literals. */
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

/**
 * Inserts a row into each table that HTTP requests left empty, and raises counters above the numbers of deleted rows.
 */
function furnish(dataDir: string): void {
  using db = new DatabaseSync(join(dataDir, 'identity.sqlite'))
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
    INSERT INTO status_changes VALUES ('greeter', 1, 'offline');
    INSERT INTO status_notices VALUES ('greeter', 'Back soon', 1);
    INSERT INTO failed_requests (application_id, at_ms, place, error, description, redirect_uri)
      VALUES ('gone', 1, 'token', NULL, 'description', NULL);
    INSERT INTO refused_webhooks (bot_id, flow_id, cause, address, path, count, first_at_ms, last_at_ms)
      VALUES ('greeter', '', 'path-unknown', '192.0.2.1', 'no-such', 1, 1, 1);
    INSERT INTO try_out_results VALUES ('form', 'ada', x'05', 1);
    INSERT INTO invitations (bot_id, label, role, capabilities, digest, expires_at_ms, accepted_by)
      VALUES ('greeter', 'Grace', 'editor', 'flows', x'07', 1, 'ada');
    INSERT INTO subscriptions VALUES ('events', 'ada', 'https://events.example/…4711', '["bot.online"]', NULL, x'07',
      NULL, NULL, 1, 'discord', 'de', x'0b');
    UPDATE flows SET previous_signing_secret = x'0c', previous_secret_ends_at_ms = 1;
    INSERT INTO announced_states VALUES ('greeter', 'connection', 'online', 1);
    INSERT INTO operator_keys (id, name, access, digest, last_four, created_at_ms)
      VALUES ('key', 'Deploy', 'read', x'08', 'abcd', 1);
    INSERT INTO deleted_bots VALUES ('former', 1);
    INSERT INTO personal_tokens (id, user_id, name, scopes, digest, last_four, created_at_ms, expires_at_ms)
      VALUES ('token', 'ada', 'Script', 'bots.read', x'09', 'abcd', 1, 2);`)
  using queue = new DatabaseSync(join(dataDir, 'queue.sqlite'))
  queue.exec(
    "INSERT OR REPLACE INTO marks VALUES ('greeter', x'06', 9, NULL); INSERT OR IGNORE INTO hourly_counts VALUES ('greeter', 'hooks', 1, 2, 3, 4, 5)",
  )
}

/** Names of the queue's tables in SQLite. PostgreSQL uses other names. */
const queueTables = ['events', 'large_bodies', 'failed_attempts', 'marks', 'hourly_counts']

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { provision, signedIn } from '../support/people.ts'
import { dropDatabase, emptyDatabase } from '../support/postgres/test-database.ts'
import { ask } from '../support/postgres/with-client.ts'
import { onDatabase, openWorld, type World } from '../support/world.ts'
import { auditOf, type Filled } from './fill.ts'
import { assertPeopleKept, assertWebhooksKept } from './kept.ts'
import { laterTests } from './later-tests.ts'
import { files, rowsIn, schemaOf } from './sqlite-contents.ts'

/** Lets the service send events to a receiver of the test. */
const receivesEvents = { EVENTS_ALLOW_PRIVATE: 'true' }
const dayMs = 24 * 3_600_000

// Each folder was written by an actual release, using the secret key of the tests. See README.md in this folder.
for (const name of ['first-data', 'first-postgres', 'later-data', 'later-postgres']) {
  const folder = join(import.meta.dirname, name)
  const filled = JSON.parse(readFileSync(join(folder, 'filled.json'), 'utf8')) as Filled
  const openUpgraded = existsSync(join(folder, 'database.sql')) ? openUpgradedDatabase : openUpgradedFiles

  describe(`our choice: the first start migrates data from an earlier release without loss: ${name} (0038)`, () => {
    test('every record of the earlier release is kept, in the tables and in responses from the control surface', async (t) => {
      const { world, contents } = await openUpgraded(t, folder, filled)
      for (const [path, record] of Object.entries(filled.records)) {
        const answer = await provision(world, 'GET', path)
        assert.equal(answer.status, 200, path)
        assert.partialDeepStrictEqual(answer.json, record, path)
      }
      assert.partialDeepStrictEqual((await auditOf(world)).slice(0, filled.audit.length), filled.audit)
      if (contents === undefined) return
      await world.stop()
      const after = rowsIn(world.dataDir)
      for (const [table, rows] of Object.entries(contents))
        assert.ok((after[table] ?? 0) >= rows, `${table}: ${rows} rows`)
      assert.deepEqual(
        await schemasOfNewInstallation(t),
        schemasIn(world.dataDir),
        'the tables are those of a new installation',
      )
    })

    test('after an upgrade, sessions, passwords, PINs and consents stay valid, and each token keeps its state', async (t) => {
      const { world } = await openUpgraded(t, folder, filled)
      await assertPeopleKept(world, filled)
    })

    test('after an upgrade, waiting webhooks are delivered, finished webhooks are listed, and keys stay valid', async (t) => {
      const { world } = await openUpgraded(t, folder, filled)
      await assertWebhooksKept(t, world, filled)
    })

    test('after an upgrade, a stored event has the ID that it had before, wherever it is named', async (t) => {
      const { world } = await openUpgraded(t, folder, filled)
      const idOf = (body: string) => filled.eventIds[body] as string
      const listed = (await provision(world, 'GET', '/v1/bots/greeter/deliveries')).json.items as { id: string }[]
      assert.deepEqual(new Set(listed.map(({ id }) => id)), new Set(Object.values(filled.eventIds)))
      assert.equal((await provision(world, 'GET', `/v1/bots/greeter/deliveries/${idOf('done')}`)).status, 200)
      const browser = await signedIn(world)
      const dead = await browser.get(`${world.baseUrl}/bots/greeter/deliveries?state=dead`)
      assert.ok(dead.text.includes(`"/bots/greeter/deliveries/${idOf('given up')}?`))

      const replay = await provision(world, 'POST', `/v1/bots/greeter/deliveries/${idOf('given up')}/replay`)
      assert.equal(replay.status, 202)
      await world.clock.advance(61 * 60_000)
      const { runtime } = await BotRuntime.ready(t, world, filled.runtimeKey)
      const frames = await runtime.deliveries(filled.waiting.length + 1)
      const byBody = new Map(frames.map((frame) => [Buffer.from(frame.body, 'base64').toString(), frame]))
      for (const body of filled.waiting) assert.equal(byBody.get(body)?.id, idOf(body), body.slice(0, 20))
      assert.equal(byBody.get('given up')?.replayOf, idOf('given up'))
      assert.ok(
        !Object.values(filled.eventIds).includes(byBody.get('given up')?.id),
        'the replay is an event of its own',
      )
    })

    const { later } = filled
    if (later !== undefined) laterTests((t) => openUpgraded(t, folder, filled), filled, later)

    test('40 days of upkeep jobs on migrated data log no error', async (t) => {
      const { world } = await openUpgraded(t, folder, filled)
      await world.clock.advance(40 * dayMs)
      assert.equal(await readiness(world), 200)
      assert.doesNotMatch(world.logs(), /"level":(50|60)/)
    })
  })
}

interface Upgraded {
  world: World
  /** Rows in each table before the upgrade. `every-schema.test.ts` compares the tables of PostgreSQL. */
  contents?: Record<string, number>
}

/** Starts the service on a copy of the release’s data, a minute after the data was written. */
async function openUpgradedFiles(t: TestContext, folder: string, { atMs }: Filled): Promise<Upgraded> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
  for (const name of ['identity', 'queue']) {
    const db = new DatabaseSync(join(dataDir, `${name}.sqlite`), { enableForeignKeyConstraints: false })
    db.exec(readFileSync(join(folder, `${name}.sql`), 'utf8'))
    db.close()
  }
  const contents = rowsIn(dataDir)
  const world = await openWorld(
    t,
    { DATA_DIR: dataDir, ...receivesEvents },
    { nowMs: atMs + 60_000, storage: 'sqlite' },
  )
  // Registered after the hook that stops the service, which needs the files until then.
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  return { world, contents }
}

/** Like {@link openUpgradedFiles}, on PostgreSQL. */
async function openUpgradedDatabase(t: TestContext, folder: string, { atMs }: Filled): Promise<Upgraded> {
  const url = await emptyDatabase()
  await ask(url, readFileSync(join(folder, 'database.sql'), 'utf8'))
  const world = await openWorld(
    t,
    { ...onDatabase(url), ...receivesEvents },
    { nowMs: atMs + 60_000, storage: 'postgres' },
  )
  t.after(() => dropDatabase(url))
  return { world }
}

async function readiness(world: World): Promise<number> {
  return (await fetch(`${world.controlUrl}/readyz`)).status
}

async function schemasOfNewInstallation(t: TestContext): Promise<unknown> {
  const fresh = await openWorld(t)
  await fresh.stop()
  return schemasIn(fresh.dataDir)
}

function schemasIn(dataDir: string): unknown {
  return files.map((name) => schemaOf(join(dataDir, name)))
}

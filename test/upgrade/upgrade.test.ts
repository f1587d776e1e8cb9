import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { provision } from '../support/people.ts'
import { dropDatabase, emptyDatabase } from '../support/postgres/test-database.ts'
import { ask } from '../support/postgres/with-client.ts'
import { onDatabase, openWorld, type World } from '../support/world.ts'
import type { Filled } from './fill.ts'
import { assertPeopleKept, assertWebhooksKept } from './kept.ts'
import { laterTests } from './later-tests.ts'

const dayMs = 24 * 3_600_000

// Each folder was written by an actual release, using the secret key of the tests. See README.md in this folder.
for (const name of ['first-data', 'first-postgres', 'later-data', 'later-postgres']) {
  const folder = join(import.meta.dirname, name)
  const filled = JSON.parse(readFileSync(join(folder, 'filled.json'), 'utf8')) as Filled

  describe(`our choice: the first start migrates data from an earlier release without loss: ${name} (0038)`, () => {
    test('every record of the earlier release is in responses from the control surface', async (t) => {
      const world = await openUpgraded(t, folder, filled)
      for (const [path, record] of Object.entries(filled.records)) {
        const answer = await provision(world, 'GET', path)
        assert.equal(answer.status, 200, path)
        assert.partialDeepStrictEqual(answer.json, record, path)
      }
      assert.partialDeepStrictEqual((await exported(world)).slice(0, filled.audit.length), filled.audit)
    })

    test('after an upgrade, sessions, passwords, PINs and consents stay valid, and each token keeps its state', async (t) => {
      await assertPeopleKept(await openUpgraded(t, folder, filled), filled)
    })

    test('after an upgrade, webhooks are listed and delivered under the IDs that they had, and keys stay valid', async (t) => {
      await assertWebhooksKept(t, await openUpgraded(t, folder, filled), filled)
    })

    const { later } = filled
    if (later !== undefined) laterTests((t) => openUpgraded(t, folder, filled), filled, later)

    test('40 days of upkeep jobs on migrated data log no error', async (t) => {
      const world = await openUpgraded(t, folder, filled)
      await world.clock.advance(40 * dayMs)
      assert.equal((await fetch(`${world.controlUrl}/readyz`)).status, 200)
      assert.doesNotMatch(world.logs(), /"level":(50|60)/)
    })
  })
}

/** Starts the service on a copy of the release’s data, a minute after the data was written. */
async function openUpgraded(t: TestContext, folder: string, { atMs }: Filled): Promise<World> {
  const { env, remove } = existsSync(join(folder, 'database.sql'))
    ? await restoreDatabase(folder)
    : restoreFiles(folder)
  // Lets the service send events to a receiver of the test.
  const settings = { ...env, EVENTS_ALLOW_PRIVATE: 'true' }
  // `DATABASE_URL` takes precedence. On `postgres`, files would get a database of their own.
  const world = await openWorld(t, settings, { nowMs: atMs + 60_000, storage: 'sqlite' })
  // Registered after the hook that stops the service, which needs the data until then.
  t.after(remove)
  return world
}

function restoreFiles(folder: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
  for (const name of ['identity', 'queue']) {
    using db = new DatabaseSync(join(dataDir, `${name}.sqlite`), { enableForeignKeyConstraints: false })
    db.exec(readFileSync(join(folder, `${name}.sql`), 'utf8'))
  }
  return { env: { DATA_DIR: dataDir }, remove: () => rmSync(dataDir, { recursive: true, force: true }) }
}

async function restoreDatabase(folder: string) {
  const url = await emptyDatabase()
  await ask(url, readFileSync(join(folder, 'database.sql'), 'utf8'))
  return { env: onDatabase(url), remove: () => dropDatabase(url) }
}

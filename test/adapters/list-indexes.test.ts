import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asClientId, parseBotId, parseChatPlatformId, parseUserId } from '../../src/domain/ids-and-secrets.ts'
import type { NewestFirst } from '../../src/domain/list-page.ts'
import { sqlUsers } from '../../src/storage/sql/accounts/users.ts'
import { sqlApplications } from '../../src/storage/sql/applications/applications.ts'
import { sqlBots } from '../../src/storage/sql/bots/bots.ts'
import { sqlFlows } from '../../src/storage/sql/bots/flows.ts'
import { sqlRuntimes } from '../../src/storage/sql/bots/runtimes.ts'
import { type Database, raw, sql } from '../../src/storage/sql/sql.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

/** `LIST_ROWS=1000000` checks the plans of large tables, which takes minutes. */
const rowsPerTable = Number(process.env.LIST_ROWS ?? 10_000)
const rowsPerInsert = 10_000

/** A table of consecutive numbers, starting with `first`. */
const numbered = (first: number) =>
  `WITH RECURSIVE numbered (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM numbered WHERE n < ${first + rowsPerInsert - 1})`
const fill = [
  `INSERT INTO users (id, name, email_key, created_at_ms, updated_at_ms)
   SELECT 'u' || n, 'U', 'u' || n || '@a.example', n, n FROM numbered`,
  `INSERT INTO applications (id, client_id, owner_id, name, website_url, environment, redirect_uris, created_at_ms,
     updated_at_ms) SELECT 'a' || n, 'c' || n, 'u' || (n % 10 + 1), 'A', '', 'production', '[]', n, n FROM numbered`,
  `INSERT INTO bots (id, owner_id, name, chat_platform_id, plan, hosting_enabled, public_status, created_at_ms,
     updated_at_ms) SELECT 'b' || n, 'u' || (n % 10 + 1), 'B', 'p' || n, 'free', 1, 0, n, n FROM numbered`,
  `INSERT INTO flows (bot_id, id, kind, name, created_at_ms, updated_at_ms)
   SELECT 'b' || n, 'f', 'event', 'F', n, n FROM numbered`,
  `INSERT INTO runtimes (id, name, owner_id, created_at_ms) SELECT 'r' || n, 'R', 'u' || (n % 10 + 1), n FROM numbered`,
]

describe('our choice: a page of a list is read from an index (decision 0102)', () => {
  for (const { name, open } of identityEngines) {
    test(`${name}: no list scans or sorts a table, at any page and with any indexed filter`, async (t) => {
      const { database } = await open(t)
      await filled(database, name)
      const { plans, planned } = planning(database, name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN')
      await readLists(planned)
      assert.equal(plans.length, 28)
      assert.deepEqual(plans.filter(readsMoreThanThePage), [])
    })
  }
})

/**
 * Returns whether the plan scans a table, or sorts more than one row. One sort is allowed for a page of applications,
 * because it is joined with the applications' secrets.
 */
function readsMoreThanThePage({ sql, plan }: { sql: string; plan: string }): boolean {
  const sorts = plan.match(/TEMP B-TREE FOR ORDER BY|(?<!Incremental )Sort {2}\(cost=\S+ rows=(?!1 )/g) ?? []
  return /Seq Scan|Bitmap/.test(plan) || sorts.length > (sql.includes(' AS page ') ? 1 : 0)
}

async function filled(database: Database, name: string): Promise<void> {
  for (let first = 1; first <= rowsPerTable; first += rowsPerInsert) {
    for (const insert of fill) await database.write({}, () => raw(`${numbered(first)} ${insert}`).run())
  }
  if (name === 'postgres') await database.queryOnce(sql`ANALYZE`)
}

async function readLists(database: Database): Promise<void> {
  const after = { createdAtMs: rowsPerTable / 2, id: 'x' }
  const requests: NewestFirst[] = [
    { after: undefined, most: 51 },
    { after, most: 51, createdSinceMs: 100 },
  ]
  const ownerId = parseUserId('u7')
  const chatPlatformId = parseChatPlatformId('12345678901234567')
  for (const request of requests) {
    const users = sqlUsers(database)
    await users.listUsers({}, request)
    await users.listUsers({ emailKey: 'u7@a.example' }, request)
    await users.listUsers({ chatPlatformId }, request)
    await users.listUsers({ codeHostingId: 'u7' }, request)
    const applications = sqlApplications(database)
    await applications.listApplications({}, request)
    await applications.listApplications({ ownerId }, request)
    await applications.listApplications({ clientId: asClientId('c7') }, request)
    const bots = sqlBots(database)
    await bots.listBots({}, request)
    await bots.listBots({ ownerId }, request)
    await bots.listBots({ chatPlatformId }, request)
    const runtimes = sqlRuntimes(database)
    await runtimes.listRuntimes(undefined, request)
    await runtimes.listRuntimes(ownerId, request)
  }
  const flows = sqlFlows(database)
  for (const place of [undefined, { botId: 'b7', id: 'f' }]) {
    await flows.listFlows(undefined, { after: place, most: 51 })
    await flows.listFlows(parseBotId('b7'), { after: place, most: 51 })
  }
}

/** Returns a database that collects the plan of each query instead of running it. */
function planning(database: Database, explain: string) {
  const plans: { sql: string; plan: string }[] = []
  const queryOnce: Database['queryOnce'] = async (statement) => {
    const lines = await database.queryOnce<Record<string, string>>(sql`${raw(explain)} ${statement}`)
    plans.push({ sql: statement.text, plan: lines.map((line) => line.detail ?? line['QUERY PLAN']).join('\n') })
    return []
  }
  const read: Database['read'] = async (work) => {
    const running = work()
    let step = running.next()
    while (step.done !== true) {
      for (const statement of step.value) await queryOnce(statement)
      step = running.next(step.value.map(() => ({ rows: [], changes: 0 })))
    }
    return step.value
  }
  return { plans, planned: { queryOnce, read } as Database }
}

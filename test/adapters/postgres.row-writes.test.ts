import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { RuntimeRecord } from '../../src/domain/bots/runtimes/runtime.ts'
import { currentAddress } from '../../src/domain/concurrency-limit.ts'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { rowWrites } from '../../src/storage/postgres/postgres-database.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { queuePool } from '../../src/storage/postgres/queue/queue-parts.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { sql } from '../../src/storage/sql/sql.ts'
import { aBot, ada, aKey, anEvent, anInvitation, aRuntime, botId, nowMs } from '../contract/scene.ts'
import { identityUrl, openIdentityNode, openIdentityNodes } from '../support/postgres/identity.ts'
import { openClient } from '../support/postgres/with-client.ts'

const atOnce = 16
const unlocking = { sessionNumber: 1, untilMs: nowMs }

describe('postgres: writes to the same row in one transaction', () => {
  test('if one of several writes to a row fails, the others still succeed; each write is stored with its audit event or not at all', async (t) => {
    const { databases, nodes } = await openIdentityNodes(t, 1)
    const [database, { scopes, audit }] = [databases[0]!, nodes[0]!]
    const declare = (name: string) => sql`INSERT INTO scopes (name, description) VALUES (${name}, '')`.changes()
    const writes = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      database.write(
        { row: 'row', recording: (outcome) => ({ ...anEvent(nowMs), detail: { wrote: outcome } }) },
        function* () {
          yield* declare(name)
          if (name === 'c') throw new Error('a fault')
          return name
        },
      ),
    )
    const settled = await Promise.allSettled(writes)
    const outcomes = settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message))
    assert.deepEqual(outcomes, ['a', 'b', 'a fault', 'd', 'e'])
    const names = (await scopes.list()).map(({ name }) => name)
    assert.deepEqual(names, ['a', 'b', 'd', 'e'])
    const recorded = (await audit.listAfter(0, 10)).map(({ detail }) => detail.wrote)
    assert.deepEqual(recorded, ['a', 'b', 'd', 'e'])
  })
})

describe('postgres: runtimes or invitations that one owner creates at the same time', () => {
  test('they share transactions: none conflicts with another and has to be repeated', async (t) => {
    const { nodes } = await openIdentityNodes(t, 1)
    const [{ bots, runtimes, invitations }] = nodes as [IdentityStores]
    const [one, limits] = [botId('one'), { atMost: 20, nowMs }]
    await bots.putBot(one, aBot(1), nowMs)
    const indexes = Array.from({ length: atOnce }, (_, index) => index)
    const added = indexes.map((index) => runtimes.addRuntime(aRuntime(`r${index}`), aKey(`key ${index}`), 20, nowMs))
    const keys = (await Promise.all(added)).flatMap((each) => (each as { runtime: RuntimeRecord }).runtime.keys)
    await Promise.all(indexes.map((index) => invitations.addInvitation(anInvitation(`token ${index}`), limits)))
    // A repeated transaction would leave a gap.
    for (const rows of [keys, await invitations.listInvitations(one, nowMs)]) {
      const numbers = rows.map(({ number }) => number - (rows[0]?.number ?? 0))
      assert.deepEqual(numbers, indexes)
    }
  })
})

describe('postgres: writes that wait for other writes to the same row', () => {
  test('a waiting write is rejected at its request timeout; writes queued later still succeed', async (t) => {
    let elapsedMs = 0
    t.mock.method(performance, 'now', () => elapsedMs)
    const begun = Promise.withResolvers<void>()
    const write = rowWrites<string>(async (together) => {
      await begun.promise
      return together
    }, 5_000)
    const [first, early] = [write('row', 'first'), write('row', 'early')]
    elapsedMs = 1_001
    const late = write('row', 'late')
    const refused = assert.rejects(early, StoreUnavailable)
    elapsedMs = 6_000
    begun.resolve()
    assert.deepEqual(await Promise.all([first, late]), ['first', 'late'])
    await refused
  })
})

/** Retries end after a time that a busy machine can exceed. */
const withoutTimeLimit = (t: TestContext) => t.mock.method(performance, 'now', () => 0)

describe('postgres: a write that conflicts with others', () => {
  test('a conflicting write is retried until it succeeds, however many attempts that takes', async (t) => {
    const { databases } = await openIdentityNodes(t, 1)
    withoutTimeLimit(t)
    let tries = 0
    await databases[0]!.write({}, function* () {
      tries += 1
      if (tries <= 25) yield* sql`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$`.changes()
    })
    assert.equal(tries, 26)
  })

  test('the queue database retries conflicting writes too', async (t) => {
    const queue = queuePool(new Primary([await identityUrl()]), 1)
    t.after(() => queue.close())
    withoutTimeLimit(t)
    let tries = 0
    await queue.transaction(async (transaction) => {
      tries += 1
      const text = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$"
      if (tries <= 15) await transaction.execute(text)
    })
    assert.equal(tries, 16)
  })

  test('writes that wait for a locked row don’t delay writes to other rows', async (t) => {
    const { nodes } = await openIdentityNodes(t, 1)
    const [{ users, scopes }] = nodes as [IdentityStores]
    await users.setPin(ada, 'hash', unlocking, nowMs)
    const stranger = await openClient(t, await identityUrl())
    await stranger.query("BEGIN; UPDATE users SET name = name WHERE id = 'ada'")
    const waiting = Promise.all(Array.from({ length: atOnce }, () => users.beginPinAttempt(ada, nowMs)))
    waiting.catch(() => {})
    for (let n = 0; n < 20; n += 1) await scopes.declare({ name: `scope-${n}`, description: '' })
    await stranger.query('COMMIT')
    const kinds = (await waiting).map(({ kind }) => kind)
    assert.deepEqual(kinds.toSorted(), [...Array(5).fill('begun'), ...Array(11).fill('locked')])
  })
})

describe('postgres: work that holds every connection of pages and APIs', () => {
  test('the hot paths are still answered, on connections of their own', async (t) => {
    const holder = await openClient(t, await identityUrl())
    await holder.query('SELECT pg_advisory_lock(1)')
    const database = await openIdentityNode(t, 1)
    const held = [1, 2].map(() => database.read(() => sql`SELECT pg_advisory_xact_lock_shared(1)`.rows()))
    assert.deepEqual(await database.pool.rows('SELECT 1 AS answered'), [{ answered: 1 }])
    assert.deepEqual(database.figures, { connections: 2, idle: 1, waiting: 1 })
    await holder.query('SELECT pg_advisory_unlock(1)')
    await Promise.all(held)
  })

  test('they read in turn for each client address', async (t) => {
    const holder = await openClient(t, await identityUrl())
    await holder.query('SELECT pg_advisory_lock(1)')
    const database = await openIdentityNode(t, 1)
    const order: string[] = []
    const read = (address: string) =>
      currentAddress.run(address, () => database.read(() => sql`SELECT pg_advisory_xact_lock_shared(1)`.rows()))
    const addresses = [...Array(4).fill('203.0.113.7'), '198.51.100.7']
    const reads = addresses.map((address) => read(address).then(() => order.push(address)))
    await holder.query('SELECT pg_advisory_unlock(1)')
    await Promise.all(reads)
    assert.equal(order.indexOf('198.51.100.7'), 2)
  })
})

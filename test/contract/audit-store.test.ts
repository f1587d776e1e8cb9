import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raw, sql } from '../../src/storage/sql/sql.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, pluck, tally } from '../support/together.ts'
import { ada, anEvent, withAdaAndAcme } from './scene.ts'

const noSession = { sessionNumber: 0, untilMs: 0 }

onEachDatabase('AuditStore', withAdaAndAcme, (open) => {
  test('an exporter that continues after the last number misses no concurrently appended audit event', async (t) => {
    const { audit, users } = await open(t)
    const appending = atOnce(100, (index) =>
      index % 3 === 0
        ? audit.append(anEvent(index))
        : // These change the same user, so they conflict and are retried.
          users.setPin(ada, `hash ${index}`, noSession, index, () => anEvent(index)),
    )
    let over = false
    const appended = appending.finally(() => {
      over = true
    })
    const exported: number[] = []
    for (let last = 0; ; ) {
      const wasOver = over
      const page = await audit.listAfter(last, 7)
      exported.push(...pluck(page, 'atMs'))
      last = page.at(-1)?.number ?? last
      if (page.length === 0 && wasOver) break
    }
    await appended
    exported.sort((one, other) => one - other)
    assert.deepEqual(
      exported,
      Array.from({ length: 100 }, (_, index) => index),
    )
  })

  test('of fifty concurrent password changes, only the one that succeeds is recorded', async (t) => {
    const { audit, users } = await open(t)
    const change = { userId: ada, from: null, to: 'hash', keptSession: 0 }
    const outcomes = await atOnce(50, () =>
      users.changePassword(change, 1_000, (outcome) => (outcome === 'changed' ? anEvent(1_000) : undefined)),
    )
    assert.equal(tally(outcomes).changed, 1)
    assert.equal((await audit.listAfter(0, 100)).length, 1)
  })

  test('pruning deletes the oldest audit events in bounded batches, up to the first that must be kept, even if a later event has an earlier time; no number is reused', async (t) => {
    const { audit, again } = await open(t)
    for (const atMs of [10, 20, 30, 40, 35]) await audit.append(anEvent(atMs))
    for (const pruned of [2, 1, 0]) assert.equal(await audit.prune(40, 2), pruned)
    assert.deepEqual(pluck(await audit.listAfter(0, 100), 'atMs'), [40, 35])
    assert.equal(await audit.prune(1_000, 2), 2)
    const reopened = again().audit
    await reopened.append(anEvent(50))
    assert.deepEqual(pluck(await reopened.listAfter(0, 100), 'number'), [6])
  })

  test('audit rows can’t be changed, and only the oldest rows can be deleted', async (t) => {
    const { database } = await open(t)
    const run = (statement: string) => database.write({}, () => raw(statement).changes())
    for (let row = 0; row < 3; row += 1)
      await run(`INSERT INTO audit_events (at_ms, kind, actor, detail) VALUES (1, 'sign-in', 'user', '{}')`)
    await assert.rejects(run(`UPDATE audit_events SET kind = 'grant' WHERE number = 3`), /are not changed/)
    await assert.rejects(run('DELETE FROM audit_events WHERE number = 2'), /only the oldest/)
    await run('DELETE FROM audit_events WHERE number = 1')
    const left = await database.read(() => sql`SELECT number FROM audit_events`.rows<{ number: number }>())
    assert.deepEqual(pluck(left, 'number'), [2, 3])
  })
})

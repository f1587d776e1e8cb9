import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewAuditEvent } from '../../src/domain/audit/audit.ts'
import { type ApplicationId, parseApplicationId, parseUserId, type UserId } from '../../src/domain/ids-and-secrets.ts'
import { raw, sql } from '../../src/storage/sql/sql.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { withAdaAndAcme } from '../support/adapters/open-identity.ts'
import { atOnce, pluck } from '../support/together.ts'
import { anEvent } from './audit-scene.ts'

const ada = parseUserId('ada')!
const acme = parseApplicationId('acme')!
const noSession = { sessionNumber: 0, untilMs: 0 }
const noNames = { application: null, bot: null, flow: null, runtime: null, coworker: null, subscription: null }
const newest = { before: undefined, atMost: 100 }

onEachDatabase('AuditStore', withAdaAndAcme, (open) => {
  test('an audit event is stored exactly as appended', async (t) => {
    const { audit } = await open(t)
    const event: NewAuditEvent = {
      ...anEvent(1_000),
      kind: 'refresh-reuse',
      actor: 'client',
      userId: ada,
      applicationId: acme,
      detail: { probably: 'theft' },
    }
    await audit.append(event)
    assert.deepEqual(await audit.listAfter(0, 10), [{ number: 1, ...event }])
    const shown = { number: 1, ...event, applicationName: 'Acme', names: { ...noNames, application: 'Acme' } }
    assert.deepEqual(await audit.listOfUser(ada, newest), [shown])
    assert.deepEqual(await audit.listOfApplication(acme, ada, newest), [shown])
  })

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
      exported.push(...times(page))
      last = page.at(-1)?.number ?? last
      if (page.length === 0 && wasOver) break
    }
    await appended
    assert.deepEqual(
      exported.sort((one, other) => one - other),
      Array.from({ length: 100 }, (_, index) => index),
    )
  })

  test('a user’s and an application’s audit lists contain only their own events, newest first, in pages', async (t) => {
    const { audit } = await open(t)
    for (let atMs = 0; atMs < 6; atMs += 1) {
      await audit.append({ ...anEvent(atMs), userId: atMs % 2 === 0 ? ada : ('bob' as UserId) })
      await audit.append({ ...anEvent(atMs), applicationId: atMs % 2 === 0 ? acme : ('gone' as ApplicationId) })
    }
    const page = await audit.listOfUser(ada, { before: undefined, atMost: 2 })
    assert.deepEqual(times(page), [4, 2])
    assert.deepEqual(times(await audit.listOfUser(ada, { before: page.at(-1)!.number, atMost: 2 })), [0])
    assert.deepEqual(times(await audit.listOfApplication(acme, ada, newest)), [4, 2, 0])
    const [gone] = await audit.listOfApplication('gone' as ApplicationId, ada, newest)
    assert.equal(gone?.applicationName, null)
  })

  test('of fifty concurrent password changes, only the one that succeeds is recorded', async (t) => {
    const { audit, users } = await open(t)
    const change = { userId: ada, from: null, to: 'hash', keptSession: 0 }
    const changePassword = () =>
      users.changePassword(change, 1_000, (outcome) => (outcome === 'changed' ? anEvent(1_000) : undefined))
    const outcomes = await Promise.all(Array.from({ length: 50 }, changePassword))
    assert.equal(outcomes.filter((outcome) => outcome === 'changed').length, 1)
    assert.equal((await audit.listAfter(0, 100)).length, 1)
  })

  test('pruning deletes the oldest audit events in bounded batches and keeps the rest; no number is reused', async (t) => {
    const { audit, again } = await open(t)
    for (const atMs of [10, 20, 30, 40]) await audit.append(anEvent(atMs))
    assert.equal(await audit.prune(40, 2), 2)
    assert.equal(await audit.prune(40, 2), 1)
    assert.equal(await audit.prune(40, 2), 0)
    assert.deepEqual(times(await audit.listAfter(0, 100)), [40])
    assert.equal(await audit.prune(1_000, 2), 1)
    const reopened = again().audit
    await reopened.append(anEvent(50))
    assert.deepEqual(pluck(await reopened.listAfter(0, 100), 'number'), [5])
  })

  test('pruning stops at the first audit event that must be kept, even if a later event has an earlier time', async (t) => {
    const { audit } = await open(t)
    for (const atMs of [10, 90, 20]) await audit.append(anEvent(atMs))
    assert.equal(await audit.prune(50, 100), 1)
    assert.deepEqual(times(await audit.listAfter(0, 100)), [90, 20])
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

function times(events: readonly { atMs: number }[]): number[] {
  return events.map((event) => event.atMs)
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewSession } from '../../src/domain/accounts/sessions/sessions.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { pluck } from '../support/together.ts'
import { ada, newSession, userId, withAda } from './scene.ts'

onEachDatabase('SessionStore', withAda, (open) => {
  test('concurrent callers get different session numbers, and a reopened store never returns a number already stored', async (t) => {
    const { sessions, again } = await open(t)
    const numbers = await Promise.all(Array.from({ length: 100 }, () => sessions.allotNumber()))
    assert.equal(new Set(numbers).size, 100)
    const session = await newSession(sessions)
    await sessions.addSession(session, null, 9)
    assert.ok((await again().sessions.allotNumber()) > session.number)
  })

  test('a new session beyond the user’s limit ends the least recently used session', async (t) => {
    const { sessions } = await open(t)
    const made = [await newSession(sessions), await newSession(sessions), await newSession(sessions)]
    const [one, two, three] = made as [NewSession, NewSession, NewSession]
    await sessions.addSession(one, null, 2)
    await sessions.addSession(two, null, 2)
    await sessions.recordSeen(new Map([[one.number, 3_000]]))
    await sessions.addSession(three, null, 2)
    const there = await Promise.all(made.map(({ number }) => sessions.findSession(number)))
    const numbers = there.map((session) => session?.number)
    assert.deepEqual(numbers, [one.number, undefined, three.number])
  })

  test('a session of the portal ends and expires with the account’s session that it came from', async (t) => {
    const { sessions } = await open(t)
    const [account, other] = [await newSession(sessions), await newSession(sessions)]
    for (const session of [account, other]) await sessions.addSession(session, null, 9)
    const from = async (accountSession: number, change: Partial<NewSession> = {}) => {
      const portal = { surface: 'portal', accountSession, expiresAtMs: 9_999, ...change } as const
      return sessions.addSession(await newSession(sessions, portal), null, 2)
    }
    const added = await from(account.number)
    assert.ok(added.kind === 'added')
    assert.equal(added.session.expiresAtMs, account.expiresAtMs)
    assert.deepEqual(
      pluck(await sessions.listSessions(account.userId, 1_000), 'number'),
      [added.session.number, account.number],
      'the limit ends another session than the account’s own',
    )
    await sessions.endSession(account.number)
    assert.equal(await sessions.findSession(added.session.number), undefined)
    assert.deepEqual(await from(account.number), { kind: 'account-session-ended' })
  })

  test('a session for an unknown user is not stored', async (t) => {
    const { sessions } = await open(t)
    const session = await newSession(sessions, { userId: userId('nobody') })
    assert.deepEqual(await sessions.addSession(session, null, 9), { kind: 'user-unknown' })
    assert.equal(await sessions.findSession(session.number), undefined)
  })

  test('a session is not stored if the password has changed since it was verified', async (t) => {
    const { sessions, users } = await open(t)
    const session = await newSession(sessions)
    await users.putUser(ada, { name: 'Ada', passwordHash: 'new' }, 1_000)
    assert.deepEqual(await sessions.addSession(session, 'ada-password', 9), { kind: 'password-changed' })
    assert.equal(await sessions.findSession(session.number), undefined)
    assert.equal((await sessions.addSession(session, null, 9)).kind, 'added')
  })

  test('expired rows, such as sessions, are deleted oldest first, up to the requested number', async (t) => {
    const { sessions, pruneExpired } = await open(t)
    const stored: number[] = []
    for (const expiresAtMs of [5_000, 3_000, 4_000, 5_001]) {
      const session = await newSession(sessions, { expiresAtMs })
      await sessions.addSession(session, null, 9)
      stored.push(session.number)
    }
    assert.equal(await pruneExpired('sessions', 5_000, 2), 2)
    const left = async () => (await Promise.all(stored.map((number) => sessions.findSession(number)))).map(Boolean)
    assert.deepEqual(await left(), [true, false, false, true])
    assert.equal(await pruneExpired('sessions', 5_000, 2), 1)
    assert.deepEqual(await left(), [false, false, false, true])
    assert.equal(await pruneExpired('sessions', 5_000, 2), 0)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StatusChange } from '../../src/domain/bots/status/incidents.ts'
import { type LastNotified, statusMailRound } from '../../src/domain/bots/status-mail/status-mail-round.ts'

const minute = 60_000
const hour = 60 * minute
const nowMs = 100 * hour

const change = (state: StatusChange['state'], minutesAgo: number) => ({ state, atMs: nowMs - minutesAgo * minute })
const notified = (state: LastNotified['state'], ...minutesAgo: number[]): LastNotified => ({
  state,
  atMs: minutesAgo.map((minutes) => nowMs - minutes * minute),
})
const round = (of: LastNotified, ...changes: StatusChange[]) => statusMailRound(of, changes, nowMs)

describe('our choice: which changes subscribers to a bot’s status are notified of', () => {
  test('an outage, with its beginning', () => {
    assert.deepEqual(round(notified('online'), change('offline', 2)), {
      kind: 'notify',
      notified: { state: 'offline', atMs: [nowMs] },
      detail: { beganAtMs: nowMs - 2 * minute, atMs: nowMs - 2 * minute, pausedUntilMs: null },
    })
  })

  test('the recovery, with the beginning of the outage', () => {
    assert.deepEqual(round(notified('offline', 50), change('offline', 51), change('online', 2)), {
      kind: 'notify',
      notified: { state: 'online', atMs: [nowMs - 50 * minute, nowMs] },
      detail: { beganAtMs: nowMs - 51 * minute, atMs: nowMs - 2 * minute, pausedUntilMs: null },
    })
  })

  test('nothing about an outage that has ended before mail went out', () => {
    assert.deepEqual(round(notified('online'), change('offline', 2), change('online', 1)), { kind: 'nothing' })
    assert.deepEqual(round(notified('offline', 9), change('offline', 9), change('online', 5), change('offline', 1)), {
      kind: 'nothing',
    })
    assert.deepEqual(round(notified('online')), { kind: 'nothing' })
    assert.deepEqual(round(notified('offline'), change('online', 1)), { kind: 'nothing' })
  })

  test('nothing while hosting is off; the recovery once the bot is online again', () => {
    const off = [change('offline', 9), change('hosting-off', 5)]
    assert.deepEqual(round(notified('offline', 8), ...off), { kind: 'nothing' })
    const back = round(notified('offline', 8), ...off, change('online', 1))
    assert.equal(back.kind === 'notify' && back.detail.beganAtMs, nowMs - 9 * minute)
  })

  test('at most six an hour; the sixth email says so, and a state that differs after the hour is mailed then', () => {
    const sixth = round(notified('online', 70, 50, 40, 30, 20, 10), change('offline', 1))
    assert.deepEqual(sixth.kind === 'notify' && [sixth.notified.atMs.length, sixth.detail.pausedUntilMs], [
      6,
      nowMs + 10 * minute,
    ])
    const full = notified('online', 59, 50, 40, 30, 20, 10)
    assert.deepEqual(round(full, change('offline', 1)), { kind: 'later', dueAtMs: nowMs + minute })
    assert.deepEqual(round(full, change('offline', 2), change('online', 1)), { kind: 'nothing' })
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as limits from '../../src/domain/limits/limits.ts'
import { afterFailure } from '../../src/domain/webhooks/retry.ts'

const young = { acceptedAtMs: 0, failedAtMs: 1_000 }

describe('After a failed attempt', () => {
  test('jitter only lengthens a retry’s delay, by less than a fifth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0, max: 0.999_999, noNaN: true }),
        (attempt, chance) => {
          const next = afterFailure({ ...young, attempt }, chance)
          const wait = limits.retryWaitsMs[attempt - 1] ?? 0
          const waited = next.kind === 'retry' ? next.dueAtMs - young.failedAtMs : -1
          return waited >= wait && waited < wait * 1.2
        },
      ),
    )
  })

  test('a retry delay set by the runtime is used without jitter, and the attempt counts', () => {
    assert.deepEqual(afterFailure({ ...young, attempt: 1, retryMs: 0 }, 0.9), { kind: 'retry', dueAtMs: 1_000 })
    assert.deepEqual(afterFailure({ ...young, attempt: 6, retryMs: 0 }, 0), { kind: 'dead', because: 'attempts-spent' })
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { DedupeSetting } from '../../src/domain/bots/flows/dedupe-setting.ts'
import type { FlowId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { previewBody } from '../../src/domain/webhooks/body-preview.ts'
import { dedupeMark } from '../../src/domain/webhooks/dedupe-mark.ts'
import { afterFailure } from '../../src/domain/webhooks/retry.ts'
import { idOf, numberAfter, numberOf } from '../../src/storage/queue/stored-events.ts'

test('our choice: a body is previewed as text if it is printable UTF-8, and in hexadecimal otherwise', () => {
  const rows: [Uint8Array, 'text' | 'hex', string][] = [
    [Buffer.from('{"a":\t1}\r\n'), 'text', '{"a":\t1}\r\n'],
    [Buffer.from('häß 🙂'), 'text', 'häß 🙂'],
    [Buffer.alloc(0), 'text', ''],
    [Uint8Array.of(0, 255, 16), 'hex', '00 ff 10'],
    [Buffer.from('a\u0000b'), 'hex', '61 00 62'],
    [Buffer.from('\u001b[2J'), 'hex', '1b 5b 32 4a'],
    [Uint8Array.of(0xc3), 'hex', 'c3'],
  ]
  for (const [body, form, shown] of rows) {
    assert.deepEqual(previewBody(body, 100), { form, shown, cut: false })
  }
})

test('our choice: a long body is truncated; text is never cut in the middle of a character', () => {
  const body = Buffer.from('ä'.repeat(10))
  assert.deepEqual(previewBody(body, 5), { form: 'text', shown: 'ää', cut: true })
  assert.deepEqual(previewBody(new Uint8Array(9), 2), { form: 'hex', shown: '00 00', cut: true })
})

const flow = { flowId: 'orders' as FlowId, eventsBefore: 0 }

function markBy(setting: DedupeSetting, body: string | Uint8Array, headers: Record<string, string | string[]> = {}) {
  const mark = dedupeMark(flow, setting, { headers, body: Buffer.from(body) }, 1_000)
  return mark && Buffer.from(mark.digest).toString('hex')
}
const byPointer = (pointer: string, body: string | Uint8Array) => markBy({ pointer, windowSeconds: 60 }, body)
const byHeader = (value: string) => markBy({ header: 'X-Id', windowSeconds: 60 }, '', { 'x-id': value })

describe('Dedupe marks', () => {
  test('a dedupe mark expires after its window and depends on the flow, whether it was created again, header name and value', () => {
    const setting = { header: 'X-Id', windowSeconds: 60 }
    const request = { headers: { 'x-id': 'a', 'x-other': 'a' }, body: Buffer.from('') }
    const mark = dedupeMark(flow, setting, request, 1_000)
    assert.equal(mark?.untilMs, 61_000)
    assert.equal(mark?.digest.length, 32)
    const others = [
      dedupeMark({ ...flow, flowId: 'other' as FlowId }, setting, request, 1_000),
      dedupeMark({ ...flow, eventsBefore: 1 }, setting, request, 1_000),
      dedupeMark(flow, { ...setting, header: 'X-Other' }, request, 1_000),
      dedupeMark(flow, setting, { ...request, headers: { 'x-id': 'b' } }, 1_000),
    ]
    for (const other of others) assert.notDeepEqual(other?.digest, mark?.digest)
    assert.deepEqual(dedupeMark(flow, { ...setting, header: 'x-id' }, request, 9)?.digest, mark?.digest)
  })

  test('a webhook without a dedupe value has no dedupe mark', () => {
    assert.equal(byHeader(''), undefined)
    assert.equal(markBy({ header: 'X-Id', windowSeconds: 60 }, ''), undefined)
    assert.equal(markBy({ header: 'constructor', windowSeconds: 60 }, ''), undefined)
    for (const body of ['', 'no JSON', '{"id":"a"', Uint8Array.of(0x7b, 0xff, 0x7d)]) {
      assert.equal(byPointer('/id', body), undefined)
    }
  })
})

const young = { acceptedAtMs: 0, failedAtMs: 1_000 }

describe('After a failed attempt', () => {
  test('jitter only lengthens a retry’s delay, by less than a fifth', () => {
    const chances = fc.double({ min: 0, max: 0.999_999, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), chances, (attempt, chance) => {
        const next = afterFailure({ ...young, attempt }, chance)
        const wait = limits.retryWaitsMs[attempt - 1] ?? 0
        const waited = next.kind === 'retry' ? next.dueAtMs - young.failedAtMs : -1
        return waited >= wait && waited < wait * 1.2
      }),
    )
  })

  test('a retry delay set by the runtime is used without jitter, and the attempt counts', () => {
    assert.deepEqual(afterFailure({ ...young, attempt: 1, retryMs: 0 }, 0.9), { kind: 'retry', dueAtMs: 1_000 })
    assert.deepEqual(afterFailure({ ...young, attempt: 6, retryMs: 0 }, 0), { kind: 'dead', because: 'attempts-spent' })
  })
})

test('event numbers increase whatever the clock does, and IDs are parsed back to their numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 })), (times) => {
      let last = 0
      for (const nowMs of times) {
        const number = numberAfter(last, nowMs)
        assert.ok(number > last && Number.isSafeInteger(number))
        assert.equal(numberOf(idOf(number)), number)
        last = number
      }
    }),
  )
  for (const text of ['', 'ev', 'ev-1', 'EV1', 'ev01', 'ev1.0', `ev${'z'.repeat(12)}`])
    assert.equal(numberOf(text), undefined)
})

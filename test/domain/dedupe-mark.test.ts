import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DedupeSetting } from '../../src/domain/bots/flows/dedupe-setting.ts'
import type { FlowId } from '../../src/domain/ids.ts'
import { dedupeMark } from '../../src/domain/webhooks/dedupe-mark.ts'

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

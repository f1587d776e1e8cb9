import assert from 'node:assert/strict'
import { test } from 'node:test'
import { previewBody } from '../../src/domain/webhooks/body-preview.ts'

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
    assert.deepEqual(previewBody(body, 100), { form, shown, bytes: body.length, cut: false })
  }
})

test('our choice: a long body is truncated; text is never cut in the middle of a character', () => {
  const body = Buffer.from('ä'.repeat(10))
  assert.deepEqual(previewBody(body, 5), { form: 'text', shown: 'ää', bytes: 20, cut: true })
  assert.deepEqual(previewBody(new Uint8Array(9), 2), { form: 'hex', shown: '00 00', bytes: 9, cut: true })
})

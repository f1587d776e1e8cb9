import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFrame } from '../../src/surfaces/runtime-link/frames.ts'

/** Every kind of frame that a runtime can send, with all texts and lists filled in. */
const frames = [
  { type: 'ready', instance: 'one', agent: 'test/1', credit: 16, bots: ['lantern'], working: ['1.1'] },
  { type: 'ack', deliveries: ['1.1'] },
  { type: 'nack', delivery: '1.1', error: 'no such channel', retryMs: 1_000 },
  {
    type: 'heartbeat',
    bots: [{ botId: 'lantern', ready: true, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 }],
    working: ['1.1'],
  },
  { type: 'credit', n: 1 },
  { type: 'log', entries: [{ botId: 'lantern', level: 'info', message: 'lit', at: '2026-01-05T12:00:00.000Z' }] },
  { type: 'bye' },
]

/** Maximum length of free text. Longer text is truncated rather than rejected, because a rejection ends the session. */
const cutTo = 4_096

test('our choice: each text and list in a runtime’s frames has a limit', () => {
  for (const frame of frames) {
    assert.equal(readFrame(JSON.stringify(frame), false).kind, 'frame', frame.type)
    for (const [place, longer] of madeLonger(frame)) {
      const said = `${frame.type}${place}`
      const reading = readFrame(JSON.stringify(longer), false)
      if (reading.kind !== 'frame') assert.equal(reading.kind, 'malformed', said)
      else
        assert.ok(JSON.stringify(reading.frame).length <= cutTo + JSON.stringify(frame).length, `${said} has no bound`)
    }
  }
})

/** Yields copies of the frame. In each, one text or list is far longer than allowed. The `type` never changes. */
function* madeLonger(value: unknown, place = ''): Generator<readonly [place: string, longer: unknown]> {
  if (typeof value === 'string') yield [place, 'x'.repeat(1_000_000)]
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) yield [`${place} (list)`, Array.from({ length: 30_000 }, () => value[0])]
  for (const [name, inside] of Object.entries(value)) {
    if (name === 'type') continue
    for (const [inner, longer] of madeLonger(inside, `${place}/${name}`)) {
      yield [inner, Array.isArray(value) ? [longer] : { ...value, [name]: longer }]
    }
  }
}

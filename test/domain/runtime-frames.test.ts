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

/** Maximum length of texts and lists. The others have a maximum too, which other programs don't rely on. */
const longest: Record<string, number> = {
  'ready/instance': 128,
  'ready/agent': 128,
  'ready/bots': 10_000,
  'ready/bots/0': 64,
  'ready/working': 10_000,
  'ack/deliveries': 10_000,
  'nack/delivery': 128,
  'heartbeat/bots': 20_000,
  'heartbeat/working': 10_000,
  'log/entries': 1_000,
}

/** Maximum length of free text. Longer text is truncated rather than rejected, because a rejection ends the session. */
const cutTo = 4_096

test('our choice: each text and list in a runtime’s frames has a limit', () => {
  for (const frame of frames) {
    assert.equal(readFrame(JSON.stringify(frame), false).kind, 'frame', frame.type)
    for (const [place, inside, changed] of placesIn(frame)) {
      const ofLength = (length: number) =>
        readFrame(JSON.stringify(changed(inside === '' ? 'x'.repeat(length) : Array(length).fill(inside))), false)
      const most = longest[place]
      if (most !== undefined) assert.equal(ofLength(most).kind, 'frame', place)
      const reading = ofLength((most ?? 999_999) + 1)
      if (reading.kind !== 'frame') assert.equal(reading.kind, 'malformed', place)
      else assert.ok(JSON.stringify(reading.frame).length <= cutTo + JSON.stringify(frame).length, place)
    }
  }
})

test('control characters and unpaired surrogates anywhere in a runtime’s frame are a protocol error', () => {
  for (const frame of frames) {
    for (const [place, inside, changed] of placesIn(frame)) {
      for (const text of inside === '' ? ['a\u0000b', 'a\u001bb', 'a\u007fb', 'a\u0085b', 'a\ud800b'] : []) {
        const said = `${JSON.stringify(text)} in ${place}`
        assert.equal(readFrame(JSON.stringify(changed(text)), false).kind, 'malformed', said)
      }
    }
  }
})

test('a frame whose members are missing or have another type or value than they must is malformed', () => {
  const ready = { type: 'ready', instance: 'i', agent: 'a', credit: 1 }
  const report = { botId: 'b', ready: true }
  const entry = { botId: 'b', level: 'info', message: 'm', at: '2026-01-05T12:00:00Z' }
  for (const frame of [
    { type: 7 },
    { ...ready, instance: undefined },
    { ...ready, instance: '' },
    { ...ready, agent: '' },
    { ...ready, credit: -1 },
    { type: 'ack' },
    { type: 'nack', delivery: 'd', retryMs: 'soon' },
    { type: 'heartbeat', bots: [{ ...report, presence: 'gone' }], working: [] },
    { type: 'credit', n: 1.5 },
    { type: 'log', entries: [{ ...entry, level: 'loud' }] },
  ]) {
    const reading = readFrame(JSON.stringify(frame), false)
    assert.ok(reading.kind === 'malformed' && reading.message.length > 10, JSON.stringify(frame))
  }
})

type Place = readonly [place: string, inside: unknown, changed: (to: unknown) => unknown]

/**
 * Yields the texts and lists of a frame: where each is, the first item of a list (or an empty text), and a function that
 * returns a copy of the frame with something else in this place. The `type` is none of them.
 */
function* placesIn(value: unknown, place = '', copy: Place[2] = (to) => to): Generator<Place> {
  if (typeof value === 'string') yield [place, '', copy]
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) yield [place, value[0], copy]
  const within = place === '' ? (value as { type: string }).type : place
  for (const [name, inside] of Object.entries(value)) {
    if (name === 'type') continue
    const replaced: Place[2] = (to) => copy(Array.isArray(value) ? [to] : { ...value, [name]: to })
    yield* placesIn(inside, `${within}/${name}`, replaced)
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ClientCase } from '../client-case.ts'
import { heartbeatMs } from '../fake-service.ts'
import { fail } from '../wait-for.ts'

const frameMaxBytes = 2 * 1_048_576

const base64 = (body: string | Uint8Array) => Buffer.from(body).toString('base64')

const notJson: readonly (readonly [what: string, body: string | Uint8Array])[] = [
  ['an empty body', ''],
  ['a byte order mark alone', '\uFEFF'],
  ['a second byte order mark', '\uFEFF\uFEFF{}'],
  ['a byte order mark at the end', '{}\uFEFF'],
  ['a form', 'a=1&b=2'],
  ['NaN', '{"a":NaN}'],
  ['Infinity', '[Infinity,-Infinity]'],
  ['a trailing comma', '[1,]'],
  ['a second value', '{}{}'],
  ['a no-break space', '\u00A0{}'],
  ['a tab in a string', '"\t"'],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ['UTF-16 with a byte order mark', Buffer.from('\uFEFF{"a":1}', 'utf16le')],
  ['UTF-16, big-endian', Buffer.from('\uFEFF{"a":1}', 'utf16le').swap16()],
  ['UTF-32', Uint8Array.of(0xff, 0xfe, 0, 0, 0x37, 0, 0, 0)],
  ['Latin-1', Buffer.from('"Grüße"', 'latin1')],
  ['a surrogate in UTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
  ['brackets nested too deeply and never closed', '['.repeat(100_000)],
]

export const deliveringCases: ClientCase[] = [
  {
    title: 'a finished webhook is acknowledged once',
    async run({ service }) {
      const session = await service.welcomed()
      const event = session.dispatch('ok')
      await session.acked(event)
      await session.acked(session.dispatch('ok'))
      const acks = session.received.filter(({ type }) => type === 'ack').flatMap(({ deliveries }) => deliveries)
      const times = acks.filter((delivery) => delivery === event.delivery).length
      if (times !== 1) fail(`the delivery was acknowledged ${times} times`)
    },
  },
  {
    title: 'a failed webhook is nacked with the error message',
    async run({ service }) {
      const session = await service.welcomed()
      const { error, dead } = await session.nacked(session.dispatch('fail'))
      if (!String(error).includes('failed as asked')) fail(`"error" is ${JSON.stringify(error)}`)
      if (dead === true) fail('the nack asks for a dead letter')
    },
  },
  {
    title: 'a handler can choose when the webhook is retried',
    async run({ service }) {
      const session = await service.welcomed()
      const { retryMs } = await session.nacked(session.dispatch('retry'))
      if (retryMs !== 1_234) fail(`"retryMs" is ${JSON.stringify(retryMs)}, expected 1234`)
    },
  },
  {
    title: 'a handler can make a webhook a dead letter',
    async run({ service }) {
      const session = await service.welcomed()
      const { dead, error } = await session.nacked(session.dispatch('dead'))
      if (dead !== true) fail(`"dead" is ${JSON.stringify(dead)}`)
      if (!String(error).includes('not wanted')) fail(`"error" is ${JSON.stringify(error)}`)
    },
  },
  {
    title: 'the handler receives the body unchanged, and its log entry is sent',
    async run({ service }) {
      const session = await service.welcomed()
      const text = 'Grüße: “two”\r\n\t𝄞'
      const event = session.dispatch('echo', { body: Buffer.from(text).toString('base64') })
      const { entries } = await session.next('log')
      const [entry] = entries
      if (entry.message !== text)
        fail(`the log message is ${JSON.stringify(entry.message)}, expected ${JSON.stringify(text)}`)
      if (entry.level !== 'info' || entry.botId !== 'lantern') fail(`the log entry is ${JSON.stringify(entry)}`)
      if (Number.isNaN(Date.parse(entry.at))) fail(`"at" is not a time: ${entry.at}`)
      await session.acked(event)
    },
  },
  {
    title: 'a body of JSON in UTF-8 is parsed, with or without a byte order mark',
    async run({ service }) {
      const session = await service.welcomed()
      const value = { text: 'Grüße: “two” 𝄞', numbers: [0, -1.5, 1e21], nested: { none: null, yes: true } }
      for (const mark of ['', '\uFEFF']) {
        const event = session.dispatch('json', { body: base64(`${mark}${JSON.stringify(value)}`) })
        await session.acked(event)
        const { entries } = await session.next('log')
        const parsed: unknown = JSON.parse(entries[0].message)
        if (!isDeepStrictEqual(parsed, value)) fail(`the value is ${JSON.stringify(parsed)}`)
      }
    },
  },
  {
    title: 'a body that is not JSON in UTF-8 fails the webhook with an error that says so',
    async run({ service }) {
      const session = await service.welcomed()
      for (const [what, body] of notJson) {
        session.dispatch('json', { body: base64(body) })
        const outcome = await session.find(`no "nack" for ${what}`, ({ type }) => type === 'nack' || type === 'log')
        if (outcome.type === 'log') fail(`${what} was parsed as ${outcome.entries[0].message}`)
        if (!/json/i.test(String(outcome.error))) fail(`${what}: "error" is ${JSON.stringify(outcome.error)}`)
      }
    },
  },
  {
    title: 'the handler receives the trace context of the attempt, or none',
    async run({ service }) {
      const session = await service.welcomed()
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      for (const [members, wanted] of [
        [{ traceparent }, traceparent],
        [{}, 'none'],
      ] as const) {
        const event = session.dispatch('trace', members)
        const { entries } = await session.next('log')
        if (entries[0].message !== wanted)
          fail(`the log message is ${JSON.stringify(entries[0].message)}, expected "${wanted}"`)
        await session.acked(event)
      }
    },
  },
  {
    title: 'webhooks are handled concurrently',
    async run({ service }) {
      const session = await service.welcomed()
      const slow = Array.from({ length: 3 }, () => session.dispatch('slow'))
      for (const event of slow) await session.started(event)
      const quick = session.dispatch('ok')
      await session.acked(quick)
      for (const event of slow) {
        const done = session.received.some(
          ({ type, deliveries }) => type === 'ack' && deliveries.includes(event.delivery),
        )
        if (done) fail('a fast webhook waited for a slow one')
      }
      for (const event of slow) await session.acked(event)
    },
  },
  {
    title: 'heartbeats list a delivery as working until it is acknowledged',
    async run({ service }) {
      const session = await service.beating()
      const event = session.dispatch('slow')
      await session.find(
        'no heartbeat lists the delivery in "working"',
        (frame) => frame.type === 'heartbeat' && frame.working.includes(event.delivery),
      )
      await session.acked(event)
      const { length } = session.received
      await session.next('heartbeat')
      await wait(2 * heartbeatMs)
      const later = session.received.slice(length).filter(({ type }) => type === 'heartbeat')
      if (later.some(({ working }) => working.includes(event.delivery)))
        fail('the delivery is still listed in "working" after its ack')
    },
  },
  {
    title: 'a frame of 2 MiB is accepted',
    async run({ service }) {
      const session = await service.welcomed()
      const body = Buffer.alloc(1_048_576, 0xff).toString('base64')
      const padding = 'x'.repeat(frameMaxBytes - body.length - 1_000)
      await session.acked(session.dispatch('ok', { body, padding }))
    },
  },
  {
    title: 'a long error is truncated to fit into a frame',
    async run({ service }) {
      const session = await service.welcomed()
      const { error } = await session.nacked(session.dispatch('fail-at-length'))
      if (typeof error !== 'string' || error.length === 0) fail('the error is missing')
    },
  },
  {
    title: 'after a frame over 2 MiB the client continues or reconnects',
    async run({ service }) {
      const session = await service.welcomed()
      session.send({ type: 'weather', padding: 'x'.repeat(frameMaxBytes) })
      const event = session.dispatch('ok')
      const acked = await session.acked(event).then(
        () => true,
        () => false,
      )
      if (acked) return
      if (session.open) fail('the client keeps the connection but handles nothing on it')
      await service.workingSession()
    },
  },
]

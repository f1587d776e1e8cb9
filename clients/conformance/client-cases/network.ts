import { randomUUID } from 'node:crypto'
import type { ClientCase } from '../client-case.ts'
import { botId, FakeService, respondWith } from '../fake-service.ts'
import { fail } from '../wait-for.ts'

const tornFrames = {
  'reserved bits': [0xf1, 0x00],
  'an unknown opcode': [0x83, 0x00],
  'a masked frame': [0x81, 0x80, 0, 0, 0, 0],
  'a fragmented ping': [0x09, 0x00],
  'a continuation of nothing': [0x80, 0x00],
  'text that is not UTF-8': [0x81, 0x02, 0xc3, 0x28],
}

/** Failed connection attempts, and what goes wrong below the level of frames. */
export const networkCases: ClientCase[] = [
  ...[401, 404, 429, 502].map((status): ClientCase => refusedCase(`answered with ${status}`, respondWith(status))),
  refusedCase('answered with 200', respondWith(200)),
  refusedCase('reset', (socket) => socket.resetAndDestroy()),
  refusedCase('closed without an answer', (socket) => socket.end()),
  refusedCase('answered with something else than HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')),
  refusedCase('accepted with a wrong Sec-WebSocket-Accept', (socket) =>
    socket.end(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Protocol: gatehouse.runtime.v1\r\nSec-WebSocket-Accept: AAAA\r\n\r\n',
    ),
  ),
  ...['http:', 'ws:'].map(
    (protocol): ClientCase => ({
      title: `a client that is redirected to ${protocol}// does not send its key there`,
      async run({ service }) {
        const other = await FakeService.open()
        try {
          const session = await service.welcomed()
          service.onConnect = respondWith(307, `Location: ${other.url.replace('ws:', protocol)}\r\n`)
          const before = service.triedAtMs.length
          session.reset()
          await service.tries(before + 2)
          if (other.triedAtMs.length > 0) fail('the client connected to the other service')
        } finally {
          await other.stop()
        }
      },
    }),
  ),
  ...Object.entries(tornFrames).map(
    ([what, bytes]): ClientCase => ({
      title: `a client that receives ${what} reconnects`,
      async run({ service }) {
        const session = await service.workingSession()
        session.sendBytes(Buffer.from(bytes))
        await service.workingSession()
      },
    }),
  ),
  {
    title: 'a connection that ends within a frame is replaced',
    async run({ service }) {
      const session = await service.workingSession()
      session.sendBytes(Buffer.from([0x81, 0x7e, 0x10]))
      session.reset()
      await service.workingSession()
    },
  },
  {
    title: 'a message in fragments is read as one, and a ping between them is answered',
    async run({ service }) {
      const session = await service.welcomed()
      const [delivery, id] = [`d-${randomUUID()}`, `e-${randomUUID()}`]
      const body = Buffer.from('Grüße').toString('base64')
      const frame = Buffer.from(
        JSON.stringify({ type: 'dispatch', delivery, id, attempt: 1, botId, flowId: 'ä', path: 'ok', ...rest, body }),
      )
      const cut = frame.indexOf(0xc3) + 1
      // An answer to a heartbeat would land between the fragments.
      session.answering = false
      session.sendFragment(frame.subarray(0, cut), false)
      await session.ping('between')
      session.sendFragment(frame.subarray(cut), true)
      session.answering = true
      await session.acked({ delivery, id, botId })
    },
  },
  {
    title: 'binary messages and text that is no object with a type are ignored',
    async run({ service }) {
      const session = await service.beating()
      session.sendBinary(Buffer.from([0, 1, 2]))
      session.sendBinary(Buffer.from(JSON.stringify({ type: 'bots', add: [], remove: [botId] })))
      for (const text of ['', '{', 'null', '7', '[]', '"hello"', '{"type":7}', '{"type":"__proto__"}']) {
        session.sendText(text)
      }
      await session.acked(session.dispatch('ok'))
      const { bots } = await session.next('heartbeat')
      if (bots.length !== 1) fail('the binary message was read as a frame')
    },
  },
  {
    title: 'frames that lack members are ignored',
    async run({ service }) {
      const session = await service.beating()
      for (const type of ['hello', 'welcome', 'bots', 'dispatch', 'heartbeat', 'drain', 'error']) session.send({ type })
      session.send({ type: 'dispatch', id: 'event', botId: 'greeter', body: '' })
      session.send({ type: 'bots', add: 7, remove: null })
      session.send({ type: 'heartbeat', now: 1, lost: null })
      await session.acked(session.dispatch('ok'))
      const { working } = await session.nextNew('heartbeat')
      if (working.length > 0) fail(`"working" lists ${JSON.stringify(working)}`)
    },
  },
]

const rest = { acceptedAt: 1, clientIp: '192.0.2.7', headers: {} }

/** The client is disconnected, its next attempts fail in this way, and it connects as soon as they don't any more. */
function refusedCase(how: string, onConnect: Exclude<FakeService['onConnect'], 'accept'>): ClientCase {
  return {
    title: `a client whose connection attempt is ${how} tries again`,
    async run({ service }) {
      const session = await service.welcomed()
      service.onConnect = onConnect
      const before = service.triedAtMs.length
      session.reset()
      await service.tries(before + 2)
      service.onConnect = 'accept'
      await service.workingSession()
    },
  }
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { type WebSocket, WebSocketServer } from 'ws'
import { ClientWebSocket, type WebSocketEnd } from '../../clients/typescript/src/web-socket.ts'
import { anyCharacter } from '../support/any-character.ts'
import { budget } from '../support/budget.ts'

const seed = 20_261_126
const maxBytes = 2 * 1_048_576

/** A server that sends each message back, and a client. */
async function openPair(t: TestContext) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: maxBytes })
  t.after(() => server.close())
  await once(server, 'listening')
  const ended = Promise.withResolvers<WebSocketEnd>()
  const texts: string[] = []
  let heard = () => {}
  const client = new ClientWebSocket({
    address: new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`),
    headers: {},
    subprotocol: 'echo',
    messageMaxBytes: maxBytes,
    onText(text) {
      texts.push(text)
      heard()
    },
    onEnd: ended.resolve,
  })
  t.after(() => client.destroy())
  const [peer] = (await once(server, 'connection')) as [WebSocket]
  // The answer shows that the client has opened its side.
  peer.ping()
  await once(peer, 'pong')
  const next = async () => {
    while (texts.length === 0) {
      await new Promise<void>((resolve) => {
        heard = resolve
      })
    }
    return texts.shift()
  }
  return { client, peer, next, ended: ended.promise }
}

test('messages of each length encoding reach the peer and come back unchanged', async (t) => {
  const { client, peer, next } = await openPair(t)
  peer.on('message', (data) => peer.send(String(data)))
  for (const length of [0, 1, 125, 126, 65_535, 65_536, maxBytes]) {
    const text = 'x'.repeat(length)
    client.send(text)
    assert.ok((await next()) === text, `a message of ${length} bytes`)
  }
})

test('a message arrives unchanged however it is cut into frames, and the frames into packets', async (t) => {
  const { peer, next, ended } = await openPair(t)
  const raw = (peer as unknown as { _socket: Socket })._socket
  const write = raw.write.bind(raw)
  let packetBytes = 1
  raw.write = ((chunk: string, ...rest: []) => {
    const bytes = Buffer.from(chunk)
    for (let at = 0; at < bytes.length; at += packetBytes) write(bytes.subarray(at, at + packetBytes))
    return write(Buffer.alloc(0), ...rest)
  }) as typeof raw.write
  const parts = fc.array(fc.string({ unit: anyCharacter, maxLength: 300 }), { minLength: 1, maxLength: 4 })
  const texts = fc.array(parts, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(1, 2, 3, 7, 126, 10_000), async (messages, bytes) => {
      packetBytes = bytes
      for (const parts of messages) {
        parts.forEach((part, at) => {
          peer.send(part.toWellFormed(), { fin: at === parts.length - 1 })
          peer.ping()
        })
      }
      for (const parts of messages) assert.equal(await next(), parts.map((part) => part.toWellFormed()).join(''))
    }),
    { seed, numRuns: 60 * budget, endOnFailure: true },
  )
  peer.close(4_321, 'Grüße')
  assert.deepEqual(await ended, { code: 4_321, reason: 'Grüße' })
})

test('a message longer than the maximum, in one frame or many, ends the connection with 1009', async (t) => {
  for (const fragments of [1, 3]) {
    const { peer, ended } = await openPair(t)
    const closed = once(peer, 'close')
    for (let at = 1; at <= fragments; at += 1)
      peer.send('x'.repeat(maxBytes / fragments + 1), { fin: at === fragments }, () => {})
    assert.equal((await ended).reason, 'the service sent a message of more than 2 MiB')
    assert.equal((await closed)[0], 1009)
  }
})

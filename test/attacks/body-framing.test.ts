import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import * as limits from '../../src/domain/limits/limits.ts'
import { BotRuntime, makeRuntime, provisionListeningBot } from '../support/bot-runtime.ts'
import { budget } from '../support/budget.ts'
import { RawConnection } from '../support/raw-http.ts'
import { seeded } from '../support/seeded.ts'
import { openWorld, type World } from '../support/world.ts'

const seed = 20_260_728
const path = 'hooks/orders'
const maxBytes = limits.webhookBodyMaxBytes

/** Mostly small lengths, and some around the sizes at which body handling changes. */
const around = (at: number) => fc.integer({ min: at - 2, max: at + 2 })
const lengths = fc.oneof(
  { weight: 6, arbitrary: fc.nat(64) },
  { weight: 2, arbitrary: around(4_096) },
  { weight: 2, arbitrary: around(65_536) },
  { weight: 1, arbitrary: around(maxBytes) },
  { weight: 1, arbitrary: fc.nat(maxBytes) },
)

/** Sizes of chunks, which repeat, and what each chunk and the last one have in addition. */
interface Chunks {
  sizes: readonly number[]
  extension: string
  trailers: readonly string[]
}

/** `undefined` stands for a Content-Length. */
const framings: fc.Arbitrary<Chunks | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({
    sizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1_000, max: 100_000 })), {
      minLength: 1,
      maxLength: 5,
    }),
    extension: fc.constantFrom('', ';a', ';name=value', ';quoted="a;b"'),
    trailers: fc.constantFrom<readonly string[]>([], ['X-Checksum: 1'], ['A: b', 'C: d']),
  }),
)

/** Where the sender splits the request into writes, and whether it waits between them. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })
const writings = fc.record({ cuts, waits: fc.boolean() })

// The OAuth endpoints read bodies with the same code (`http/raw-routes.ts`).
describe('A body arrives unchanged, whatever its framing and however it is split into writes', () => {
  for (const { name, surround, runs } of [
    { name: 'alone', surround: async () => async () => {}, runs: 15 },
    { name: 'while 300 connections flood the gateway', surround: flood, runs: budget > 1 ? 4 : 2 },
  ]) {
    test(`a webhook is dispatched byte for byte, ${name}`, async (t) => {
      const { world, sendAll } = await openGateway(t)
      const stopFlood = await surround(t, world)
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(lengths, framings, writings), { maxLength: 8 }), (bodies) =>
          sendAll(
            bodies.map(([length, chunks, { cuts, waits }], at) => ({
              body: bytesOf(length, at),
              ...{ chunks, waits, cutsOf: (bytes) => cuts.map((cut) => Math.round(cut * bytes)) },
            })),
          ),
        ),
        { seed, numRuns: runs * budget, endOnFailure: true },
      )
      await stopFlood()
    })
  }

  test('a webhook is dispatched byte for byte, however a small request is split into writes', async (t) => {
    const { sendAll } = await openGateway(t)
    const body = Buffer.from('abcde')
    const chunked = { sizes: [3, 2], extension: '', trailers: [] }
    const adorned = { sizes: [1], extension: ';a=b', trailers: ['X-Sum: 1'] }
    const chunkedBytes = framed([], body, chunked).length - framed([], Buffer.alloc(0), undefined).length
    for (const [chunks, cutsFromEnd] of [
      [undefined, subsets(body.length + 1)],
      [chunked, pairs(chunkedBytes)],
      [adorned, pairs(30)],
      ...(budget > 1 ? [[chunked, subsets(14)] as const] : []),
    ] as const) {
      for (let from = 0; from < cutsFromEnd.length; from += 64) {
        const some = cutsFromEnd.slice(from, from + 64)
        await sendAll(
          some.map((cuts) => ({ body, chunks, waits: true, cutsOf: (bytes) => cuts.map((cut) => bytes - cut) })),
        )
      }
    }
  })
})

interface Sending {
  body: Buffer
  chunks: Chunks | undefined
  waits: boolean
  /** Returns where to split a request with so many bytes. */
  cutsOf: (bytes: number) => readonly number[]
}

/** Opens a gateway with a bot and a runtime that receives the bot's webhooks. */
async function openGateway(t: TestContext) {
  const world = await openWorld(t)
  const { botId } = await provisionListeningBot(world.service, { path })
  const { key } = await makeRuntime(world, [botId])
  const { runtime } = await BotRuntime.ready(t, world, key, { credit: 1_024 })
  let sent = 0

  /** Sends all requests concurrently and checks that the bodies arrive at the runtime unchanged. */
  async function sendAll(sendings: readonly Sending[]): Promise<void> {
    const expected = new Map<string, Buffer>()
    const answers = sendings.map(async ({ body, chunks, waits, cutsOf }) => {
      sent += 1
      const id = String(sent)
      if (body.length <= maxBytes) expected.set(id, body)
      const wire = framed([`POST /${botId}/${path} HTTP/1.1`, 'Host: a', `X-Request-Id: ${id}`], body, chunks)
      const connection = await RawConnection.to(t, world.apiUrl)
      for (const bytes of cutAt(wire, cutsOf(wire.length))) {
        if (!waits) {
          connection.write(bytes)
          continue
        }
        await connection.flushed(bytes)
        // Gives the server a tick to read what has arrived so far.
        await new Promise((resolve) => setImmediate(resolve))
      }
      const { status, body: told } = await connection.answer()
      connection.reset()
      return [status, told]
    })
    const accepted = [202, '{"ok": true}']
    const tooLarge = [413, '{"error": "Payload too large."}']
    const due = sendings.map(({ body }) => (body.length <= maxBytes ? accepted : tooLarge))
    assert.deepEqual(await Promise.all(answers), due)
    while (expected.size > 0) {
      const { delivery, headers, body } = await runtime.next('dispatch')
      runtime.send({ type: 'ack', deliveries: [delivery] })
      const id = headers['x-request-id']
      // Ignores a delivery left over from an earlier sample that failed.
      if (!expected.has(id)) continue
      const sentBody = expected.get(id)?.toString('base64')
      const said = `webhook ${id} was dispatched with ${body?.length} characters of ${sentBody?.length}`
      assert.ok(body === sentBody, said)
      expected.delete(id)
    }
  }
  return { world, sendAll }
}

/**
 * Opens 300 connections that keep sending bursts of webhooks, each as soon as the previous one is answered. Returns a
 * function that stops them.
 */
async function flood(t: TestContext, world: World): Promise<() => Promise<void>> {
  const { botId } = await provisionListeningBot(world.service, { botId: 'flooded', path })
  const burst = `POST /${botId}/${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi`.repeat(4)
  const senders = await Promise.all(Array.from({ length: 300 }, () => RawConnection.to(t, world.apiUrl)))
  let over = false
  const loops = senders.map(async (sender) => {
    while (!over) {
      sender.write(burst)
      for (let answers = 0; answers < 4; answers += 1) await sender.answer()
    }
  })
  return async () => {
    over = true
    await Promise.all(loops)
  }
}

/** Returns the bytes of the request. `head` is the request line and all headers except those that frame the body. */
function framed(head: readonly string[], body: Uint8Array, chunks: Chunks | undefined): Buffer {
  if (chunks === undefined) {
    return Buffer.concat([Buffer.from([...head, `Content-Length: ${body.length}`, '', ''].join('\r\n')), body])
  }
  const { sizes, extension, trailers } = chunks
  const parts = [Buffer.from([...head, 'Transfer-Encoding: chunked', '', ''].join('\r\n'))]
  let at = 0
  for (let chunk = 0; at < body.length; chunk += 1) {
    const bytes = body.subarray(at, at + Math.max(1, sizes[chunk % sizes.length] ?? body.length))
    at += bytes.length
    parts.push(Buffer.from(`${bytes.length.toString(16)}${extension}\r\n`), Buffer.from(bytes), Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from([`0${extension}`, ...trailers, '', ''].join('\r\n'))])
}

function cutAt(wire: Buffer, positions: readonly number[]): Buffer[] {
  const ends = [...new Set(positions.filter((at) => at > 0 && at < wire.length))].sort((one, other) => one - other)
  return [...ends, wire.length].map((end, at) => wire.subarray(ends[at - 1] ?? 0, end))
}

function bytesOf(length: number, seed: number): Buffer {
  const chance = seeded(seed)
  return Buffer.from(Uint8Array.from({ length }, () => chance() * 256))
}

/** Returns all subsets of the first `count` numbers. */
function subsets(count: number): number[][] {
  return Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (_, at) => at).filter((at) => (bits >> at) & 1),
  )
}

/** Returns all ways to choose one or two of the first `count` numbers. */
function pairs(count: number): number[][] {
  return Array.from({ length: count }, (_, one) => Array.from({ length: one + 1 }, (_, other) => [one, other])).flat()
}

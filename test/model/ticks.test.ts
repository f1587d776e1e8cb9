import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { rawResponse } from '../../src/http/raw-exchange.ts'
import { responseBatch, TickQueue } from '../../src/http/raw-routes.ts'
import { anyCharacter } from '../support/any-character.ts'
import { budget } from '../support/budget.ts'
import { RawConnection } from '../support/raw-http.ts'

const seed = 20_260_728
interface Answer {
  status: number
  headers: readonly string[]
  body: string
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

test('items deferred to the end of a tick are each handled once, in order and within the limit per tick', async () => {
  const ticks = fc.array(fc.nat(12), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(ticks, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (arrivals, most, nested) => {
      const handed: number[] = []
      const perTick: number[] = []
      let added = 0
      const queue = new TickQueue<number>(most, (item) => {
        handed.push(item)
        perTick[perTick.length - 1] = (perTick.at(-1) ?? 0) + 1
        // Handling an item may add another, just as a response can lead to a new request.
        if (nested && item % 3 === 0 && added < 200) queue.add(added++)
      })
      for (const count of arrivals) {
        for (let item = 0; item < count; item += 1) queue.add(added++)
        perTick.push(0)
        await tick()
      }
      while (queue.length > 0) {
        perTick.push(0)
        await tick()
      }
      assert.deepEqual(handed, [...Array(added).keys()])
      assert.ok(Math.max(0, ...perTick) <= most, `${perTick} with at most ${most}`)
    }),
    { seed, numRuns: 100 * budget },
  )
})

test('a deferred item that throws does not stop the other items', async (t) => {
  const faults: string[] = []
  const uncaught = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', ({ message }) => faults.push(message))
  t.after(() => {
    process.removeAllListeners('uncaughtException')
    for (const listener of uncaught) process.on('uncaughtException', listener)
  })
  const handed: number[] = []
  const queue = new TickQueue<number>(4, (item) => {
    if (item % 3 === 0) throw new Error(`fault at ${item}`)
    handed.push(item)
  })
  for (let item = 1; item <= 10; item += 1) queue.add(item)
  for (let ticks = 0; ticks < 20; ticks += 1) await tick()
  assert.deepEqual(handed, [1, 2, 4, 5, 7, 8, 10])
  assert.deepEqual(faults, ['fault at 3', 'fault at 6', 'fault at 9'])
})

test('batched responses equal responses written immediately, except for the order and case of headers', async (t) => {
  const batch = responseBatch()
  const keptAlive = { ending: () => false, bodyMaxBytes: 0 }
  const plain = (response: ServerResponse, { status, headers, body }: Answer) => {
    if (status !== 204) response.setHeader('content-length', Buffer.byteLength(body))
    for (let at = 0; at < headers.length; at += 2)
      response.appendHeader(headers[at] as string, headers[at + 1] as string)
    response.statusCode = status
    response.end(body)
  }
  let answers: readonly Answer[] = []
  const server = createServer({ sendDate: false } as object, (request, response) => {
    response.sendDate = false
    const [, way, at] = (request.url ?? '').split('/')
    const answer = answers[Number(at)] as Answer
    if (way === 'plain') plain(response, answer)
    else batch.add({ response, raw: rawResponse(answer.status, answer.headers, answer.body), ...keptAlive })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (way: string, count: number) => {
    const connection = await RawConnection.to(t, url)
    const request = (at: number) =>
      `GET /${way}/${at} HTTP/1.1\r\nHost: a\r\n${at === count - 1 ? 'Connection: close\r\n' : ''}\r\n`
    connection.write(Array.from({ length: count }, (_, at) => request(at)).join(''))
    // Ignores the order and case of headers.
    return (await connection.ended())
      .toLowerCase()
      .split(/(?=http\/1\.1 )/)
      .map((answer) => {
        const [head = '', ...body] = answer.split('\r\n\r\n')
        return [head.split('\r\n').sort(), body]
      })
  }
  const anAnswer = fc.record({
    status: fc.constantFrom(200, 201, 204, 400, 401, 503),
    headers: fc.constantFrom<readonly string[]>(
      [],
      ['retry-after', '1'],
      ['a', 'b', 'a', 'c', 'Cache-Control', 'no-store'],
    ),
    body: fc
      .oneof(fc.constant(''), fc.string({ unit: anyCharacter, maxLength: 40 }))
      .filter((text) => text.isWellFormed()),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(anAnswer, { minLength: 1, maxLength: 12 }), async (made) => {
      answers = made.map((answer) => (answer.status === 204 ? { ...answer, body: '' } : answer))
      assert.deepEqual(await ask('batch', made.length), await ask('plain', made.length))
    }),
    { seed, numRuns: 10 * budget },
  )
})

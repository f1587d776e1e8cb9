import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { fastify } from 'fastify'
import * as limits from '../../src/domain/limits/limits.ts'
import { oneInTurn, Turns } from '../../src/http/turns.ts'
import { budget } from '../support/budget.ts'

const [flooding, other] = ['192.0.2.1', '192.0.2.2'] as const
const addresses = [flooding, other, '192.0.2.3']

/**
 * Takes turns for requests named by their address and number, without a socket, while another address has sent one.
 * `elapsed.ms` is moved by hand.
 */
function openTurns() {
  const elapsed = { ms: 0 }
  const turns = new Turns(
    () => false,
    () => elapsed.ms,
  )
  turns.take(requestOf('198.51.100.1'), () => {})
  const taken: string[] = []
  const started: string[] = []
  const take = (address: string, takesMs = 0, statusCode = 200) => {
    const name = `${address} ${taken.length}`
    taken.push(name)
    const response = Object.assign(new EventEmitter(), { statusCode }) as ServerResponse
    const start = () => {
      started.push(name)
      elapsed.ms += takesMs
      response.emit('close')
    }
    turns.take(requestOf(address), start, response)
  }
  return { turns, elapsed, taken, started, take }
}

function requestOf(remoteAddress: string): IncomingMessage {
  return { headers: {}, socket: { remoteAddress } } as unknown as IncomingMessage
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

test('every request starts once, and those of an address in the order in which they arrived', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const ticks = fc.array(fc.array(fc.constantFrom(...addresses), { maxLength: 40 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(ticks, fc.constantFrom(0, 0.2, 3), fc.nat(3), async (arrivals, takesMs, oftenRefused) => {
      const { taken, started, take } = openTurns()
      const next = () => {
        t.mock.timers.tick(1)
        return tick()
      }
      for (const tickOf of arrivals) {
        for (const [at, address] of tickOf.entries()) take(address, takesMs, at % 4 < oftenRefused ? 404 : 200)
        await next()
      }
      while (started.length < taken.length) await next()
      const by = (address: string) => (name: string) => name.startsWith(address)
      for (const address of addresses) assert.deepEqual(started.filter(by(address)), taken.filter(by(address)))
      assert.equal(started.length, taken.length)
    }),
    { seed: 20_261_127, numRuns: 100 * budget },
  )
})

test('beside a flood from one address, the first request of another starts at once and its others in turn', async () => {
  const { started, take, taken } = openTurns()
  for (let at = 0; at < 10; at += 1) take(flooding, 1)
  for (let at = 0; at < 3; at += 1) take(other)
  assert.deepEqual(started, ['192.0.2.1 0', '192.0.2.2 10'])
  while (started.length < taken.length) await tick()
  assert.deepEqual(started.map((name) => name.slice(0, 9)).slice(2, 7), [flooding, other, flooding, other, flooding])
})

test('after a refusal, an address’s requests begin 2 ms later, and those of another at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { started, take } = openTurns()
  const guessing = flooding
  take(guessing, 0, 401)
  await tick()
  take(guessing)
  t.mock.timers.tick(limits.refusalRestMs - 1)
  take(other)
  await tick()
  assert.deepEqual(started, ['192.0.2.1 0', '192.0.2.2 2'])
  t.mock.timers.tick(1)
  for (let n = 0; n < 3; n += 1) await tick()
  assert.deepEqual(started, ['192.0.2.1 0', '192.0.2.2 2', '192.0.2.1 1'])
  take(guessing)
  assert.equal(started.length, 4, 'no rest after an accepted request')
})

test('a tick of several seconds does not end the turns of the addresses that had requests in it', async () => {
  const { turns, started, take } = openTurns()
  take(other)
  take(flooding, 5_000)
  await tick()
  for (let at = 0; at < 10; at += 1) take(flooding, 5_000)
  assert.deepEqual([turns.areWaiting, started.length], [true, 3])
})

test('an address doesn’t wait once no other has sent a request for a second', async () => {
  const { turns, elapsed, started, take } = openTurns()
  take(other)
  take(flooding)
  await tick()
  elapsed.ms += 1_000
  take(flooding)
  await tick()
  for (let at = 0; at < 3; at += 1) take(flooding)
  assert.deepEqual([turns.areWaiting, started.length], [false, 6])
})

/** Opens an app whose pages respond when told to, beside another address's requests. */
function openPages(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { turns, elapsed, take } = openTurns()
  const app = fastify({ trustProxy: () => false })
  oneInTurn(turns)(app)
  const respondTo = new Map<string, () => void>()
  app.get('/:name', ({ params }) => {
    const { name } = params as { name: string }
    return new Promise<object>((resolve) => respondTo.set(name, () => resolve({})))
  })
  const ticks = async () => {
    for (let n = 0; n < 20; n += 1) await tick()
  }
  const send = (remoteAddress: string, ...names: string[]) => {
    for (const name of names) void app.inject({ url: `/${name}`, remoteAddress }).then(() => {})
    return ticks()
  }
  return { app, elapsed, take, respondTo, ticks, send }
}

test('beside another address, an address has one request in progress, until a pause after its response or for 50 ms', async (t) => {
  const { elapsed, take, respondTo, ticks, send } = openPages(t)
  await send(flooding, 'alone 1', 'alone 2', 'alone 3')
  take(other)
  await send(flooding, 'a', 'b', 'c', 'd')
  await send(other, 'of the other')
  const alone = ['alone 1', 'alone 2', 'alone 3']
  assert.deepEqual([...respondTo.keys()], [...alone, 'a', 'of the other'])
  elapsed.ms += 10
  respondTo.get('a')?.()
  await ticks()
  t.mock.timers.tick(19)
  await ticks()
  assert.deepEqual([...respondTo.keys()], [...alone, 'a', 'of the other'])
  t.mock.timers.tick(1)
  await ticks()
  assert.deepEqual([...respondTo.keys()], [...alone, 'a', 'of the other', 'b'])
  t.mock.timers.tick(limits.requestTurnMs)
  await ticks()
  assert.deepEqual([...respondTo.keys()].slice(-2), ['b', 'c'])
  await send(other, 'one')
  elapsed.ms += 10
  respondTo.get('one')?.()
  await ticks()
  await send(other, 'two')
  assert.ok(respondTo.has('two'), 'no pause after a request behind which none waits')
})

test('an address’s requests that wait when the service stops begin without a pause', async (t) => {
  const { app, elapsed, take, respondTo, ticks, send } = openPages(t)
  take(other)
  await send(flooding, 'a', 'b')
  elapsed.ms += 10
  void app.close()
  await ticks()
  respondTo.get('a')?.()
  await ticks()
  assert.deepEqual([...respondTo.keys()], ['a', 'b'])
})

test('a page is not made if its connection closes while it waits', async (t) => {
  const { app, take, respondTo, ticks, send } = openPages(t)
  const address = '127.0.0.1'
  await app.listen({ host: address, port: 0 })
  t.after(() => app.close())
  take('192.0.2.2')
  await send(address, 'a')
  const socket = connect((app.server.address() as AddressInfo).port, address)
  socket.write('GET /closed HTTP/1.1\r\nHost: h\r\n\r\n')
  const [, response] = await once(app.server, 'request')
  await send(address, 'b')
  socket.destroy()
  await once(response, 'close')
  respondTo.get('a')?.()
  await ticks()
  t.mock.timers.tick(1)
  await ticks()
  assert.deepEqual([...respondTo.keys()], ['a', 'b'])
})

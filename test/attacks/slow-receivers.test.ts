import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { eventually } from '../support/eventually.ts'
import { listening } from '../support/local-server.ts'
import { provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/** A server at every loopback address. It responds only when a test lets it, and at once on the path `/quick`. */
async function openHeldReceiver(t: TestContext) {
  const held: ServerResponse[] = []
  const quick: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    request.resume()
    if (path.startsWith('/quick')) {
      quick.push(path)
      response.writeHead(204).end()
    } else {
      held.push(response)
    }
  })
  const { port } = new URL(await listening(t, server, '0.0.0.0'))
  return {
    quick,
    held,
    url: (host: number, path: string) => `http://127.0.1.${host}:${port}${path}`,
    /** Resolves once this many requests are held. */
    holds: (count: number) => eventually(() => held.length >= count || undefined),
    /** Responds to the oldest requests. */
    respond(count: number) {
      for (const response of held.splice(0, count)) response.writeHead(204).end()
    },
  }
}

async function openScene(t: TestContext) {
  // Requests must not end before a busy machine has opened all of them.
  const { timeout } = AbortSignal
  t.mock.method(AbortSignal, 'timeout', (ms: number) =>
    ms === limits.outgoingRequestTimeoutMs ? new AbortController().signal : timeout.call(AbortSignal, ms),
  )
  const world = await openWorld(t, { EVENTS_ALLOW_PRIVATE: 'true' })
  const receiver = await openHeldReceiver(t)
  const call = async (method: string, path: string, body?: object) => {
    const { status, json } = await provision(world, method, `/v1/${path}`, body)
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(json)}`)
  }
  /** Creates subscriptions of new owners, and then fills the window of each. */
  const fill = async (urlsOf: Record<string, readonly string[]>) => {
    const ids: string[] = []
    for (const [ownerId, urls] of Object.entries(urlsOf)) {
      await call('PUT', `users/${ownerId}`, { name: 'Eve' })
      for (const url of urls) {
        const id = `${ownerId}-${ids.length}`
        await call('PUT', `subscriptions/${id}`, { url, types: ['bot.online'], ownerId })
        ids.push(id)
      }
    }
    const tests = ids.flatMap((id) => times(limits.outgoingRequestsPerSubscription, () => `subscriptions/${id}/test`))
    await Promise.all(tests.map((path) => call('POST', path)))
  }
  /** Creates another owner's subscription to a host that responds at once. Returns what fills its window. */
  const quickOwner = async (ownerId: string) => {
    const id = `${ownerId}-quick`
    await call('PUT', `users/${ownerId}`, { name: 'Bob' })
    await call('PUT', `subscriptions/${id}`, { url: receiver.url(20, '/quick'), types: ['bot.online'], ownerId })
    return async () => {
      const after = receiver.quick.length + limits.outgoingRequestsPerSubscription
      await Promise.all(times(limits.outgoingRequestsPerSubscription, () => call('POST', `subscriptions/${id}/test`)))
      await eventually(() => receiver.quick.length === after || undefined)
    }
  }
  return { world, receiver, fill, quickOwner }
}

const times = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at))

test('our choice: an owner whose subscriptions get no response at many hosts takes up only the owner’s share', async (t) => {
  const { receiver, fill, quickOwner } = await openScene(t)
  const fillForBob = await quickOwner('bob')
  await fill({ eve: times(8, (n) => receiver.url(n + 2, '/slow')) })
  await receiver.holds(limits.outgoingRequestsPerOwner)
  await fillForBob()
  assert.equal(receiver.held.length, limits.outgoingRequestsPerOwner)
})

test('our choice: six owners with four subscriptions each to one host that never responds take up only that host’s share, and a smaller one once it responds slowly, until it responds quickly', async (t) => {
  const { world, receiver, fill, quickOwner } = await openScene(t)
  const [fillForBob, fillForCarol] = [await quickOwner('bob'), await quickOwner('carol')]
  await fill(Object.fromEntries(times(6, (n) => [`eve-${n}`, times(4, () => receiver.url(1, '/slow'))])))
  await receiver.holds(limits.outgoingRequestsPerHost)
  await fillForBob()
  assert.equal(receiver.held.length, limits.outgoingRequestsPerHost)
  await world.clock.advance(limits.outgoingSlowMs)
  receiver.respond(limits.outgoingRequestsPerHost)
  await receiver.holds(limits.outgoingRequestsPerSlowHost)
  await fillForCarol()
  assert.equal(receiver.held.length, limits.outgoingRequestsPerSlowHost)
  receiver.respond(1)
  await receiver.holds(2 * limits.outgoingRequestsPerSlowHost)
})

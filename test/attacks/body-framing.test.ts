import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import * as limits from '../../src/domain/limits/limits.ts'
import { BotRuntime, makeRuntime, provisionListeningBot } from '../support/bot-runtime.ts'
import { budget } from '../support/budget.ts'
import {
  answerTo,
  bytesOf,
  cutAt,
  type Framing,
  framed,
  framings,
  lengths,
  writings,
} from '../support/framed-bodies.ts'
import { adaWithClient, type Client, codeFor, redeem, signedIn } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld, type World } from '../support/world.ts'

const seed = 20_260_728
const path = 'hooks/orders'
const accepted = [202, '{"ok": true}']
const tooLarge = [413, '{"error": "Payload too large."}']

describe('A body arrives unchanged, whatever its framing and however it is split into writes', () => {
  for (const { name, surround, runs } of [
    { name: 'alone', surround: async () => async () => {}, runs: 15 },
    { name: 'while 300 connections flood the gateway', surround: flood, runs: budget > 1 ? 4 : 2 },
  ]) {
    test(`a webhook is dispatched byte for byte, ${name}`, async (t) => {
      const { world, runtime } = await openGateway(t)
      const stopFlood = await surround(t, world)
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(lengths(limits.webhookBodyMaxBytes), framings, writings), { maxLength: 8 }),
          (bodies) =>
            runtime.sendAll(
              bodies.map(([length, framing, { cuts, waits }], at) => {
                const body = bytesOf(length, at)
                return { body, framing, waits, positions: (wire) => cuts.map((cut) => Math.round(cut * wire.length)) }
              }),
            ),
        ),
        { seed, numRuns: runs * budget, endOnFailure: true },
      )
      await stopFlood()
    })

    test(`OAuth endpoints read the whole body, ${name}`, async (t) => {
      const world = await openWorld(t)
      const stopFlood = await surround(t, world)
      const client = await adaWithClient(world)
      const { json } = await redeem(world, client, await codeFor(world, await signedIn(world), client))
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(lengths(limits.oauthBodyMaxBytes - 1_024), framings, writings), {
            minLength: 6,
            maxLength: 6,
          }),
          (ways) => {
            const each = ways.map(([pad, framing, { cuts, waits }]) => ({ pad, framing, cuts, waits }))
            return callOAuth(t, world, client, json.access_token, each)
          },
        ),
        { seed, numRuns: runs * budget, endOnFailure: true },
      )
      await stopFlood()
    })
  }

  test('a webhook is dispatched byte for byte, however a small request is split into writes', async (t) => {
    const { runtime } = await openGateway(t)
    const body = Buffer.from('abcde')
    const chunked: Framing = { kind: 'chunked', sizes: [3, 2], extension: '', trailers: [] }
    const adorned: Framing = { kind: 'chunked', sizes: [1], extension: ';a=b', trailers: ['X-Sum: 1'] }
    for (const [framing, positions] of [
      [{ kind: 'length' } as const, subsets(body.length + 1)],
      [chunked, pairs(bodyOnWire(body, chunked))],
      [adorned, pairs(30)],
      ...(budget > 1 ? [[chunked, subsets(14)] as const] : []),
    ] as const) {
      for (let from = 0; from < positions.length; from += 64) {
        const some = positions.slice(from, from + 64)
        await runtime.sendAll(
          some.map((fromEnd) => ({
            body,
            framing,
            waits: true,
            positions: (wire) => fromEnd.map((bytes) => wire.length - bytes),
          })),
        )
      }
    }
  })
})

interface Sending {
  body: Buffer
  framing: Framing
  waits: boolean
  positions: (wire: Buffer) => readonly number[]
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
    const statuses = await Promise.all(
      sendings.map(async ({ body, framing, waits, positions }) => {
        sent += 1
        const id = String(sent)
        if (body.length <= limits.webhookBodyMaxBytes) expected.set(id, body)
        const wire = framed([`POST /${botId}/${path} HTTP/1.1`, 'Host: a', `X-Request-Id: ${id}`], body, framing)
        const connection = await RawConnection.to(t, world.apiUrl)
        const { status, body: told } = await answerTo(connection, cutAt(wire, positions(wire)), waits)
        connection.reset()
        return [status, told]
      }),
    )
    assert.deepEqual(
      statuses,
      sendings.map(({ body }) => (body.length <= limits.webhookBodyMaxBytes ? accepted : tooLarge)),
    )
    while (expected.size > 0) {
      const { delivery, headers, body } = await runtime.next('dispatch')
      runtime.send({ type: 'ack', deliveries: [delivery] })
      const id = headers['x-request-id']
      // Ignores a delivery left over from an earlier sample that failed.
      if (!expected.has(id)) continue
      const sentBody = expected.get(id)?.toString('base64')
      assert.ok(
        body === sentBody,
        `webhook ${id} was dispatched with ${body?.length} characters of ${sentBody?.length}`,
      )
      expected.delete(id)
    }
  }
  return { world, runtime: { sendAll } }
}

interface Way {
  /** Length of the padding before the parameters, in bytes. */
  pad: number
  framing: Framing
  cuts: readonly number[]
  waits: boolean
}

/**
 * Introspects the token and sends a pushed authorization request in each way, and compares each complete response. The
 * parameters come after the padding, so that a truncated body would change the response.
 */
async function callOAuth(t: TestContext, world: World, client: Client, token: string, ways: readonly Way[]) {
  const { clientId, clientSecret, redirectUri } = client
  const post = async (endpoint: string, { pad, framing, cuts, waits }: Way, parameters: object) => {
    const members = { pad: 'x'.repeat(pad), ...parameters, client_id: clientId, client_secret: clientSecret }
    const isForm = pad % 2 === 0
    const body = isForm ? String(new URLSearchParams(members)) : JSON.stringify(members)
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const head = [`POST /api/oauth/${endpoint} HTTP/1.1`, 'Host: localhost', `Content-Type: ${type}`]
    const wire = framed(head, Buffer.from(body), framing)
    const connection = await RawConnection.to(t, world.baseUrl)
    const positions = cuts.map((cut) => Math.round(cut * wire.length))
    const { status, body: answer } = await answerTo(connection, cutAt(wire, positions), waits)
    connection.reset()
    return { status, json: JSON.parse(answer) }
  }
  for (const [at, way] of ways.entries()) {
    if (at % 2 === 0) {
      const { status, json } = await post('introspect', way, { token })
      assert.deepEqual([status, json.active, json.client_id, json.sub], [200, true, clientId, 'ada'])
      continue
    }
    const state = 's'.repeat(1 + (way.pad % 1_000))
    const pushing = { redirect_uri: redirectUri, response_type: 'code', scope: 'user.identify', state }
    const { status, json } = await post('par', way, pushing)
    assert.deepEqual([status, json], [201, { request_uri: json.request_uri, expires_in: 90 }])
    const attempt = await world.service.authorization.attempts.find(json.request_uri.split(':').at(-1))
    assert.ok(attempt && 'request' in attempt)
    assert.equal(attempt.request.encodedState, state)
  }
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

/** Returns the size of the framed body in bytes. */
function bodyOnWire(body: Buffer, framing: Framing): number {
  return framed([], body, framing).length - framed([], Buffer.alloc(0), { kind: 'length' }).length
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

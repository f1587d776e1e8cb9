import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { systemClock } from '../../src/domain/clock.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { Refusals, ResponseCounts } from '../../src/http/request-metrics.ts'
import { Turns } from '../../src/http/turns.ts'
import { type OAuthEndpoint, oauthRoutes } from '../../src/oauth/oauth-endpoints.ts'
import { oauthJson } from '../../src/oauth/responses.ts'
import { eventually } from '../support/eventually.ts'
import { listening } from '../support/local-server.ts'
import { adaWithClient, Browser, codeFor, openClient, redeem, refresh, signedIn, userinfo } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld } from '../support/world.ts'

const description = 'The service is overloaded. Try again in a moment.'
const overloaded = { error: 'temporarily_unavailable', error_description: description }

/** Opens the real HTTP layer of the OAuth endpoints, with an endpoint that responds only when the test lets it. */
async function openHeldEndpoint(t: TestContext) {
  const held: (() => void)[] = []
  const endpoint: OAuthEndpoint = {
    operation: { method: 'post', path: '/held', operationId: 'held', summary: 'Hold', responses: {} },
    answer: () => new Promise((resolve) => held.push(() => resolve(oauthJson(200, { held: true })))),
  }
  const log = pino({ enabled: false })
  const routes = oauthRoutes({
    endpoints: [endpoint],
    trust: () => false,
    turns: new Turns(() => false),
    log,
    clock: systemClock,
    counts: new ResponseCounts(),
    refusals: new Refusals({ log, clock: systemClock, message: 'OAuth request rejected' }),
  })
  const ending = () => false
  const server = createServer((request, response) =>
    routes.handle({ request, response, path: request.url ?? '', ending }),
  )
  return { url: await listening(t, server), held }
}

test('our choice: when two thousand OAuth requests are in flight, each further one immediately gets 503 with Retry-After; the others are answered', async (t) => {
  const { url, held } = await openHeldEndpoint(t)
  const request = 'POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi'
  const connections = await Promise.all(Array.from({ length: 20 }, () => RawConnection.to(t, url)))
  const each = limits.oauthRequestsInFlightMax / connections.length
  for (const connection of connections) connection.write(request.repeat(each))
  // A request that is still arriving takes no slot.
  const slow = await RawConnection.to(t, url)
  await slow.flushed(request.slice(0, -1))
  await eventually(() => (held.length === limits.oauthRequestsInFlightMax ? true : undefined))
  const further = await fetch(`${url}/held`, { method: 'POST', body: 'one more' })
  assert.deepEqual([further.status, further.headers.get('retry-after')], [503, '1'])
  assert.deepEqual(await further.json(), overloaded)
  // Sends twice as many further requests as the limit. All of them must be rejected.
  const beyond = await Promise.all(connections.flatMap(() => [RawConnection.to(t, url), RawConnection.to(t, url)]))
  for (const connection of beyond) connection.write(request.repeat(each))
  for (const connection of beyond) {
    for (let left = each; left > 0; left -= 1) {
      const { status, headers, body } = await connection.answer()
      assert.deepEqual([status, headers['retry-after'], JSON.parse(body)], [503, '1', overloaded])
    }
  }
  assert.equal(held.length, limits.oauthRequestsInFlightMax)
  for (const answer of held.splice(0)) answer()
  for (const connection of connections) {
    for (let left = each; left > 0; left -= 1) assert.equal((await connection.answer()).status, 200)
  }
  const served = fetch(`${url}/held`, { method: 'POST', body: 'the next' })
  await eventually(() => held.pop())
    .then((answer) => answer())
    .catch(() => assert.fail('the next one was not taken'))
  assert.equal((await served).status, 200)
})

test('our choice: at three times the maximum load, each userinfo request gets 200 or 503 with Retry-After, and /livez still answers', async (t) => {
  const { world, tokens } = await openClient(t)
  const { access_token } = await tokens()
  const request = `GET /api/oauth/userinfo HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${access_token}\r\n\r\n`
  const connections = await Promise.all(Array.from({ length: 60 }, () => RawConnection.to(t, world.baseUrl)))
  const each = (3 * limits.oauthRequestsInFlightMax) / connections.length
  for (const connection of connections) connection.write(request.repeat(each))
  const alive = fetch(`${world.controlUrl}/livez`)
  for (const connection of connections) {
    for (let left = each; left > 0; left -= 1) {
      const { status, headers, body } = await connection.answer()
      if (status !== 200) assert.deepEqual([status, headers['retry-after'], JSON.parse(body)], [503, '1', overloaded])
    }
  }
  assert.equal((await alive).status, 200)
  assert.equal((await userinfo(world, access_token)).status, 200)
})

test('our choice: sign-ins waiting for hashing don’t delay tokens, userinfo or the gateway', async (t) => {
  let isHeld = true
  t.after(() => {
    isHeld = false
  })
  const world = await openWorld(t, {}, { slowHashing: true })
  const client = await adaWithClient(world)
  const code = await codeFor(world, await signedIn(world), client)
  const { access_token, refresh_token } = (await redeem(world, client, code)).json
  const browser = new Browser()
  const page = await browser.get(`${world.baseUrl}/sign-in`)
  // Two other clients hash one password after another, so that the guesses wait for as long as the test needs.
  const others = ['198.51.100.1', '198.51.100.2'].map((address) =>
    world.service.accounts.hashing.withSlot(address, async (slot) => {
      while (isHeld) await slot.hash('one of many')
    }),
  )
  const statuses: number[] = []
  const flood = Array.from({ length: 200 }, async (_, at) => {
    const guess = { email: `user-${at}@example.com`, password: 'not this one' }
    const answer = await browser.submit(page, guess, '/sign-in')
    statuses.push(answer.status)
    if (answer.status === 503) assert.ok(Number(answer.headers.get('retry-after')) > 0)
  })
  const beyond = flood.length - limits.hashingTasksWaitingMax
  await eventually(() => statuses.length === beyond || undefined)
  assert.equal((await refresh(world, client, refresh_token)).status, 200)
  assert.equal((await userinfo(world, access_token)).status, 200)
  assert.equal((await fetch(`${world.apiUrl}/health`)).status, 200)
  assert.deepEqual(statuses, Array(beyond).fill(503), 'the queue of passwords is bounded, and the others still wait')
  isHeld = false
  await Promise.all([...others, ...flood])
  const count = (status: number) => statuses.filter((one) => one === status).length
  assert.deepEqual([count(503), count(422) + count(429)], [beyond, limits.hashingTasksWaitingMax])
  // The limit is 50 failures. Two passwords are verified at a time, so a guess can start before the 50th has failed.
  assert.ok(count(422) <= 51, `one address had ${count(422)} guesses`)
})

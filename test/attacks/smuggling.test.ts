import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { adaWithClient, allow, consentUrl, postForm, provision, signedIn } from '../support/people.ts'
import { openWorld } from '../support/world.ts'
import { exchange } from './raw-exchange.ts'

/** The inner request, which a proxy in front of the service mistook for a body. */
const inner = 'POST /greeter/hooks/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nsmuggled'
const chunked = `0\r\n\r\n${inner}`

/** Headers that two parsers may interpret differently. */
const doubtful = [
  `Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked`,
  `Transfer-Encoding: chunked\r\nContent-Length: ${chunked.length}`,
  `Content-Length: ${chunked.length}\r\nContent-Length: 0`,
  `Content-Length: ${chunked.length}, 0`,
  `Content-Length: ${chunked.length}\r\nTransfer-Encoding : chunked`,
  `Content-Length: ${chunked.length}\r\n Transfer-Encoding: chunked`,
  `Content-Length: ${chunked.length}\r\nTransfer-Encoding: xchunked`,
  `Content-Length: ${chunked.length}\r\nTransfer-Encoding: identity, chunked`,
  `Content-Length: ${chunked.length}\r\nTransfer-Encoding:\vchunked`,
  `Content-Length: ${chunked.length}\r\nX: a\rTransfer-Encoding: chunked`,
  `Content-Length: ${chunked.length}\r\nX: a\nTransfer-Encoding: chunked`,
  `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity`,
  `Transfer-Encoding: chunked, identity`,
  `Content-Length: -1`,
  `Content-Length: +${chunked.length}`,
  `Content-Length: 0x0`,
]

/** A generous timeout, because a busy machine may be slow to close the connection. */
const endWithinMs = 10_000

describe('A request body is never parsed as another request', () => {
  for (const listener of ['baseUrl', 'apiUrl', 'portalUrl', 'controlUrl'] as const) {
    test(`our choice: if body length headers contradict each other, ${listener.slice(0, -3)} answers 400 once and closes the connection`, async (t) => {
      const world = await openWorld(t)
      await provisionListeningBot(world.service)
      for (const headers of doubtful) {
        const head = `POST /greeter/hooks/orders HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`
        const sent = Buffer.from(head + chunked, 'latin1')
        const { answers, left, ended } = await exchange(world[listener], sent, endWithinMs)
        assert.deepEqual([answers.map(({ status }) => status), left, ended], [[400], '', true], headers)
      }
      assert.equal((await world.service.queue.figures()).accepted, 0)
    })
  }

  test('our choice: a request after a rejected body is not executed', async (t) => {
    const world = await openWorld(t)
    await provisionListeningBot(world.service)
    const large = `POST /greeter/hooks/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n${inner}`
    const { answers } = await exchange(world.apiUrl, Buffer.from(large))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [413],
    )
    assert.equal((await world.service.queue.figures()).accepted, 0)
  })
})

describe('Input can’t add a response header', () => {
  const split = 'a\r\nSet-Cookie: odd=1\r\n\r\n<svg>'

  test('our choice: line breaks in state, scope and redirect URI stay encoded and start no new header', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const location = await allow(world, await signedIn(world), consentUrl(world, client, { state: split }))
    assert.equal(location.searchParams.get('state'), split)
    assert.equal(String(location).includes('\n'), false)
    for (const query of [
      { scope: split },
      { redirect_uri: `${client.redirectUri}${split}` },
      { response_type: split },
      { client_id: split },
    ]) {
      const { pathname, search } = new URL(consentUrl(world, client, query))
      const asked = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      const { answers } = await exchange(world.baseUrl, asked)
      assert.equal(answers.length, 1)
      for (const [name, value] of answers[0]?.headers ?? []) {
        assert.ok(name !== 'set-cookie' || !value.startsWith('odd'), JSON.stringify(answers))
      }
    }
  })

  test('our choice: a parameter with a line break is rejected where it could reach a header', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const application = {
      ownerId: 'ada',
      name: 'Split',
      websiteUrl: 'https://a.example',
      redirectUris: ['https://a.example/\r\nX: 1'],
    }
    const put = await provision(world, 'PUT', '/v1/applications/split', application)
    assert.equal(put.status, 400)
    const token = await postForm(`${world.baseUrl}/api/oauth/token`, {
      grant_type: split,
      client_id: split,
      client_secret: split,
    })
    assert.deepEqual([token.status, token.json.error], [401, 'invalid_client'])
    assert.equal(token.headers.get('set-cookie'), null)
  })
})

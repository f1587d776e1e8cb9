import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aClient, adaWithClient, allow, type Client, postForm, redeem, signedIn } from '../people.ts'
import { openWorld, type World } from '../world.ts'

function push(world: World, client: Client, more: Record<string, string> = {}) {
  return postForm(`${world.baseUrl}/api/oauth/par`, {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: 'user.identify',
    state: 'a b&c',
    ...more,
  })
}

function consentUrl(world: World, client: Client, requestUri: string): string {
  return `${world.baseUrl}/auth/consent?${new URLSearchParams({ client_id: client.clientId, request_uri: requestUri })}`
}

describe('our choice: POST {base_url}/api/oauth/par (RFC 9126)', () => {
  test('a pushed request is kept for 90 seconds and yields a code like any other', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const pushed = await push(world, client)
    assert.equal(pushed.status, 201)
    assert.deepEqual(pushed.json, { request_uri: pushed.json.request_uri, expires_in: 90 })
    assert.match(pushed.json.request_uri, /^urn:ietf:params:oauth:request_uri:/)
    assert.equal(pushed.headers.get('cache-control'), 'no-store')

    const browser = await signedIn(world)
    const location = await allow(world, browser, consentUrl(world, client, pushed.json.request_uri))
    assert.equal(location.searchParams.get('state'), 'a b&c')
    assert.equal((await redeem(world, client, location.searchParams.get('code') ?? '')).status, 200)

    await world.clock.advance(90_000)
    assert.equal((await browser.get(consentUrl(world, client, pushed.json.request_uri))).status, 400)
  })

  test('another client can not use it', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const other = await aClient(world, 'other')
    const pushed = await push(world, client)
    const browser = await signedIn(world)
    assert.equal((await browser.get(consentUrl(world, other, pushed.json.request_uri))).status, 400)
  })

  test('its faults are told at once, in the words of the consent address', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    for (const [more, status, error] of [
      [{ client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ redirect_uri: 'https://elsewhere.example' }, 400, 'invalid_request'],
      [{ response_type: 'token' }, 400, 'unsupported_response_type'],
      [{ scope: 'no.such.scope' }, 400, 'invalid_scope'],
      [{ code_challenge: 'short', code_challenge_method: 'S256' }, 400, 'invalid_request'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 400, 'invalid_request'],
    ] as const) {
      const answer = await push(world, client, more as Record<string, string>)
      assert.deepEqual([answer.status, answer.json.error], [status, error], JSON.stringify(more))
      assert.ok(answer.json.error_description)
    }
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  aClient,
  adaWithClient,
  allow,
  type Client,
  openClient,
  postForm,
  provision,
  redeem,
  signedIn,
} from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

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
  test('a pushed request is valid for 90 seconds, for the client that pushed it alone, and yields a code as any authorization request does', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const pushed = await push(world, client)
    assert.equal(pushed.status, 201)
    assert.deepEqual(pushed.json, { request_uri: pushed.json.request_uri, expires_in: 90 })
    assert.match(pushed.json.request_uri, /^urn:ietf:params:oauth:request_uri:/)

    const browser = await signedIn(world)
    const location = await allow(world, browser, consentUrl(world, client, pushed.json.request_uri))
    assert.equal(location.searchParams.get('state'), 'a b&c')
    assert.equal((await redeem(world, client, location.searchParams.get('code') ?? '')).status, 200)

    const other = await aClient(world, 'other')
    assert.equal((await browser.get(consentUrl(world, other, pushed.json.request_uri))).status, 400)

    await provision(world, 'POST', '/v1/applications/acme/disable')
    const disabled = await browser.get(consentUrl(world, client, pushed.json.request_uri))
    assert.match(disabled.text, /The operator disabled Acme Dashboard/)
    await provision(world, 'POST', '/v1/applications/acme/enable')
    await world.clock.advance(90_000)
    assert.equal((await browser.get(consentUrl(world, client, pushed.json.request_uri))).status, 400)
  })

  test('only client_id and request_uri count in the consent URL, and each must occur exactly once', async (t) => {
    const { world, client, browser } = await openClient(t)
    const url = consentUrl(world, client, (await push(world, client)).json.request_uri)
    const more = {
      redirect_uri: 'https://evil.example/callback',
      scope: 'user.email',
      state: 'other',
      response_type: 'x',
    }
    const page = await browser.visit(`${url}&${new URLSearchParams(more)}`, world)
    const denied = await browser.submit(page, { decision: 'deny' }, '/auth/consent')
    const { searchParams } = new URL(denied.headers.get('location') ?? '')
    assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['access_denied', 'a b&c'])

    const repeated = [...new URL(url).searchParams].map((pair) => `${url}&${new URLSearchParams([pair])}`)
    for (const faulty of [...repeated, url.replace(/client_id=[^&]*&/, '')]) {
      const answer = await browser.get(faulty)
      assert.deepEqual([answer.status, answer.location], [400, undefined], faulty)
    }
  })

  test('an invalid pushed request immediately gets the error code that the consent URL would return', async (t) => {
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

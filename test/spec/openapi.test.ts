import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { documentAt, operationsOf } from '../support/openapi.ts'
import { answerOf, provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

const scopes = [
  ...['user.identify', 'user.email', 'user.connections.read', 'offline_access'],
  ...['bots.read', 'flows.read', 'guilds.read', 'logs.read', 'cowork.read'],
]

describe('GET {api_url}/openapi.json', () => {
  test('/openapi.json is the OpenAPI 3.1 description of the OAuth endpoints: consent, token, userinfo, revoke, scopes and schemas, and not of bot status API or webhook gateway', async (t) => {
    const world = await openWorld(t)
    const { status, headers, json: document } = await answerOf(await fetch(`${world.apiUrl}/openapi.json`))
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.match(document.openapi, /^3\.1\./)
    assert.doesNotMatch(JSON.stringify(document), /botstatus|svc-key|\/health/)
    assert.deepEqual(document.servers, [{ url: world.baseUrl }])
    assert.deepEqual(Object.keys(document.paths), [
      '/auth/consent',
      '/api/oauth/token',
      '/api/oauth/userinfo',
      '/api/oauth/revoke',
      '/api/oauth/introspect',
      '/api/oauth/par',
    ])
    const { required } = document.components.schemas.TokenResponse
    assert.deepEqual(required, ['access_token', 'token_type', 'expires_in', 'scope'])
    assert.deepEqual(Object.keys(document.components.securitySchemes.oauth2.flows.authorizationCode.scopes), scopes)
  })

  test('scopes that the operator declares appear in the OpenAPI document and in the server metadata', async (t) => {
    const world = await openWorld(t)
    await provision(world, 'PUT', '/v1/scopes/calendar.read', { description: 'See the events in your calendar' })
    assert.match(await (await fetch(`${world.apiUrl}/openapi.json`)).text(), /See the events in your calendar/)
    const { json } = await answerOf(await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`))
    assert.equal(json.scopes_supported.at(-1), 'calendar.read')
  })
})

test('our choice: both well-known URLs return the same server metadata, which does not claim OpenID Connect support', async (t) => {
  const world = await openWorld(t)
  const metadata = {
    issuer: world.baseUrl,
    authorization_endpoint: `${world.baseUrl}/auth/consent`,
    token_endpoint: `${world.baseUrl}/api/oauth/token`,
    userinfo_endpoint: `${world.baseUrl}/api/oauth/userinfo`,
    revocation_endpoint: `${world.baseUrl}/api/oauth/revoke`,
    introspection_endpoint: `${world.baseUrl}/api/oauth/introspect`,
    pushed_authorization_request_endpoint: `${world.baseUrl}/api/oauth/par`,
    service_documentation: `${world.apiUrl}/openapi.json`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: false,
  }
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const { status, json } = await answerOf(await fetch(`${world.baseUrl}/.well-known/${name}`))
    assert.deepEqual([status, json], [200, metadata])
  }
})

test('our choice: {portal_url}/reference describes every operation of the OpenAPI description, and needs no sign-in', async (t) => {
  const world = await openWorld(t)
  const answer = await fetch(`${world.portalUrl}/reference`)
  assert.equal(answer.status, 200)
  // Removes `<wbr>`, which only allows line breaks in long names.
  const text = (await answer.text()).replaceAll('<wbr>', '')
  for (const { path, method, operation } of operationsOf(await documentAt(world.apiUrl))) {
    const { summary, responses } = operation
    assert.ok(text.includes(`<code>${method} ${world.baseUrl}${path}</code>`))
    assert.ok(text.includes(`<span lang="en">${summary}</span>`), summary)
    for (const status of Object.keys(responses)) assert.ok(text.includes(`<h3>${status}</h3>`))
  }
  for (const member of ['redirect_uri', 'refresh_token', 'connections.passkey', 'bots[].role']) {
    assert.ok(text.includes(`<code>${member}</code>`), member)
  }
  assert.ok(!text.includes('<script>') && !text.includes(' style='))
})

test('{control_url}/openapi.json and {base_url}/api/openapi.json describe the calls in OpenAPI 3.1, with the errors of bodies and what null means', async (t) => {
  const world = await openWorld(t)
  for (const [server, path] of [
    [world.baseUrl, '/api'],
    [world.controlUrl, ''],
  ] as const) {
    const { json: document } = await answerOf(await fetch(`${server + path}/openapi.json`))
    assert.deepEqual([document.openapi, document.servers], ['3.1.0', [{ url: server }]])
    for (const { operation } of operationsOf(document)) {
      const { operationId, requestBody, responses } = operation
      assert.equal(413 in responses && 415 in responses, requestBody !== undefined, operationId)
    }
  }
  // A nullable member says what null means: by its own description, by that of its value, or in general.
  assert.partialDeepStrictEqual((await documentAt(world.controlUrl)).components.schemas, {
    BotChange: { additionalProperties: false, required: ['ownerId', 'name', 'chatPlatformId'] },
    DeliveryAttempt: {
      properties: { endedAt: { description: 'when the attempt ended; null while it is in progress' } },
    },
    UserChange: { properties: { pin: { description: 'session PIN of 4 to 12 digits, or null for none' } } },
    User: { properties: { email: { description: 'null for none' } } },
  })
})

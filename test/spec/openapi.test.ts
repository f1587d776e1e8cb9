import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

describe('GET {api_url}/openapi.json', () => {
  test('/openapi.json is the OpenAPI 3.1 description of the OAuth endpoints: consent, token, userinfo, revoke, scopes and schemas', async (t) => {
    const world = await openWorld(t)
    const response = await fetch(`${world.apiUrl}/openapi.json`)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    const document = (await response.json()) as {
      openapi: string
      servers: { url: string }[]
      paths: Record<string, object>
      components: {
        schemas: Record<string, { required?: string[] }>
        securitySchemes: { oauth2: { flows: { authorizationCode: { scopes: Record<string, string> } } } }
      }
    }
    assert.match(document.openapi, /^3\.1\./)
    assert.deepEqual(document.servers, [{ url: world.baseUrl }])
    assert.deepEqual(Object.keys(document.paths), [
      '/auth/consent',
      '/api/oauth/token',
      '/api/oauth/userinfo',
      '/api/oauth/revoke',
      '/api/oauth/introspect',
      '/api/oauth/par',
    ])
    assert.deepEqual(document.components.schemas.TokenResponse?.required, [
      'access_token',
      'token_type',
      'expires_in',
      'scope',
    ])
    assert.deepEqual(Object.keys(document.components.securitySchemes.oauth2.flows.authorizationCode.scopes), [
      'user.identify',
      'user.email',
      'user.connections.read',
      'offline_access',
      'bots.read',
      'flows.read',
      'guilds.read',
      'logs.read',
      'cowork.read',
    ])
  })

  test('the OpenAPI document does not cover the bot status API or the webhook gateway', async (t) => {
    const world = await openWorld(t)
    const text = await (await fetch(`${world.apiUrl}/openapi.json`)).text()
    assert.doesNotMatch(text, /botstatus|svc-key|\/health/)
  })

  test('scopes that the operator declares appear in the OpenAPI document and in the server metadata', async (t) => {
    const world = await openWorld(t)
    await provision(world, 'PUT', '/v1/scopes/calendar.read', { description: 'See the events in your calendar' })
    assert.match(await (await fetch(`${world.apiUrl}/openapi.json`)).text(), /See the events in your calendar/)
    const metadata = await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)
    const { scopes_supported } = (await metadata.json()) as { scopes_supported: string[] }
    assert.equal(scopes_supported.at(-1), 'calendar.read')
  })
})

describe('our choice: authorization server metadata (RFC 8414)', () => {
  test('both well-known URLs return the same server metadata, which does not claim OpenID Connect support', async (t) => {
    const world = await openWorld(t)
    const [one, other] = await Promise.all(
      ['oauth-authorization-server', 'openid-configuration'].map(async (name) => {
        const response = await fetch(`${world.baseUrl}/.well-known/${name}`)
        assert.equal(response.status, 200)
        return (await response.json()) as Record<string, unknown>
      }),
    )
    assert.deepEqual(one, other)
    assert.deepEqual(one, {
      issuer: world.baseUrl,
      authorization_endpoint: `${world.baseUrl}/auth/consent`,
      token_endpoint: `${world.baseUrl}/api/oauth/token`,
      userinfo_endpoint: `${world.baseUrl}/api/oauth/userinfo`,
      revocation_endpoint: `${world.baseUrl}/api/oauth/revoke`,
      introspection_endpoint: `${world.baseUrl}/api/oauth/introspect`,
      pushed_authorization_request_endpoint: `${world.baseUrl}/api/oauth/par`,
      service_documentation: `${world.apiUrl}/openapi.json`,
      scopes_supported: [
        'user.identify',
        'user.email',
        'user.connections.read',
        'offline_access',
        'bots.read',
        'flows.read',
        'guilds.read',
        'logs.read',
        'cowork.read',
      ],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: false,
    })
  })
})

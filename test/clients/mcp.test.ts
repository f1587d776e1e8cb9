import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromNpm } from '../support/from-npm.ts'
import { userinfo } from '../support/people.ts'
import { openClientScene } from './registration.ts'

const mcpServer = 'https://mcp.example/mcp'

for (const SEND_ISS of ['false', 'true']) {
  test(`with SEND_ISS=${SEND_ISS}, auth() finds the metadata and completes consent, code exchange and refresh, with resource in each request`, async (t) => {
    const { auth } = await import(
      await fromNpm('@modelcontextprotocol/client', '2.4.0', '@modelcontextprotocol/client/dist/index.mjs')
    )
    const scene = await openClientScene(t, { env: { SEND_ISS } })
    const sent: string[] = []
    const fetchFn = async (url: string | URL, init?: RequestInit) => {
      if (String(url) === 'https://mcp.example/.well-known/oauth-protected-resource/mcp') {
        return Response.json({
          resource: mcpServer,
          authorization_servers: [scene.gatehouse],
          scopes_supported: ['user.identify', 'offline_access'],
        })
      }
      const resource = new URLSearchParams(String(init?.body)).get('resource')
      sent.push(`${String(url).replace(scene.gatehouse, '')} ${resource}`)
      return fetch(url, init)
    }
    const kept: {
      url?: URL
      tokens?: { access_token: string; refresh_token: string }
      verifier?: string
      found?: object
    } = {}
    const provider = {
      redirectUrl: scene.redirectUri,
      clientMetadata: { redirect_uris: [scene.redirectUri] },
      clientInformation: () => ({ client_id: scene.clientId, client_secret: scene.clientSecret }),
      state: () => 'the-state',
      tokens: () => kept.tokens,
      saveTokens: (tokens: typeof kept.tokens) => Object.assign(kept, { tokens }),
      redirectToAuthorization: (url: URL) => Object.assign(kept, { url }),
      saveCodeVerifier: (verifier: string) => Object.assign(kept, { verifier }),
      codeVerifier: () => kept.verifier,
      saveDiscoveryState: (found: object) => Object.assign(kept, { found }),
      discoveryState: () => kept.found,
    }
    const options = { serverUrl: mcpServer, fetchFn }

    assert.equal(await auth(provider, options), 'REDIRECT')
    const asked = kept.url?.searchParams
    assert.deepEqual([asked?.get('resource'), asked?.get('prompt')], [mcpServer, 'consent'])
    const { searchParams: answer } = await scene.consent(String(kept.url))
    const callback = { authorizationCode: answer.get('code'), iss: answer.get('iss') ?? undefined }
    assert.equal(await auth(provider, { ...options, ...callback }), 'AUTHORIZED')
    const first = kept.tokens
    assert.equal(await auth(provider, options), 'AUTHORIZED')
    assert.notEqual(kept.tokens?.refresh_token, first?.refresh_token)
    assert.equal((await userinfo(scene.world, kept.tokens?.access_token ?? '')).json.name, 'Ada')

    const token = `/api/oauth/token ${mcpServer}`
    assert.deepEqual(sent, ['/.well-known/oauth-authorization-server null', token, token])
  })
}

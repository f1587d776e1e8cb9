import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as arctic from 'arctic'
import { afterRefusal, begin, finish, refresh, setUp, signOut } from '../../examples/libraries/arctic.ts'
import { completes, returns } from './library.ts'
import { type ClientScene, openClientScene } from './registration.ts'

const tokensOf = (tokens: arctic.OAuth2Tokens) => {
  return { access_token: tokens.accessToken(), refresh_token: tokens.refreshToken() }
}

async function open(scene: ClientScene) {
  const client = setUp(scene)
  return {
    begin: async (more?: { consent: 'skip' }) => begin(client, scene.gatehouse, more),
    async finish(begun: ReturnType<typeof begin>, callback: URL) {
      const { tokens, person } = await finish(client, callback, begun, scene.gatehouse)
      return { person, ...tokensOf(tokens) }
    },
    afterRefusal: async (error: Error) => afterRefusal(error, client, scene.gatehouse),
    refresh: async (token: string) => tokensOf(await refresh(client, token, scene.gatehouse)),
    signOut: (token: string) => signOut(client, token, scene.gatehouse),
  }
}

completes('arctic', open, { constructor: arctic.OAuth2RequestError, code: 'invalid_grant', description: /./ })
returns(open)

test('arctic reports a 429 as a bare status, since it handles only 200, 400 and 401', async (t) => {
  const scene = await openClientScene(t)
  const stranger = setUp({ ...scene, clientSecret: 'svc_cs_wrong' })
  for (let tries = 0; tries < 100; tries += 1) {
    await assert.rejects(refresh(stranger, 'svc_rt_any', scene.gatehouse), arctic.OAuth2RequestError)
  }
  const bare = { constructor: arctic.UnexpectedResponseError, status: 429 }
  await assert.rejects(refresh(stranger, 'svc_rt_any', scene.gatehouse), bare)
})

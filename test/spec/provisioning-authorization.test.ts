import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { build } from '../support/world.ts'
import { openScene } from './provisioning-scene.ts'

describe('Authorization: Bearer <operator key>', () => {
  test('a missing or wrong operator key gets 401 at any URL and changes nothing', async (t) => {
    const { world, get } = await openScene(t)
    const body = JSON.stringify({ name: 'Mallory' })
    for (const authorization of [
      undefined,
      'Bearer wrong',
      `Basic ${world.operatorKey}`,
      world.operatorKey,
      'Bearer ',
    ]) {
      for (const [method, path] of [
        ['PUT', '/v1/users/ada'],
        ['GET', '/v1/users/ada'],
        ['GET', '/v1/no/such/address'],
        ['PATCH', '/v1/users/ada'],
      ] as const) {
        const headers = {
          'content-type': 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
        }
        const response = await fetch(`${world.controlUrl}${path}`, {
          method,
          headers,
          ...(method === 'GET' ? {} : { body }),
        })
        assert.equal(response.status, 401)
        assert.equal(response.headers.get('www-authenticate'), 'Bearer')
        assert.deepEqual(await response.json(), {
          type: 'about:blank',
          title: 'Unauthorized',
          status: 401,
          detail: 'Send a valid operator key in the header Authorization: Bearer <key>.',
        })
      }
    }
    assert.equal((await get('users/ada')).json.name, 'Ada')
  })

  test('/livez, /readyz and /openapi.json need no operator key', async (t) => {
    const { world } = await openScene(t)
    const answers = {
      '/livez': { status: 'ok', ...build },
      '/readyz': { status: 'ok', ...build, checks: { identity: 'ok', gateway: 'ok' } },
    }
    for (const [path, body] of Object.entries(answers)) {
      const response = await fetch(`${world.controlUrl}${path}`)
      assert.deepEqual([response.status, await response.json()], [200, body])
    }
    assert.equal((await fetch(`${world.controlUrl}/openapi.json`)).status, 200)
  })
})

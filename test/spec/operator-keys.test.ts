import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { openNodes } from '../support/nodes.ts'
import { adaWithClient, codeFor, postForm, provision, redeem, signedIn } from '../support/people.ts'
import { assertAnswer, assertProblem, openScene } from './provisioning-scene.ts'

type Access = 'full' | 'read'
type Node = Parameters<typeof provision>[0]

async function makeKey(node: Node, name = 'deploy', access: Access = 'full') {
  const made = await provision(node, 'POST', '/v1/operator-keys', { name, access })
  assert.equal(made.status, 201, JSON.stringify(made.json))
  const { id, key } = made.json as { id: string; key: string }
  return { id, key, as: (other: Node = node): Node => ({ controlUrl: other.controlUrl, operatorKey: key }) }
}

describe('Named operator keys', () => {
  test('creating an operator key returns 201 with its ID and, in this response only, the key; GET lists each key’s record and last use, without the key', async (t) => {
    const { world, post, get, madeAt } = await openScene(t)
    const made = await post('operator-keys', { name: ' Deploy\tscript ', access: 'full' })
    const { id, key } = made.json
    assert.match(id, /^[A-Za-z0-9_-]{1,64}$/)
    assert.match(key, /^svc_ok_[A-Za-z0-9]{43,}$/)
    const record = { id, name: 'Deploy script', access: 'full', lastFour: key.slice(-4), createdAt: madeAt }
    assertAnswer(made, 201, { ...record, lastUsedAt: null, key })
    assertAnswer(await get('operator-keys'), 200, { items: [{ ...record, lastUsedAt: null }], next: null })

    await world.clock.advance(5_000)
    const used = await provision({ ...world, operatorKey: key }, 'GET', '/v1/users/ada')
    assert.equal(used.status, 200)
    await world.clock.advance(60_000)
    await world.service.operatorKeys.recordUse()
    const lastUsedAt = world.clock.iso(5_000)
    assertAnswer(await get('operator-keys'), 200, { items: [{ ...record, lastUsedAt }], next: null })
  })

  test('an operator key with read access can only send GET and HEAD; any other method gets 403 and changes nothing', async (t) => {
    const { world, get } = await openScene(t)
    const { as } = await makeKey(world, 'dashboard', 'read')
    const before = (await exported(world)).length
    const reader = as()
    const readOnly = /^This operator key has read access, so it can only send GET\. Nothing was changed\.$/
    for (const path of ['users/ada', 'operator-keys', 'audit']) {
      const headers = { authorization: `Bearer ${reader.operatorKey}` }
      for (const method of ['GET', 'HEAD']) {
        assert.equal((await fetch(`${world.controlUrl}/v1/${path}`, { method, headers })).status, 200, path)
      }
    }
    for (const [method, path, body] of [
      ['PUT', '/v1/users/ada', { name: 'Eve' }],
      ['DELETE', '/v1/bots/bot-1', undefined],
      ['POST', '/v1/operator-keys', { name: 'more', access: 'full' }],
      ['PATCH', '/v1/users/ada', undefined],
      ['POST', '/v1/nowhere', undefined],
    ] as const) {
      assertProblem(await provision(reader, method, path, body), 403, readOnly)
    }
    assert.equal((await get('users/ada')).json.name, 'Ada')
    assert.equal((await get('bots/bot-1')).status, 200)
    assert.equal((await get('operator-keys')).json.items.length, 1)
    assert.equal((await exported(world)).length, before)
  })

  test('our choice: creating a 51st operator key returns 409', async (t) => {
    const { post } = await openScene(t)
    for (let n = 0; n < 50; n += 1) {
      assert.equal((await post('operator-keys', { name: `key ${n}`, access: 'read' })).status, 201)
    }
    const more = await post('operator-keys', { name: 'one more', access: 'read' })
    assertProblem(more, 409, /^There are 50 operator keys already\./)
  })

  test('an operator key with full access can do everything that the configured key can, and the configured key keeps working; our choice: audit events of calls with a named key carry the key’s ID and name', async (t) => {
    const { world, put } = await openScene(t)
    const { id, as } = await makeKey(world, 'deploy script')
    const seen = (await exported(world)).at(-1)
    assert.deepEqual(seen?.detail, { call: 'postOperatorKey', outcome: 'created', id, members: 'name, access' })
    const other = await makeKey(as(), 'made by a named key')
    assert.equal((await provision(other.as(), 'PUT', '/v1/users/ada', { name: 'Ada Lovelace' })).status, 200)
    assert.equal((await put('users/ada', { name: 'Ada King' })).status, 200)
    assert.equal((await provision(as(), 'DELETE', `/v1/operator-keys/${id}`)).status, 204)
    const details = (await exported(world, `?after=${seen?.number}`)).map(({ actor, detail }) => ({ actor, ...detail }))
    const change = { actor: 'operator', call: 'putUser', outcome: 'changed', members: 'name' }
    const by = { operatorKeyId: id, operatorKeyName: 'deploy script' }
    assert.deepEqual(details, [
      { ...change, call: 'postOperatorKey', outcome: 'created', id: other.id, members: 'name, access', ...by },
      { ...change, operatorKeyId: other.id, operatorKeyName: 'made by a named key' },
      change,
      { actor: 'operator', call: 'deleteOperatorKey', outcome: 'removed', id, ...by },
    ])
  })

  test('our choice: a resource server can introspect tokens with a named operator key of either access, as Bearer or as the password of Basic', async (t) => {
    const { world } = await openScene(t)
    const client = await adaWithClient(world)
    const { json } = await redeem(world, client, await codeFor(world, await signedIn(world), client))
    for (const access of ['full', 'read'] as const) {
      const { id, key } = await makeKey(world, access, access)
      const basic = Buffer.from(`api.example:${key}`).toString('base64')
      const introspect = (authorization: string) =>
        postForm(`${world.baseUrl}/api/oauth/introspect`, { token: json.access_token }, { authorization })
      const ways = [`Bearer ${key}`, `Basic ${basic}`]
      for (const way of ways) assert.equal((await introspect(way)).json.active, true)
      await provision(world, 'DELETE', `/v1/operator-keys/${id}`)
      for (const way of ways) assert.equal((await introspect(way)).status, 401)
    }
  })
})

test('an operator key created on one node works on the other node, and once removed, it is refused from the next request on; removing an unknown key returns 404', async (t) => {
  const [one, other] = await openNodes(t)
  const { id, as } = await makeKey(one)
  for (const node of [one, other]) assert.equal((await provision(as(node), 'GET', '/v1/users/ada')).status, 404)
  const remove = () => provision(one, 'DELETE', `/v1/operator-keys/${id}`)
  const removed = await remove()
  assert.deepEqual([removed.status, removed.json], [204, undefined])
  for (const node of [one, other]) {
    assertProblem(await provision(as(node), 'GET', '/v1/users/ada'), 401, /^Send a valid operator key/)
    assertAnswer(await provision(node, 'GET', '/v1/operator-keys'), 200, { items: [], next: null })
  }
  assertProblem(await remove(), 404, /^There is no such operator key\. GET/)
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAnswer, assertProblem, botBody, madeAt, openScene } from './provisioning-scene.ts'

describe('POST /v1/runtimes', () => {
  test('201 contains the ID and, only this once, the key; GET returns the record, and the list of all runtimes', async (t) => {
    const { post, get } = await openScene(t)
    const made = await post('runtimes', { name: 'Rack 1', botIds: ['bot-1', 'bot-1'] })
    const { id, key } = made.json
    assert.match(key, /^svc_rk_[A-Za-z0-9]{43,}$/)
    const record = {
      id,
      name: 'Rack 1',
      ownerId: null,
      botIds: ['bot-1'],
      keyLastFour: key.slice(-4),
      keys: [{ number: 1, lastFour: key.slice(-4), madeAt, lastUsedAt: null, endsAt: null }],
      createdAt: madeAt,
    }
    assertAnswer(made, 201, { ...record, key })
    assertAnswer(await get(`runtimes/${id}`), 200, record)
    const { key: _, ...every } = (await post('runtimes', { name: 'Rack 2', botIds: '*' })).json
    assert.equal(every.botIds, '*')
    const { json } = await get('runtimes')
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name)
    assert.deepEqual(json.runtimes.toSorted(byName), [record, every])
    assertProblem(await get('runtimes/none'), 404, /no runtime none/)
  })

  test('unknown bots and invalid values are 400', async (t) => {
    const { post, remove, put } = await openScene(t)
    await put('bots/bot-2', { ...botBody, chatPlatformId: '12345678901234568' })
    await remove('bots/bot-2')
    for (const botIds of [['bot-1', 'nobody'], ['bot-2'], ['12345678901234567'], [], 'all', 7]) {
      assertProblem(await post('runtimes', { name: 'Rack', botIds }), 400, ['#/botIds'])
    }
    assertProblem(await post('runtimes', { name: ' ', botIds: '*' }), 400, ['#/name'])
  })

  test('our choice: DELETE removes the runtime, and its key is refused', async (t) => {
    const { world, post, remove } = await openScene(t)
    const { id, key } = (await post('runtimes', { name: 'Rack 1', botIds: '*' })).json
    assert.equal((await world.service.bots.runtimes.authenticate(key))?.runtime.id, id)
    assert.equal((await remove(`runtimes/${id}`)).status, 204)
    assert.equal(await world.service.bots.runtimes.authenticate(key), undefined)
    assertProblem(await remove(`runtimes/${id}`), 404, /no runtime/)
  })

  test('our choice: POST …/keys creates a key; the previous one works for 24 more hours or stops working immediately', async (t) => {
    const { world, post, get, remove } = await openScene(t)
    const { runtimes } = world.service.bots
    const { id, key: first } = (await post('runtimes', { name: 'Rack 1', botIds: '*' })).json
    const made = await post(`runtimes/${id}/keys`, {})
    const { key: second, ...record } = made.json
    const endsAt = new Date(Date.parse(madeAt) + 24 * 3_600_000).toISOString()
    assertAnswer(made, 201, {
      ...{ id, name: 'Rack 1', ownerId: null, botIds: '*', keyLastFour: second.slice(-4), createdAt: madeAt },
      keys: [
        { number: 2, lastFour: second.slice(-4), madeAt, lastUsedAt: null, endsAt: null },
        { number: 1, lastFour: first.slice(-4), madeAt, lastUsedAt: null, endsAt },
      ],
      key: second,
    })
    assertAnswer(await get(`runtimes/${id}`), 200, record)
    for (const key of [first, second]) assert.equal((await runtimes.authenticate(key))?.runtime.id, id)

    const third = (await post(`runtimes/${id}/keys`, { keyBefore: 'ends-now' })).json
    assert.deepEqual(
      third.keys.map(({ number }: { number: number }) => number),
      [3],
    )
    for (const key of [first, second]) assert.equal(await runtimes.authenticate(key), undefined)

    await post(`runtimes/${id}/keys`, { keyBefore: 'ends-in-24-hours' })
    assertProblem(await remove(`runtimes/${id}/keys/4`), 409, /current key/)
    assert.equal((await remove(`runtimes/${id}/keys/3`)).status, 204)
    assert.equal(await runtimes.authenticate(third.key), undefined)
    for (const number of ['3', '99', 'x']) {
      assertProblem(await remove(`runtimes/${id}/keys/${number}`), 404, /no active key/)
    }
    assertProblem(await post('runtimes/none/keys', {}), 404, /no such runtime/)
    assertProblem(await remove('runtimes/none/keys/1'), 404, /no such runtime/)
    assertProblem(await post(`runtimes/${id}/keys`, { keyBefore: 'never' }), 400, ['#/keyBefore'])
  })
})

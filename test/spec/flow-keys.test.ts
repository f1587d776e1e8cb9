import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { openBot, provision, send, shown, testOrigin } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { openWorld, type World } from '../support/world.ts'

const hourMs = 3_600_000
const by = { userId: parseUserId('ada')!, origin: testOrigin }

async function postWebhook(world: World, address: string, key?: string): Promise<number> {
  const headers: Record<string, string> = key === undefined ? {} : { 'svc-key': key }
  return (await fetch(`${world.apiUrl}/${address}`, { method: 'POST', headers })).status
}

test('our choice: a previous flow key works for another 24 hours; the key list shows when each key was created, was last used and expires, and only its last four characters', async (t) => {
  const world = await openWorld(t)
  const { botId, flowId, path, key } = await provisionListeningBot(world.service, { requiresKey: true })
  const { flows } = world.service.bots
  const keys = async () => (await flows.find(botId, flowId))?.webhook?.keys ?? []
  const startMs = world.clock.nowMs()
  // Jumps instead of advancing, which would run the once-a-minute task that stores the last use of keys.
  world.clock.jump(hourMs)
  const { clearTextKey: second } = await flows.makeKey(botId, flowId, { by, keyBefore: 'ends-in-24-hours' })
  const statuses = () => Promise.all([key, second].map((each) => postWebhook(world, `${botId}/${path}`, each)))
  world.clock.jump(hourMs)
  assert.equal(await postWebhook(world, `${botId}/${path}`, key), 202)
  // Accepting a webhook does not store the key’s last use. A task does so once a minute.
  assert.deepEqual(pluck(await keys(), 'lastUsedAtMs'), [null, null])
  await world.clock.advance(60_000)
  await world.service.webhooks.recordKeyUse()
  const endsAtMs = startMs + 25 * hourMs
  assert.deepEqual(
    (await keys()).map(({ number: _, ...key }) => key),
    [
      { lastFour: second.slice(-4), createdAtMs: startMs + hourMs, lastUsedAtMs: null, endsAtMs: null },
      { lastFour: key.slice(-4), createdAtMs: startMs, lastUsedAtMs: startMs + 2 * hourMs, endsAtMs },
    ],
  )
  await world.clock.advance(endsAtMs - 1 - world.clock.nowMs())
  assert.deepEqual(await statuses(), [202, 202])
  await world.clock.advance(1)
  assert.deepEqual(await statuses(), [401, 202])
})

describe('A flow key that the owner creates is required until the owner turns the requirement off', () => {
  async function openUnkeyed(t: TestContext) {
    const scene = await openBot(t)
    const { world } = scene
    const put = (webhook: object = {}) =>
      provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', {
        kind: 'event',
        name: 'Orders',
        webhook: { path: 'orders', requiresKey: false, ...webhook },
      })
    await put()
    const post = (key?: string) => postWebhook(world, 'bot-1/orders', key)
    const ada = await scene.as('ada')
    const address = scene.at('/bots/bot-1/flows/orders')
    const stop = async () => ada.submitAt(address, {}, '/key-requirement')
    const require = async () => ada.submitAt(`${address}/key-requirement`, {}, '/key-requirement')
    const made = async (fields: Record<string, string> = {}) =>
      shown(await ada.submitAt(`${address}/key`, fields, '/key'), 'flow-key')
    /** Returns the labels of the buttons in the section about keys. */
    const buttons = async () => {
      const [, section = ''] = /<section[^>]*id="keys"([\s\S]*?)<\/section>/.exec((await ada.get(address)).text) ?? []
      return [...section.matchAll(/<button[^>]*>([^<]+)<\/button>/g)].map(([, label]) => label)
    }
    return { ...scene, put, post, ada, address, stop, require, made, buttons }
  }

  test('a flow key that the owner created is required from the next webhook on, even if provisioning sets requiresKey to false', async (t) => {
    const { put, post, ada, address, made } = await openUnkeyed(t)
    assert.equal(await post(), 202)
    assert.match((await ada.get(address)).text, /No key required/)
    const key = await made()
    assert.deepEqual([await post(), await post('wrong'), await post(key)], [401, 401, 202])
    const { json } = await put()
    assert.deepEqual(
      [json.webhook.requiresKey, json.webhook.keyLastFour, json.webhook.key],
      [true, key.slice(-4), undefined],
    )
    assert.deepEqual([await post(), await post(key)], [401, 202])
    assert.match((await ada.get(address)).text, /Key required/)
  })

  test('a flow without a key offers only to create one, and a request to require one asks and changes nothing', async (t) => {
    const { world, post, ada, address, require, made, buttons } = await openUnkeyed(t)
    assert.deepEqual(await buttons(), ['Create key'])
    const posted = await send(ada, world, '/bots/bot-1/flows/orders/key-requirement', { required: 'yes' })
    for (const asked of [await ada.get(`${address}/key-requirement`), posted]) {
      assert.equal(asked.status, 200)
      assert.match(asked.text, /<h1>Create a key for Orders\?<\/h1>/)
    }
    assert.equal(await post(), 202)
    assert.deepEqual(await buttons(), ['Create key'])

    const key = await made({ requirement: 'optional' })
    assert.deepEqual([await post(), await post(key)], [202, 202], 'the first key can stay optional')
    assert.deepEqual(await buttons(), ['Replace key', 'Require key'])
    const asked = await ada.get(`${address}/key-requirement`)
    assert.match(asked.text, /<h1>Require the key of Orders\?<\/h1>/)
    assert.match(
      asked.text,
      new RegExp(`Webhooks without the key <code>••••${key.slice(-4)}</code> are then rejected with 401\\.`),
    )
    assert.equal(await post(), 202, 'asking changes nothing')
    assert.equal((await require()).status, 303)
    assert.deepEqual([await post(), await post(key)], [401, 202])
    assert.deepEqual(await buttons(), ['Replace key', 'Stop requiring key'])
  })

  test('the owner switches the key requirement off and on again', async (t) => {
    const { world, put, post, ada, stop, require, made } = await openUnkeyed(t)
    const key = await made()
    const off = await stop()
    assert.equal(off.status, 303)
    assert.match(
      (await ada.onward(off, world)).text,
      /No key is required\. Anyone who knows the URL can start this flow\./,
    )
    assert.deepEqual([await post(), await post(key)], [202, 202])
    assert.equal((await put()).json.webhook.requiresKey, false)
    assert.equal((await require()).status, 303)
    assert.deepEqual([await post(), await post(key)], [401, 202])

    assert.equal(
      (await put({ key: null })).json.webhook.requiresKey,
      false,
      'a key that provisioning removes is not required',
    )
    const kinds = (await world.service.audit.after(0, 1_000)).map(({ kind, detail }) => [kind, detail.members])
    assert.deepEqual(
      kinds.filter(([kind]) => kind === 'flow-changed'),
      [
        ['flow-changed', 'ownerRequiresKey'],
        ['flow-changed', 'ownerRequiresKey'],
      ],
    )
  })
})

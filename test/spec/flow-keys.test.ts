import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBot, send, shown } from '../support/people.ts'
import type { World } from '../support/world.ts'

async function postWebhook(world: World, address: string, key?: string): Promise<number> {
  const headers: Record<string, string> = key === undefined ? {} : { 'svc-key': key }
  return (await fetch(`${world.apiUrl}/${address}`, { method: 'POST', headers })).status
}

test('a flow key that the owner creates is required, also if provisioning sets requiresKey to false, unless the owner keeps it optional or turns the requirement off', async (t) => {
  const { world, ada, at, putFlow } = await openBot(t)
  await putFlow()
  const statuses = async (...keys: (string | undefined)[]) =>
    Promise.all(keys.map((key) => postWebhook(world, 'bot-1/orders', key)))
  const address = at('/bots/bot-1/flows/orders')
  const create = async (fields: Record<string, string>) =>
    shown(await ada.submitAt(`${address}/key`, fields, '/key'), 'flow-key')
  /** Returns the labels of the buttons in the section about keys. */
  const buttons = async () => {
    const [, section = ''] = /<section[^>]*id="keys"([\s\S]*?)<\/section>/.exec((await ada.get(address)).text) ?? []
    return [...section.matchAll(/<button[^>]*>([^<]+)<\/button>/g)].map(([, label]) => label)
  }

  assert.match((await ada.get(address)).text, /No key required/)
  const posted = await send(ada, world, '/bots/bot-1/flows/orders/key-requirement', { required: 'yes' })
  for (const asked of [await ada.get(`${address}/key-requirement`), posted]) {
    assert.match(asked.text, /<h1>Create a key for Orders\?<\/h1>/)
  }
  assert.deepEqual([await buttons(), await statuses(undefined)], [['Create key'], [202]], 'asking changes nothing')

  const first = await create({ requirement: 'optional' })
  assert.deepEqual(await statuses(undefined, first), [202, 202])
  assert.deepEqual(await buttons(), ['Replace key', 'Require key'])
  const question = await ada.get(`${address}/key-requirement`)
  assert.match(question.text, /<h1>Require the key of Orders\?<\/h1>/)
  assert.match(question.text, new RegExp(`the key <code>••••${first.slice(-4)}</code> are then rejected with 401\\.`))
  assert.equal((await ada.submit(question, {}, '/key-requirement')).status, 303)
  assert.deepEqual(await statuses(undefined, first), [401, 202])
  assert.deepEqual(await buttons(), ['Replace key', 'Stop requiring key'])

  const off = await ada.onward(await ada.submitAt(address, {}, '/key-requirement'), world)
  assert.match(off.text, /No key is required\. Anyone who knows the URL can start this flow\./)
  assert.deepEqual(await statuses(undefined, first), [202, 202])
  assert.equal((await putFlow()).requiresKey, false)

  const second = await create({})
  assert.deepEqual(await statuses(undefined, 'wrong', second), [401, 401, 202])
  const { requiresKey, keyLastFour, key } = await putFlow()
  assert.deepEqual([requiresKey, keyLastFour, key], [true, second.slice(-4), undefined])
  assert.deepEqual(await statuses(undefined, second), [401, 202])
  assert.equal((await putFlow({ key: null })).requiresKey, false, 'a key that provisioning removes is not required')
  const changes = (await world.service.audit.after(0, 1_000)).filter(({ kind }) => kind === 'flow-changed')
  const changed = changes.map(({ detail }) => detail.members)
  assert.deepEqual(changed, ['ownerRequiresKey', 'ownerRequiresKey'])
})

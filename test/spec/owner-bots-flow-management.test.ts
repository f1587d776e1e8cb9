import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { openScene, secretIn, send } from '../support/bot-people.ts'
import { fieldErrorOf } from '../support/page-words.ts'
import { provision } from '../support/people.ts'

describe('our choice: creating and removing flows on the bot’s pages, with OWNER_FLOWS=on', () => {
  test('the owner creates a flow, sees its key once, and removes it after a confirmation', async (t) => {
    const { world, as, at } = await openScene(t, { OWNER_FLOWS: 'on' })
    const browser = await as('ada')
    const list = await browser.get(at('/bots/bot-1/flows'))
    assert.match(list.text, /Create one to receive webhooks/)
    const made = await browser.submit(list, { name: 'Orders', path: ' /orders ' }, '/bots/bot-1/flows')
    assert.equal(made.status, 200)
    const key = secretIn(made.text, 'flow-key')
    assert.match(key, /^svc_fk_/)
    const post = (headers: Record<string, string>) =>
      fetch(`${world.apiUrl}/bot-1/orders`, { method: 'POST', headers, body: '{}' })
    assert.deepEqual([(await post({})).status, (await post({ 'svc-key': key })).status], [401, 202])

    const flowPath = /href="(\/bots\/bot-1\/flows\/\w+)"/.exec((await browser.get(at('/bots/bot-1/flows'))).text)?.[1]
    const flow = await browser.get(at(flowPath ?? ''))
    assert.match(flow.text, new RegExp(`href="${flowPath}/removal"`))
    const question = await browser.get(at(`${flowPath}/removal`))
    assert.match(question.text, /<h1>Remove Orders\?<\/h1>/)
    const gone = await browser.submit(question, {}, '/removal')
    assert.equal(gone.location?.pathname, '/bots/bot-1/flows')
    assert.match((await browser.onward(gone, world)).text, /Flow removed\./)
    assert.equal((await post({ 'svc-key': key })).status, 404)
    const kinds = (await exported(world)).map(({ kind }) => kind).filter((kind) => kind.startsWith('flow-'))
    assert.deepEqual(kinds, ['flow-created', 'flow-removed'])
  })

  test('a flow form with faults is shown again with its input and creates nothing', async (t) => {
    const { world, as, at } = await openScene(t, { OWNER_FLOWS: 'on' })
    const webhook = { path: 'orders', requiresKey: false }
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', { kind: 'event', name: 'Orders', webhook })
    const browser = await as('ada')
    const create = (fields: Record<string, string>) => send(browser, world, '/bots/bot-1/flows', fields)
    const bad = await create({ name: ' ', path: 'a b' })
    assert.equal(bad.status, 422)
    for (const fault of [/Enter a name\./, /Use 1 to 100 letters/, / value="a b"/]) assert.match(bad.text, fault)
    for (const path of ['github/../x', '..', 'x/%2E%2e']) {
      const dots = await create({ name: 'Orders', path })
      assert.equal(
        fieldErrorOf(dots, 'path'),
        'Remove the segments . and .., because HTTP clients change URLs that contain them.',
      )
    }
    const taken = await create({ name: 'Again', path: 'orders' })
    assert.match(taken.text, /Another flow of this bot uses this path/)
    const { text } = await browser.get(at('/bots/bot-1/flows'))
    assert.equal([...text.matchAll(/href="\/bots\/bot-1\/flows\/[^"]+"/g)].length, 1)
  })

  test('only the owner sees the flow form and can send it; with OWNER_FLOWS off, no user can', async (t) => {
    const { world, as, at } = await openScene(t, { OWNER_FLOWS: 'on' })
    const editor = await as('ed')
    const form = { name: 'Orders', path: 'orders' }
    assert.doesNotMatch((await editor.get(at('/bots/bot-1/flows'))).text, /New flow/)
    assert.equal((await send(editor, world, '/bots/bot-1/flows', form)).status, 403)
    const other = await openScene(t)
    const owner = await other.as('ada')
    assert.doesNotMatch((await owner.get(other.at('/bots/bot-1/flows'))).text, /New flow/)
    assert.equal((await send(owner, other.world, '/bots/bot-1/flows', form)).status, 404)
  })
})

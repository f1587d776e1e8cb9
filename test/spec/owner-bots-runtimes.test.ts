import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene, secretIn, send } from '../support/bot-people.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { fieldErrorOf } from '../support/page-words.ts'
import { provision } from '../support/people.ts'

describe('our choice: runtimes on the bot pages', () => {
  test('the owner creates a runtime with a key that is shown once, replaces its key and removes the runtime', async (t) => {
    const { world, as, at } = await openScene(t)
    const browser = await as('ada')
    const page = await browser.get(at('/bots/bot-1/runtimes'))
    const made = await browser.submit(page, { name: 'Attic', hosts: 'this' }, '/runtimes')
    const key = secretIn(made.text, 'runtime-key')
    assert.match(key, /^svc_rk_\w+$/)
    const { welcome } = await BotRuntime.ready(t, world, key)
    assert.deepEqual(welcome.bots, ['bot-1'])
    const list = await browser.get(at('/bots/bot-1/runtimes'))
    assert.match(list.text, /Attic/)
    assert.doesNotMatch(list.text, new RegExp(key))

    const [, keyPage = ''] = /href="([^"]*\/key)"/.exec(list.text) ?? []
    const replaced = await browser.submit(await browser.get(at(keyPage)), { key_before: 'ends-now' }, '/key')
    const second = secretIn(replaced.text, 'runtime-key')
    const old = new BotRuntime(t, world, { key })
    assert.equal((await old.closed).code, 4001)
    const { runtime } = await BotRuntime.ready(t, world, second)
    const [, removal = ''] = /href="([^"]*\/removal)"/.exec(list.text) ?? []
    const removed = await browser.submit(await browser.get(at(removal)), {}, '/removal')
    assert.equal(removed.location?.search, '')
    assert.equal((await runtime.closed).code, 4001)
    assert.ok(!world.logs().includes(second))
  })

  test('a runtime of the platform that hosts the bot is shown as connected', async (t) => {
    const { world, as, at } = await openScene(t)
    const browser = await as('ada')
    const page = async () => (await browser.get(at('/bots/bot-1/runtimes'))).text
    assert.match(await page(), /None of your runtimes hosts this bot/)
    await provision(world, 'PUT', '/v1/bots/bot-1', { hostingEnabled: true })
    const { json } = await provision(world, 'POST', '/v1/runtimes', { name: 'platform', botIds: ['bot-1'] })
    const { runtime } = await BotRuntime.ready(t, world, json.key)
    const report = { ready: true, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 }
    await runtime.heartbeat([], [{ botId: 'bot-1', ...report }])
    assert.match(await page(), /Runtime of the platform[\s\S]*Connected[\s\S]*Last heartbeat/)
    assert.doesNotMatch(await page(), /None of your runtimes/)
  })

  test('an invalid runtime name shows an error at its field', async (t) => {
    const { as, at } = await openScene(t)
    const browser = await as('ada')
    const refused = await browser.submit(
      await browser.get(at('/bots/bot-1/runtimes')),
      { name: ' ', hosts: 'all' },
      '/runtimes',
    )
    assert.equal(refused.status, 422)
    assert.equal(fieldErrorOf(refused, 'name'), 'Enter a name.')
    assert.match(refused.text, /value="all" checked/)
  })

  test('only the owner can see and create runtimes', async (t) => {
    const { world, as, at } = await openScene(t)
    for (const [name, status] of [
      ['ed', 403],
      ['vi', 403],
      ['stan', 404],
    ] as const) {
      const browser = await as(name)
      assert.equal((await browser.get(at('/bots/bot-1/runtimes'))).status, status)
      assert.equal((await send(browser, world, '/bots/bot-1/runtimes', { name: 'x' })).status, status)
      if (status === 403) assert.doesNotMatch((await browser.get(at('/bots/bot-1'))).text, /\/runtimes"/)
    }
  })
})

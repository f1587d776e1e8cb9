import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene, send } from '../support/bot-people.ts'
import { titleOf } from '../support/page-words.ts'
import { Browser, provision } from '../support/people.ts'
import type { World } from '../support/world.ts'

async function botOf(world: World) {
  return (await provision(world, 'GET', '/v1/bots/bot-1')).json
}

describe('our choice: {base_url}/bots (decision 0024)', () => {
  test('a signed-out visitor of the bot pages is sent to sign-in, and their forms are refused', async (t) => {
    const { world, at } = await openScene(t)
    const nobody = new Browser()
    for (const path of ['/bots', '/bots/bot-1', '/bots/bot-1/logs', '/bots/bot-1/coworkers', '/bots/nothing']) {
      const answer = await nobody.get(at(path))
      assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'], path)
    }
    const answer = await send(nobody, world, '/bots/bot-1/hosting', { hosting: 'off' })
    assert.equal(answer.status, 403, 'a form without the cookie is refused')
    assert.equal((await botOf(world)).hostingEnabled, true)
  })

  test('another user’s bot and an unknown bot get the same 404, on every page and for every form', async (t) => {
    const { world, as, at } = await openScene(t)
    const stan = await as('stan')
    const without = (text: string) => text.replace(/value="[^"]*"/g, '')
    const webhook = { path: 'f', requiresKey: false }
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/f', { kind: 'event', name: 'F', webhook })
    const pages = [
      ...['', '/logs', '/coworkers', '/coworkers/ed', '/coworkers/ed/removal', '/flows', '/flows/f', '/flows/f/key'],
      ...['/deliveries', '/deliveries/1', '/runtimes', '/dead-letters/discard'],
    ]
    for (const path of pages) {
      const theirs = await stan.get(at(`/bots/bot-1${path}`))
      const unknown = await stan.get(at(`/bots/nothing${path}`))
      assert.equal(theirs.status, 404, path)
      assert.equal(without(theirs.text), without(unknown.text), path)
      assert.equal(titleOf(theirs), 'Bot not found · Gatehouse')
    }
    const forms = ['/hosting', '/location', '/public-status', '/coworkers', '/coworkers/ed', '/coworkers/ed/removal']
    for (const path of forms) {
      const theirs = await send(stan, world, `/bots/bot-1${path}`, { hosting: 'off', public: 'yes' })
      const unknown = await send(stan, world, `/bots/nothing${path}`, { hosting: 'off', public: 'yes' })
      assert.equal(theirs.status, 404, path)
      assert.equal(without(theirs.text), without(unknown.text), path)
    }
    assert.deepEqual([(await botOf(world)).hostingEnabled, (await botOf(world)).publicStatus], [true, false])
    assert.equal((await stan.get(at('/bots/%00'))).status, 404)
  })

  test('a form of the bot pages without its form token is refused and changes nothing', async (t) => {
    const { world, as, at } = await openScene(t)
    const browser = await as('ada')
    await browser.get(at('/bots/bot-1'))
    for (const path of ['hosting', 'location', 'public-status', 'coworkers', 'coworkers/ed', 'coworkers/ed/removal']) {
      const answer = await browser.post(
        at(`/bots/bot-1/${path}`),
        new URLSearchParams({ hosting: 'off', public: 'yes' }),
      )
      assert.equal(answer.status, 403, path)
    }
    assert.deepEqual([(await botOf(world)).hostingEnabled, (await botOf(world)).publicStatus], [true, false])
    assert.equal((await provision(world, 'GET', '/v1/bots/bot-1/coworkers/ed')).status, 200)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene, send } from '../support/bot-people.ts'
import { titleOf } from '../support/page-words.ts'
import { provision } from '../support/people.ts'
import type { World } from '../support/world.ts'

async function botOf(world: World) {
  return (await provision(world, 'GET', '/v1/bots/bot-1')).json
}

describe('our choice: {base_url}/bots (decision 0024)', () => {
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
})

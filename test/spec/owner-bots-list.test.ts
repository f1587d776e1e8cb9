import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/bot-people.ts'
import { provision } from '../support/people.ts'

describe('our choice: {base_url}/bots (decision 0024)', () => {
  test('the list of bots shows a user’s own and shared bots with their state; without any bots it explains how to get a bot', async (t) => {
    const { world, as, at } = await openScene(t)
    const own = await (await as('ada')).get(at('/bots'))
    assert.match(own.text, /<a href="\/bots\/bot-1">Weather<\/a>/)
    await world.service.bots.heartbeats.record([
      { botId: 'bot-1' as never, ready: true, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 },
    ])
    assert.match((await (await as('ada')).get(at('/bots'))).text, /Online/)
    assert.match((await (await as('vi')).get(at('/bots'))).text, /Weather<\/a> <span class="tag">Viewer/)
    const none = await (await as('stan')).get(at('/bots'))
    assert.match(none.text, /No bots yet/)
    assert.doesNotMatch(none.text, /Weather/)
  })

  test('a bot that never connected is not shown as offline, in the list and on its overview', async (t) => {
    const { world, as, at } = await openScene(t)
    const ada = await as('ada')
    const shown = async (language: string) => {
      await ada.get(at(`/appearance/language/${language}`))
      const pages = await Promise.all(['/bots', '/bots/bot-1'].map((path) => ada.get(at(path))))
      return pages.map(({ text }) =>
        /<span class="state (\w+)">(?:<svg.*?<\/svg>)?([^<]*)<\/span>/s.exec(text)?.slice(1).join(' '),
      )
    }
    assert.deepEqual(await shown('en'), ['neutral Not connected yet', 'neutral Not connected yet'])
    assert.deepEqual(await shown('de'), ['neutral Noch nie verbunden', 'neutral Noch nie verbunden'])
    await world.service.bots.heartbeats.record([
      { botId: 'bot-1' as never, ready: true, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 },
    ])
    await world.clock.advance(120_000)
    assert.deepEqual(await shown('en'), ['bad Offline', 'bad Offline'])
  })

  test('the list of bots shows 25 bots at a time', async (t) => {
    const { world, as, at } = await openScene(t)
    for (let number = 0; number < 30; number += 1) {
      const chatPlatformId = `2345678901234567${String(number).padStart(2, '0')}`
      await provision(world, 'PUT', `/v1/bots/b-${number}`, { ownerId: 'stan', name: `B ${number}`, chatPlatformId })
    }
    const stan = await as('stan')
    const count = (text: string) => text.match(/href="\/bots\/b-\d+"/g)?.length
    assert.equal(count((await stan.get(at('/bots'))).text), 25)
    assert.equal(count((await stan.get(at('/bots?page=2'))).text), 5)
    assert.equal(count((await stan.get(at('/bots?page=99'))).text), 5)
    assert.equal(count((await stan.get(at('/bots?page=-1x'))).text), 25)
  })
})

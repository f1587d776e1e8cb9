import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBot, provision, visibleWordsIn } from '../support/people.ts'

describe('our choice: {base_url}/bots (decision 0024)', () => {
  test('the list of bots shows a user’s own and shared bots with their state, as does the overview: one that never connected is not offline; without any bots the list explains how to get one', async (t) => {
    const { world, as, at } = await openBot(t)
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
    assert.match((await shown('en'))[0] ?? '', /Online/)
    await world.clock.advance(120_000)
    assert.deepEqual(await shown('en'), ['bad Offline', 'bad Offline'])

    const own = await ada.get(at('/bots'))
    assert.match(own.text, /<a class="row-link" href="\/bots\/bot-1" title="Weather">Weather<\/a>/)
    assert.match((await (await as('vi')).get(at('/bots'))).text, /Weather<\/a> <span class="tag">Viewer/)
    const none = await (await as('stan')).get(at('/bots'))
    assert.match(none.text, /No bots yet/)
    assert.doesNotMatch(none.text, /Weather/)
  })

  test('the list of bots says how many need attention, and shows each bot’s last 24 hours and no column without content', async (t) => {
    const { world, as, at } = await openBot(t)
    const ada = await as('ada')
    const before = await ada.get(at('/bots'))
    const headers = (text: string) => [...text.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(([, title]) => title)
    assert.deepEqual(headers(before.text), ['Bot', 'State', 'Undelivered', 'Dead letters, 24 h'])
    assert.match(visibleWordsIn(before), /None needs attention, 0 online/)
    const put = await provision(world, 'PUT', '/v1/bots/bot-1', {
      ...{ ownerId: 'ada', name: 'Weather', chatPlatformId: '123456789012345678' },
      hostingEnabled: true,
      hostingLocation: 'local',
    })
    assert.equal(put.status, 200)
    const { heartbeats } = world.service.bots
    await world.clock.advance(120_000)
    await heartbeats.record([
      { botId: 'bot-1' as never, ready: true, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 },
    ])
    await world.clock.advance(60_000)
    const online = await ada.get(at('/bots'))
    assert.deepEqual(headers(online.text).slice(2, 3), ['Last 24 hours'])
    assert.deepEqual(headers(online.text).slice(-2), ['Location', 'Last heartbeat'])
    assert.match(online.text, /<svg role="img" aria-label="100 % online"[^>]*>(<rect [^>]*>)*<rect class="up" x="92"/)
    assert.match(visibleWordsIn(online), /None needs attention, 1 online/)
    await world.clock.advance(90_000)
    const lost = await ada.get(at('/bots'))
    assert.match(lost.text, /<svg role="img" aria-label="60.00 % online"[^>]*>.*<rect class="down" x="92"/)
    assert.match(visibleWordsIn(lost), /1 needs attention, 0 online/)
  })
})

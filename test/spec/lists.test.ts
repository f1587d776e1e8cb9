import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BotRuntime, reportOf, untilStored } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { type Answer, openBot, provision, visibleWordsIn } from '../support/people.ts'
import { pluck } from '../support/together.ts'

/** Returns the IDs in the list of bots, in its order. */
const botsIn = ({ text }: Answer) => pluck(text.matchAll(/<a class="row-link" href="\/bots\/([\w-]+)"/g), 1)

describe('our choice: lists of bots and flows', () => {
  test('the list of bots shows a user’s own and shared bots with their state, as does the overview: one that never connected is not offline; without any bots the list explains how to get one', async (t) => {
    const { world, ada, as, at } = await openBot(t)
    const shown = async (language: string) => {
      await ada.get(at(`/appearance/language/${language}`))
      const pages = await Promise.all(['/bots', '/bots/bot-1'].map((path) => ada.get(at(path))))
      return pages.map(({ text }) =>
        /<span class="state (\w+)">(?:<svg.*?<\/svg>)?([^<]*)<\/span>/s.exec(text)?.slice(1).join(' '),
      )
    }
    assert.deepEqual(await shown('en'), ['neutral Not connected yet', 'neutral Not connected yet'])
    assert.deepEqual(await shown('de'), ['neutral Noch nie verbunden', 'neutral Noch nie verbunden'])
    world.service.bots.heartbeats.record([reportOf('bot-1')])
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
    const { world, ada, at, putBot } = await openBot(t)
    const before = await ada.get(at('/bots'))
    const headers = (text: string) => pluck(text.matchAll(/<th scope="col"[^>]*>([^<]*)</g), 1)
    assert.deepEqual(headers(before.text), ['Bot', 'State', 'Undelivered', 'Dead letters, 24 h'])
    assert.match(visibleWordsIn(before), /None needs attention, 0 online/)
    await putBot({ hostingLocation: 'local' })
    await world.clock.advance(120_000)
    world.service.bots.heartbeats.record([reportOf('bot-1')])
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

  test('a long list of bots can be searched and sorted across its pages', async (t) => {
    const { world, as, at } = await openBot(t)
    const put = async (number: number, name: string, hostingEnabled: boolean) => {
      const chatPlatformId = `2345678901234567${String(number).padStart(2, '0')}`
      await provision(world, 'PUT', `/v1/bots/b-${number}`, { ownerId: 'stan', name, chatPlatformId, hostingEnabled })
    }
    for (let number = 0; number < 30; number += 1) await put(number, `B ${29 - number}`, number === 17)
    await put(30, '<b>"odd"', false)
    const stan = await as('stan')
    const listed = async (query: string) => botsIn(await stan.get(at(`/bots${query}`)))
    assert.deepEqual((await listed('?sort=oldest')).slice(0, 2), ['b-0', 'b-1'])
    assert.deepEqual((await listed('')).slice(0, 3), ['b-30', 'b-29', 'b-28'])
    assert.deepEqual((await listed('?sort=name&page=1&search=B%202')).slice(0, 3), ['b-27', 'b-9', 'b-8'])
    for (const [query, count] of Object.entries({ '?sort=none': 25, '?page=2': 6, '?page=99': 6, '?page=-1x': 25 })) {
      assert.equal((await listed(query)).length, count, query)
    }
    const page = await stan.get(at('/bots?search=%3Cb%3E%22odd'))
    assert.match(page.text, /name="search"[^>]* value="&lt;b&gt;&quot;odd"/)
    assert.match(visibleWordsIn(page), /1 of 31 match\./)
    assert.match(visibleWordsIn(await stan.get(at('/bots?search=nothing'))), /0 of 31 match\..*Nothing matches/)
    const next = await stan.openLink(await stan.get(at('/bots?sort=name&search=b')), 'Next page')
    assert.equal(next.url, at('/bots?search=b&sort=name&page=2'))
  })

  test('the list of bots counts waiting webhooks and dead letters, links to them and begins with bots that need attention: was online and isn’t, dead letters, waiting without a runtime, the rest', async (t) => {
    const { world, as, at } = await openBot(t)
    const bots = ['never', 'off', 'waiting', 'crowded', 'lost', 'more-lost', 'was-online', 'online'] as const
    for (const [index, id] of bots.entries()) {
      const chatPlatformId = `34567890123456780${index}`
      const hostingEnabled = id !== 'off'
      await provision(world, 'PUT', `/v1/bots/${id}`, { ownerId: 'stan', name: id, chatPlatformId, hostingEnabled })
      const webhook = { path: 'hook', requiresKey: false }
      await provision(world, 'PUT', `/v1/bots/${id}/flows/f`, { kind: 'event', name: 'F', webhook })
    }
    const post = async (id: string, count: number) => {
      for (let n = 0; n < count; n += 1) await fetch(`${world.apiUrl}/${id}/hook`, { method: 'POST', body: 'x' })
    }
    const runtimeOf = async (botIds: string[]) => {
      const { json } = await provision(world, 'POST', '/v1/runtimes', { name: 'r', botIds })
      return (await BotRuntime.ready(t, world, json.key)).runtime
    }
    const loser = await runtimeOf(['lost', 'more-lost'])
    await post('lost', 1)
    await post('more-lost', 2)
    for (const { botId, delivery, id: event } of await loser.deliveries(3)) {
      loser.send({ type: 'nack', delivery, error: 'no', dead: true })
      await untilStored(world, botId, event)
    }
    world.service.bots.heartbeats.record([reportOf('was-online')])
    await world.clock.advance(100_000)
    world.service.bots.heartbeats.record([reportOf('online')])
    await post('crowded', 3)
    await post('waiting', 1)
    const stan = await as('stan')
    const expected = ['was-online', 'more-lost', 'lost', 'crowded', 'waiting', 'never', 'off', 'online']
    const { text } = await eventually(async () => {
      const page = await stan.get(at('/bots'))
      return String(botsIn(page)) === String(expected) ? page : undefined
    })
    assert.match(text, /<a href="\/bots\/crowded\/deliveries\?state=ready">3<\/a>/)
    assert.match(text, /<a href="\/bots\/more-lost\/deliveries\?state=dead">2<\/a>/)
    assert.doesNotMatch(text, /role="search"/, 'a short list has no search field')
  })

  test('a long list of flows can be searched by name, ID and path, counts the dead letters of the last 24 hours, links to them and sorts by them', async (t) => {
    const { world, as, at, putFlow } = await openBot(t)
    for (let number = 0; number < 12; number += 1) {
      await putFlow({ path: `path-${number}` }, `f-${number}`, `F ${number}`)
    }
    const viewer = await as('vi')
    for (const search of ['F%2011', 'f-11', 'PATH-11']) {
      const { text } = await viewer.get(at(`/bots/bot-1/flows?search=${search}`))
      assert.deepEqual(text.match(/href="\/bots\/bot-1\/flows\/f-\d+"/g), ['href="/bots/bot-1/flows/f-11"'], search)
    }

    const { json } = await provision(world, 'POST', '/v1/runtimes', { name: 'r', botIds: ['bot-1'] })
    const { runtime } = await BotRuntime.ready(t, world, json.key)
    await fetch(`${world.apiUrl}/bot-1/path-8`, { method: 'POST', body: 'x' })
    const { delivery } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, error: 'no', dead: true })
    await runtime.heartbeat()
    const text = await advanceUntil(world.clock, async () => {
      const { text } = await viewer.get(at('/bots/bot-1/flows?sort=attention'))
      return /<a href="\/bots\/bot-1\/deliveries\?state=dead&(amp;)?flow=f-8">1<\/a>/.test(text) && text
    })
    assert.equal(/<a class="row-link" href="\/bots\/bot-1\/flows\/([^"]*)"/.exec(text)?.[1], 'f-8')
    await world.clock.advance(25 * 3_600_000)
    assert.doesNotMatch((await (await as('vi')).get(at('/bots'))).text, /deliveries\?state=dead/)
  })
})

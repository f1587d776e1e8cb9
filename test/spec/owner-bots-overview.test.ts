import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withQueue } from '../support/bot-deliveries.ts'
import { BotRuntime, makeRuntime, reportOf, untilStored } from '../support/bot-runtime.ts'
import { advanceUntil } from '../support/eventually.ts'
import { assertShows, fieldErrorOf, openBot, provision, shown, textIn, visibleWordsIn } from '../support/people.ts'

describe('our choice: a bot’s overview and its runtimes’ connections', () => {
  test('a new bot’s overview lists set-up steps, which disappear with the bot’s first heartbeat; a disconnected runtime is shown with the time it was last seen, its name only to the owner', async (t) => {
    const { world, ada, as, at } = await openBot(t)
    const bot = { ownerId: 'ada', name: 'New', chatPlatformId: '517517517517517517', hostingEnabled: false }
    await provision(world, 'PUT', '/v1/bots/new', bot)
    const overview = async () => textIn((await ada.get(at('/bots/new'))).text)
    assert.match(await overview(), /Hosting off .* 0 of 4 done .* None waiting .* Never connected/)
    assert.match((await ada.get(at('/bots/new/deliveries'))).text, /No webhooks yet/)
    await ada.submitAt(at('/bots/new'), { hosting: 'on' }, '/hosting')
    const made = await ada.submitAt(at('/bots/new/runtimes'), { name: 'Attic' }, '/runtimes')
    const key = shown(made, 'runtime-key')
    assert.match(made.text, new RegExp(`GATEHOUSE_RUNTIME_KEY=${key} node bot.mjs`))
    assert.ok(made.text.includes(`url: &#39;${world.apiUrl}&#39;`), 'the command has the URL of this service')
    assert.match(await overview(), /2 of 4 done/)
    const { runtime } = await BotRuntime.ready(t, world, key, { instance: 'cellar', agent: 'lamp/3' })
    assert.match(await overview(), /2 of 4 done .* Connected Attic, connected just now/)
    await runtime.heartbeat([], [{ botId: 'new', ready: true }])
    const online = await overview()
    assert.match(online, /Online .* Connected Attic/)
    assert.doesNotMatch(online, /Set up this bot/)
    await provision(world, 'PUT', '/v1/bots/new/coworkers/vi', { role: 'viewer', capabilities: [] })
    const seen = textIn((await (await as('vi')).get(at('/bots/new'))).text)
    assert.match(seen, /Runtime Connected/)
    assert.doesNotMatch(seen, /Attic/)
    const runtimes = async () => textIn((await ada.get(at('/bots/new/runtimes'))).text)
    assert.match(await runtimes(), /Attic Connected .* cellar lamp\/3 just now Now/)

    runtime.send({ type: 'bye' })
    await runtime.closed
    await world.clock.advance(120_000)
    assert.match(await runtimes(), /Attic Offline .* cellar lamp\/3 2 minutes ago 2 minutes ago/)
    assert.match(await overview(), /Not connected Attic, last connected 2 minutes ago/)
  })
})

const languages = {
  en: { failed: 'Failed attempts', total: 'Total time', took: 'took' },
  de: { failed: 'Fehlgeschlagene Versuche', total: 'Gesamtzeit', took: 'Dauer:' },
} as const

test('our choice: everyone who sees a bot sees its figures of the last 24 hours; failed attempts, dead letters and the total time have the same words and figures on all pages of the bot', async (t) => {
  const { world, ada, as, at, post, connect, handle, deadLetter } = await withQueue(t)
  await post('slow')
  await world.clock.advance(7)
  const runtime = await connect()
  const slow = await runtime.next('dispatch')
  await world.clock.advance(9)
  runtime.send({ type: 'ack', deliveries: [slow.delivery] })
  for (let n = 0; n < 3; n += 1) await deadLetter(runtime, String(n))
  await post('later')
  await handle(runtime, { error: 'not now', retryMs: 240_000 })
  await untilStored(world, 'bot-1', slow.id)
  const figures =
    /Webhooks, last 24 hours 5 1 not delivered yet Failed attempts, last 24 hours 4 3 dead letters Last error No such <order> Dead letter, /
  for (const browser of [ada, await as('vi')]) {
    // Figures are stored a moment after the event's log.
    await advanceUntil(world.clock, async () => figures.test(visibleWordsIn(await browser.get(at('/bots/bot-1')))))
  }
  for (const [language, { failed, total, took }] of Object.entries(languages)) {
    await ada.get(at(`/appearance/language/${language}`))
    const overview = visibleWordsIn(await ada.get(at('/bots/bot-1')))
    assert.match(overview, new RegExp(`${failed}, \\S+ 24 \\S+ 4 3 `))
    const list = await ada.get(at('/bots/bot-1/deliveries'))
    const chart = visibleWordsIn(list)
    assert.match(chart, new RegExp(`${failed} 4 `))
    assert.match(chart, /(?:Dead letters|Unzustellbar) 3 /)
    assert.match(list.text, new RegExp(`data-label="${total}">16 ms<`))
    const page = (await ada.get(at(`/bots/bot-1/deliveries/${slow.id}`))).text
    assert.match(page, new RegExp(`<dt>${total}</dt><dd>16 ms</dd>`))
    assert.match(page, new RegExp(`${took} 9 ms<`))
  }
})

describe('our choice: runtimes on the bot pages', () => {
  test('the owner creates a runtime with a key that is shown once, replaces its key and removes the runtime; an invalid name shows an error at its field', async (t) => {
    const { world, ada, at } = await openBot(t)
    const page = await ada.get(at('/bots/bot-1/runtimes'))
    const made = await ada.submit(page, { name: 'Attic', hosts: 'this' }, '/runtimes')
    const key = shown(made, 'runtime-key')
    assert.match(key, /^svc_rk_\w+$/)
    const { welcome } = await BotRuntime.ready(t, world, key)
    assert.deepEqual(welcome.bots, ['bot-1'])
    const list = await ada.get(at('/bots/bot-1/runtimes'))
    assert.match(list.text, /Attic/)
    assert.doesNotMatch(list.text, new RegExp(key))

    const keyForm = await ada.openLink(list, 'Replace key')
    const replaced = await ada.submit(keyForm, { key_before: 'ends-now' }, '/key')
    const second = shown(replaced, 'runtime-key')
    const old = new BotRuntime(t, world, { key })
    assert.equal((await old.closed).code, 4001)
    const { runtime } = await BotRuntime.ready(t, world, second)
    const removed = await ada.submit(await ada.openLink(list, 'Remove'), {}, '/removal')
    assert.equal(removed.location?.search, '')
    assert.equal((await runtime.closed).code, 4001)
    assert.ok(!world.logs().includes(second))

    const refused = await ada.submit(page, { name: ' ', hosts: 'all' }, '/runtimes')
    assertShows(refused, 422, /value="all" checked/)
    assert.equal(fieldErrorOf(refused, 'name'), 'Enter a name.')
  })

  test('a runtime of the platform that hosts the bot is shown as connected, and then with its last heartbeat', async (t) => {
    const { world, ada, at } = await openBot(t)
    const page = async () => (await ada.get(at('/bots/bot-1/runtimes'))).text
    assert.match(await page(), /None of your runtimes hosts this bot/)
    const { runtime } = await BotRuntime.ready(t, world, (await makeRuntime(world)).key)
    await runtime.heartbeat([], [reportOf('bot-1')])
    assert.match(await page(), /Runtime of the platform[\s\S]*Connected[\s\S]*Last heartbeat/)
    assert.doesNotMatch(await page(), /None of your runtimes/)

    runtime.send({ type: 'bye' })
    await runtime.closed
    await world.clock.advance(120_000)
    const overview = textIn((await ada.get(at('/bots/bot-1'))).text)
    assert.match(overview, /Not connected Last heartbeat 2 minutes ago/)
  })
})

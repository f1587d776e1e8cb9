import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene, secretIn } from '../support/bot-people.ts'
import { BotRuntime, makeRuntime, untilStored } from '../support/bot-runtime.ts'
import { advanceUntil } from '../support/eventually.ts'
import { provision } from '../support/people.ts'

/** Text of a page without its markup. */
function plain(html: string): string {
  return html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
}

describe('our choice: a bot’s overview and its runtimes’ connections', () => {
  test('a new bot’s overview lists set-up steps, which disappear with the bot’s first heartbeat', async (t) => {
    const { world, as, at } = await openScene(t)
    await provision(world, 'PUT', '/v1/bots/new', {
      ownerId: 'ada',
      name: 'New',
      chatPlatformId: '517517517517517517',
      hostingEnabled: false,
    })
    const ada = await as('ada')
    const overview = async () => plain((await ada.get(at('/bots/new'))).text)
    assert.match(await overview(), /Hosting off .* 0 of 4 done .* Never connected/)
    await ada.submit(await ada.get(at('/bots/new')), { hosting: 'on' }, '/hosting')
    const made = await ada.submit(await ada.get(at('/bots/new/runtimes')), { name: 'Attic' }, '/runtimes')
    const key = secretIn(made.text, 'runtime-key')
    assert.match(made.text, new RegExp(`GATEHOUSE_RUNTIME_KEY=${key} node bot.mjs`))
    assert.ok(made.text.includes(`url: &#39;${world.apiUrl}&#39;`), 'the command has the URL of this service')
    assert.match(await overview(), /2 of 4 done/)
    const { runtime } = await BotRuntime.ready(t, world, key, { instance: 'cellar', agent: 'lamp/3' })
    assert.match(await overview(), /2 of 4 done .* Connected Attic, connected just now/)
    await runtime.heartbeat([], [{ botId: 'new', ready: true }])
    const online = await overview()
    assert.match(online, /Online .* Connected Attic/)
    assert.doesNotMatch(online, /Set up this bot/)
    assert.match(
      plain((await ada.get(at('/bots/new/runtimes'))).text),
      /Attic Connected .* cellar lamp\/3 just now Now/,
    )
  })

  test('a disconnected runtime is shown as offline, with the time it was last seen', async (t) => {
    const { world, as, at } = await openScene(t)
    const ada = await as('ada')
    const made = await ada.submit(await ada.get(at('/bots/bot-1/runtimes')), { name: 'Attic' }, '/runtimes')
    const key = secretIn(made.text, 'runtime-key')
    const { runtime } = await BotRuntime.ready(t, world, key, { instance: 'cellar' })
    runtime.send({ type: 'bye' })
    await runtime.closed
    await world.clock.advance(120_000)
    const offline = /Attic Offline .* cellar test\/1 2 minutes ago 2 minutes ago/
    assert.match(plain((await ada.get(at('/bots/bot-1/runtimes'))).text), offline)
    assert.match(plain((await ada.get(at('/bots/bot-1'))).text), /Not connected Attic, last connected 2 minutes ago/)
  })

  test('the overview shows the last heartbeat of a runtime that the owner did not add', async (t) => {
    const { world, as, at } = await openScene(t)
    const { key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key, { instance: 'platform' })
    await runtime.heartbeat([], [{ botId: 'bot-1', ready: true }])
    runtime.send({ type: 'bye' })
    await runtime.closed
    await world.clock.advance(120_000)
    const overview = plain((await (await as('ada')).get(at('/bots/bot-1'))).text)
    assert.match(overview, /Not connected Last heartbeat 2 minutes ago/)
  })

  test('the overview’s figures cover the last 24 hours; collaborators don’t see names of runtimes', async (t) => {
    const { world, as, at } = await openScene(t)
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', {
      kind: 'event',
      name: 'Orders',
      webhook: { path: 'orders', requiresKey: false },
    })
    const ada = await as('ada')
    const made = await ada.submit(await ada.get(at('/bots/bot-1/runtimes')), { name: 'Attic' }, '/runtimes')
    const { runtime } = await BotRuntime.ready(t, world, secretIn(made.text, 'runtime-key'))
    assert.equal((await fetch(`${world.apiUrl}/bot-1/orders`, { method: 'POST', body: '{}' })).status, 202)
    const { delivery, id } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, error: 'No such channel', dead: true })
    await untilStored(world, 'bot-1', id)
    const figures =
      /Webhooks, last 24 hours 1 None waiting Failed attempts, last 24 hours 1 1 dead letter Last error No such channel Dead letter/
    // Figures are stored a moment after the event's log.
    await advanceUntil(world.clock, async () => figures.test(plain((await ada.get(at('/bots/bot-1'))).text)))
    const seen = plain((await (await as('vi')).get(at('/bots/bot-1'))).text)
    assert.match(seen, figures)
    assert.doesNotMatch(seen, /Attic/)
  })
})

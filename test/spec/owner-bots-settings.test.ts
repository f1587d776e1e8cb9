import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { audited, onBot } from '../support/audit.ts'
import { assertShows, fieldErrorOf, openBot, provision, send, visibleWordsIn } from '../support/people.ts'
import type { World } from '../support/world.ts'

async function botOf(world: World) {
  return (await provision(world, 'GET', '/v1/bots/bot-1')).json
}

describe('our choice: hosting, its location and public status on the bot pages', () => {
  test('owner and editor can switch hosting and public status, effective immediately', async (t) => {
    const { world, as, at } = await openBot(t)
    const status = async () => (await fetch(`${world.baseUrl}/botstatus/bot-1/api`)).status
    for (const name of ['ada', 'ed'] as const) {
      const browser = await as(name)
      const overview = await browser.get(at('/bots/bot-1'))
      const settings = await browser.get(at('/bots/bot-1/settings'))
      const located = await browser.submit(settings, { location: 'cloud' }, '/location')
      assert.match((await browser.onward(located, world)).text, /Hosting location saved\./)
      const off = await browser.submit(overview, { hosting: 'off' }, '/hosting')
      assert.deepEqual([off.status, off.location?.search], [303, ''])
      assert.match((await browser.onward(off, world)).text, /Hosting is off\. New webhooks are kept/)
      assert.partialDeepStrictEqual(await botOf(world), { hostingEnabled: false, hostingLocation: 'cloud' })
      await browser.submit(settings, { location: '' }, '/location')
      assert.partialDeepStrictEqual(await botOf(world), { hostingEnabled: false, hostingLocation: null })
      await browser.submit(overview, { hosting: 'on' }, '/hosting')
      assert.partialDeepStrictEqual(await botOf(world), { hostingEnabled: true, hostingLocation: null })
      await browser.submit(settings, { public: 'yes' }, '/public-status')
      assert.equal(await status(), 200)
      await browser.submitAt(at('/bots/bot-1/settings'), { public: 'no' }, '/public-status')
      assert.equal(await status(), 404)
    }
  })

  test('each change of hosting and public status is audited with its user; a form with invalid values changes nothing', async (t) => {
    const { world, as, at } = await openBot(t)
    const ed = await as('ed')
    const page = await ed.get(at('/bots/bot-1/settings'))
    for (const [field, value] of Object.entries({ hosting: 'maybe', location: 'moon' })) {
      assert.equal((await send(ed, world, `/bots/bot-1/${field}`, { [field]: value })).status, 303)
    }
    await ed.submit(page, { location: 'cloud' }, '/location')
    await ed.submitAt(at('/bots/bot-1'), { hosting: 'off' }, '/hosting')
    await ed.submit(page, { public: 'yes' }, '/public-status')
    const details = [{ hosting: 'on, cloud' }, { hosting: 'off, cloud' }, { status: 'public' }]
    const events = details.map((detail) => ({ kind: 'bot-changed', ...onBot('ed'), detail }))
    assert.deepEqual(await audited(world, /^bot-changed$/), events)
    const activity = visibleWordsIn(await ed.get(at('/account/activity')))
    assert.match(activity, /You turned hosting of bot Weather off Location: Cloud/)
  })
})

test('our choice: owner and editor can set and clear the status notice; a notice that is too long is kept with an error at its field', async (t) => {
  const { as, at, putBot } = await openBot(t)
  await putBot({ publicStatus: true })
  const publicPage = async () => (await fetch(at('/botstatus/bot-1'))).text()
  for (const name of ['ada', 'ed'] as const) {
    const browser = await as(name)
    const page = await browser.get(at('/bots/bot-1/settings'))
    const most = '🛠'.repeat(200)
    assert.equal((await browser.submit(page, { notice: most }, '/notice')).location?.search, '')
    assert.ok((await publicPage()).includes(most))
    assert.equal((await browser.submit(page, { notice: ' Back\nat <noon>\u202e ' }, '/notice')).location?.search, '')
    assert.match(await publicPage(), /Back at &lt;noon&gt;/)
    const long = await browser.submit(page, { notice: 'x'.repeat(201) }, '/notice')
    assertShows(long, 422, /x{201}/)
    assert.match(fieldErrorOf(long, 'notice'), /at most 200 characters/)
    assert.match((await browser.get(at('/bots/bot-1/settings'))).text, /value="Back at &lt;noon&gt;"/)
    assert.equal((await browser.submit(page, { notice: ' ' }, '/notice')).location?.search, '')
    assert.doesNotMatch(await publicPage(), /Back at/)
  }
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene, send } from '../support/bot-people.ts'
import { fieldErrorOf } from '../support/page-words.ts'
import { provision } from '../support/people.ts'

describe('our choice: the notice on the status page', () => {
  test('owner and editor can set and clear the status notice; a notice that is too long is kept with an error at its field', async (t) => {
    const { world, as, at } = await openScene(t)
    await provision(world, 'PUT', '/v1/bots/bot-1', {
      ownerId: 'ada',
      name: 'Weather',
      chatPlatformId: '123456789012345678',
      publicStatus: true,
    })
    const publicPage = async () => (await fetch(at('/botstatus/bot-1'))).text()
    for (const name of ['ada', 'ed'] as const) {
      const browser = await as(name)
      const page = await browser.get(at('/bots/bot-1/settings'))
      const set = await browser.submit(page, { notice: 'Back at <noon>' }, '/notice')
      assert.equal(set.location?.search, '')
      assert.match(await publicPage(), /Back at &lt;noon&gt;/)
      const long = await browser.submit(page, { notice: 'x'.repeat(201) }, '/notice')
      assert.equal(long.status, 422)
      assert.match(fieldErrorOf(long, 'notice'), /at most 200 characters/)
      assert.match(long.text, /x{201}/)
      assert.match((await browser.get(at('/bots/bot-1/settings'))).text, /value="Back at &lt;noon&gt;"/)
      const cleared = await browser.submit(page, { notice: ' ' }, '/notice')
      assert.equal(cleared.location?.search, '')
      assert.doesNotMatch(await publicPage(), /Back at/)
    }
    assert.equal((await send(await as('vi'), world, '/bots/bot-1/notice', { notice: 'x' })).status, 403)
    assert.equal((await send(await as('stan'), world, '/bots/bot-1/notice', { notice: 'x' })).status, 404)
  })
})

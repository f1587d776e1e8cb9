import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { visibleWordsIn } from '../support/page-words.ts'
import { Browser } from '../support/people.ts'
import { atPortal } from '../support/portal-people.ts'
import { openWorld } from '../support/world.ts'

describe('our choice: the page that shows an authorization code (decision 0035)', () => {
  test('shows the code and the command that redeems it, without a session', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.portalUrl}/show-code?code=svc_ac_abc-DEF_1&state=%3Cb%3E`)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const said = visibleWordsIn(page)
    assert.match(said, /svc_ac_abc-DEF_1/)
    assert.ok(said.includes(`-d redirect_uri=${world.portalUrl}/show-code -d code=svc_ac_abc-DEF_1`), said)
    assert.match(page.text, /&lt;b&gt;/)
    assert.match(page.text, /<link rel="canonical" href="\/show-code">/)
  })

  test('says that nothing was shared after a denial, and nothing that a stranger put into a link', async (t) => {
    const world = await openWorld(t)
    const at = async (query: string) => visibleWordsIn(await new Browser().get(`${world.portalUrl}/show-code${query}`))
    assert.match(await at('?error=access_denied'), /nothing was shared: access_denied/)
    for (const query of [
      '',
      '?code=$(reboot)',
      '?code=call+this+number',
      '?error=Call+this+number',
      '?code=a&code=b',
    ]) {
      const said = await at(query)
      assert.match(said, /No authorization code/, query)
      assert.doesNotMatch(said, /reboot|this number/, query)
    }
  })

  test('the form for a development application begins with this redirect URI', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const preset = await browser.get(`${world.portalUrl}/apps/new?environment=development`)
    assert.ok(preset.text.includes(`${world.portalUrl}/show-code</textarea>`))
    assert.match(preset.text, /value="development"[^>]* checked/)
    const usual = await browser.get(`${world.portalUrl}/apps/new`)
    assert.ok(!usual.text.includes('/show-code'))
    assert.match(usual.text, /value="production"[^>]* checked/)
    assert.match(visibleWordsIn(usual), /While you develop, any such URL will do\./)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { ada, call, makeToken, openBot, provision, send, signedIn, visibleWordsIn } from '../support/people.ts'
import type { World } from '../support/world.ts'
import { assertAnswer } from './provisioning-scene.ts'

const password = ada.password
const form = { name: 'script', scope: ['bots.read'], days: '30', password }
const works = async (world: World, token: string) => (await call(world, token, 'GET', 'token')).status === 200

function revocations(text: string): string[] {
  return [...text.matchAll(/href="(\/account\/tokens\/[^"/]+\/revocation)"/g)].map(([, path = '']) => path)
}

describe('our choice: the page of personal access tokens', () => {
  test('the page creates a personal access token, shows it once and lists it with its scopes, expiry and last use', async (t) => {
    const { world, ada: browser, at } = await openBot(t)
    const page = await browser.get(at('/account/tokens'))
    assert.match(page.text, /You have no tokens yet/)
    const fields = { ...form, name: ' Deploy\tscript ', scope: 'bots.read' }
    const made = await browser.submit(page, fields, '/account/tokens')
    assert.equal(made.status, 200)
    assert.equal(made.headers.get('cache-control'), 'no-store')
    const token = /data-testid="personal-token">(svc_pat_[A-Za-z0-9]{43,})</.exec(made.text)?.[1] ?? assert.fail()
    const shown = await call(world, token, 'GET', 'token')
    const times = { createdAt: world.clock.iso(), expiresAt: world.clock.iso(30 * 24 * 3_600_000) }
    const { id } = shown.json
    assertAnswer(shown, 200, { id, name: 'Deploy script', userId: 'ada', scopes: ['bots.read'], ...times })
    await world.service.accounts.personalTokens.recordUse()
    const { text } = await browser.get(at('/account/tokens'))
    assert.ok(!text.includes(token))
    assert.ok(text.includes(`Deploy script<br><code class="soft small">••••${token.slice(-4)}<`))
    assert.doesNotMatch(text, /Not yet/)
    assert.match((await browser.get(at('/account/security'))).text, />1 token</)
    const [event] = (await exported(world)).filter(({ kind }) => kind === 'personal-token-created')
    const detail = { personalTokenId: shown.json.id, personalTokenName: 'Deploy script', scopes: 'bots.read' }
    assert.deepEqual([event?.userId, event?.detail], ['ada', detail])
  })

  test('a token form with faults is refused with each fault named, a wrong password is refused, and nothing is stored', async (t) => {
    const { world, ada: browser, at } = await openBot(t)
    const bad = { name: ' ', scope: ['coworkers.write'], days: '366', password }
    const refused = await send(browser, world, '/account/tokens', bad)
    assert.equal(refused.status, 422)
    for (const fault of ['Enter a name for the token', 'Choose at least one scope', 'Choose a lifetime']) {
      assert.match(refused.text, new RegExp(fault))
    }
    const long = await send(browser, world, '/account/tokens', { ...form, name: 'é'.repeat(101) })
    assert.match(long.text, /at most 100 characters/)
    const wrong = await send(browser, world, '/account/tokens', { ...form, password: 'not the password' })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /Wrong password/)
    assert.match(wrong.text, /name="name"[^>]* value="script"/)
    assert.match(wrong.text, /value="bots.read"[^>]* checked/)
    assert.deepEqual(revocations((await browser.get(at('/account/tokens'))).text), [])
  })

  test('the page asks for the PIN before it creates a token with a write scope, if the user has a PIN', async (t) => {
    const { world, ada: browser } = await openBot(t)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', pin: ada.pin })
    await makeToken(browser, world, { scope: ['bots.read'] })
    const sent = { ...form, name: 'My "script" & more', scope: ['flows.write', 'logs.read'], days: '90' }
    const locked = await send(browser, world, '/account/tokens', sent)
    assert.equal(locked.status, 403)
    const unlock = await browser.openLink(locked, 'Enter your PIN')
    const back = await browser.submit(unlock, { pin: ada.pin }, '/unlock')
    assert.equal(back.location?.pathname, '/account/tokens')
    const { text } = await browser.get(`${back.location}`)
    assert.match(text, /name="name"[^>]* value="My &quot;script&quot; &amp; more"/)
    for (const scope of sent.scope) assert.match(text, new RegExp(`value="${scope}"[^>]* checked`))
    assert.doesNotMatch(text, /value="bots.read"[^>]* checked/)
    assert.match(text, /<option value="90" selected/)
    await makeToken(browser, world, { scope: ['flows.write'] })
  })

  test('a personal access token is revoked after a confirmation; other users can’t revoke it', async (t) => {
    const { world, ada: browser, as, at } = await openBot(t)
    const other = await as('ed')
    const [kept, token] = [await makeToken(browser, world, { name: 'kept' }), await makeToken(browser, world)]
    const [path = ''] = revocations((await browser.get(at('/account/tokens'))).text)
    const question = await browser.get(at(path))
    assert.match(question.text, /<h1>Revoke script\?<\/h1>/)
    assert.equal((await other.get(at(path))).status, 404)
    assert.equal((await send(other, world, path, {})).status, 404)
    assert.ok(await works(world, token))
    const done = await browser.submit(question, {}, '/revocation')
    assert.deepEqual([done.status, done.location?.pathname], [303, '/account/tokens'])
    assert.match((await browser.onward(done, world)).text, /Token revoked\./)
    assert.deepEqual([await works(world, token), await works(world, kept)], [false, true])
    assert.equal((await browser.get(at(path))).status, 404)
    const [event] = (await exported(world)).filter(({ kind }) => kind === 'personal-token-revoked')
    assert.equal(event?.detail.personalTokenName, 'script')
    const activity = await browser.get(at('/account/activity'))
    assert.match(visibleWordsIn(activity), /You revoked the personal access token “script”/)
  })
})

describe('our choice: what ends personal access tokens', () => {
  test('a personal access token ends when it expires, and disappears from the list 30 days later', async (t) => {
    const { world, as, at } = await openBot(t)
    const token = await makeToken(await as('ada'), world, { days: '7' })
    await world.clock.advance(7 * 24 * 3_600_000 - 1)
    assert.ok(await works(world, token))
    await world.clock.advance(1)
    assert.ok(!(await works(world, token)))
    assert.match((await (await as('ada')).get(at('/account/tokens'))).text, />Expired</)
    await world.clock.advance(31 * 24 * 3_600_000)
    assert.match((await (await signedIn(world)).get(at('/account/tokens'))).text, /You have no tokens yet/)
  })

  test('a new password, whether from the account page or the operator, ends all personal access tokens of the user', async (t) => {
    const { world, ada: browser, as, at } = await openBot(t)
    const others = await makeToken(await as('ed'), world)
    const first = await makeToken(browser, world)
    const changed = { current_password: password, password: 'another good password' }
    assert.equal((await browser.submitAt(at('/account/password'), changed)).status, 303)
    assert.ok(!(await works(world, first)))
    const second = await makeToken(browser, world, { password: 'another good password' })
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', password })
    assert.ok(!(await works(world, second)))
    assert.ok(await works(world, others))
  })

  test('signing out everywhere else revokes all personal access tokens, as the account page and the activity list say; signing out revokes none', async (t) => {
    const { world, ada: browser, at } = await openBot(t)
    const token = await makeToken(browser, world)
    const [other] = [await signedIn(world), await signedIn(world)]
    await other.submitAt(at('/account'), {}, '/sign-out')
    assert.ok(await works(world, token))
    const account = await browser.get(at('/account/sessions'))
    assert.match(account.text, /revokes your personal access tokens immediately/)
    await browser.submit(account, {}, '/account/sessions/others/end')
    assert.ok(!(await works(world, token)))
    assert.match((await browser.get(at('/account/activity'))).text, /All personal access tokens were revoked\./)
  })
})

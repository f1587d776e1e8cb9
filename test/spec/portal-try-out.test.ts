import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { type Answer, type Browser, introspect, unescapeHtml, visibleWordsIn } from '../support/people.ts'
import { acme, atPortal, atPortalAgain, openPortal, type Registered, registered } from '../support/portal-people.ts'
import { bob } from '../support/sign-in-forms.ts'
import type { World } from '../support/world.ts'
import { containsText, storedBytes } from '../support/world-database.ts'

describe('our choice: an owner tests an application (decision 0035)', () => {
  test('a test run performs and shows every step: consent, code, tokens, userinfo, refresh, revocation; full tokens only in a collapsed section, after they were revoked', async (t) => {
    const { world, browser, app } = await openPortal(t)
    const consent = await tryIt(world, browser, app, { scope: 'user.identify offline_access', state: 'a b&c' })
    assert.match(consent.text, /Allow Acme Dashboard to use your account\?/)
    const page = await allowed(world, browser, consent)
    assert.equal(page.status, 200, page.text)
    assert.match(visibleWordsIn(page), /The whole OAuth flow works\. All issued tokens have been revoked\./)
    const list = visibleWordsIn(await browser.get(world.portalUrl))
    assert.deepEqual([/just now/.test(list), /Not used yet/.test(list)], [true, false])

    const [authorize, redirect, token, issued, userinfoAsked, told, refreshed, reissued, revoked, empty] =
      messages(page)
    const callback = page.url.replace(/\?.*/, '')
    assert.match(callback, new RegExp(`^${app.address}/try-outs/\\w{22}$`))
    const challenge = /code_challenge=([\w-]{43})/.exec(authorize ?? '')?.[1]
    assert.equal(
      authorize,
      `GET ${world.baseUrl}/auth/consent
?client_id=${app.clientId}
&redirect_uri=${encodeURIComponent(callback)}
&response_type=code
&scope=user.identify%20offline_access
&state=a%20b%26c
&code_challenge=${challenge}
&code_challenge_method=S256`,
    )
    const mask = '(svc_\\w\\w_\\w{4}…\\w{4})'
    const code = new RegExp(mask).exec(redirect ?? '')?.[1]
    assert.equal(redirect, `Location: ${callback}\n?code=${code}\n&state=a%20b%26c`)
    const verifier = /code_verifier=([\w-]{43})/.exec(token ?? '')?.[1] ?? ''
    assert.equal(createHash('sha256').update(verifier).digest('base64url'), challenge)
    assert.equal(
      token,
      `POST ${world.baseUrl}/api/oauth/token
Content-Type: application/x-www-form-urlencoded

grant_type=authorization_code
&client_id=${app.clientId}
&client_secret=$CLIENT_SECRET
&code=${encodeURIComponent(code ?? '')}
&redirect_uri=${encodeURIComponent(callback)}
&code_verifier=${verifier}`.replace('%E2%80%A6', '…'),
    )
    const [access = '', refresh = ''] = [...(issued ?? '').matchAll(new RegExp(mask, 'g'))].map(([each]) => each)
    const headers = 'content-type: application/json; charset=utf-8\ncache-control: no-store\npragma: no-cache'
    const tokenAnswer = (accessToken: string, refreshToken: string) =>
      `200 OK\n${headers}\n\n${JSON.stringify(
        {
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: 900,
          scope: 'user.identify offline_access',
          refresh_token: refreshToken,
        },
        null,
        2,
      )}`
    assert.equal(issued, tokenAnswer(access, refresh))
    assert.equal(userinfoAsked, `GET ${world.baseUrl}/api/oauth/userinfo\nAuthorization: Bearer ${access}`)
    const sub = /"sub": "(\w+)"/.exec(told ?? '')?.[1]
    const person = { sub, serviceId: sub, name: 'Ada', botCount: 0 }
    assert.equal(told, `200 OK\n${headers}\n\n${JSON.stringify(person, null, 2)}`)
    assert.match(refreshed ?? '', new RegExp(`\n\ngrant_type=refresh_token\n[^]*\n&refresh_token=${refresh}$`))
    const [access2 = '', refresh2 = ''] = [...(reissued ?? '').matchAll(new RegExp(mask, 'g'))].map(([each]) => each)
    assert.equal(reissued, tokenAnswer(access2, refresh2))
    const revocation = `POST ${world.baseUrl}/api/oauth/revoke\nContent-Type: application/x-www-form-urlencoded\n\ntoken=${refresh2}`
    assert.equal(revoked, revocation)
    assert.equal(empty, '200 OK\ncontent-type: application/json\ncache-control: no-store\npragma: no-cache')

    // The full tokens are only in collapsed sections, and revoked.
    const tokens = tokensIn(page)
    assert.equal(tokens.length, 4)
    const outside = page.text.replace(/<details class="reveal">[\s\S]*?<\/details>/g, '')
    assert.equal(tokensIn({ ...page, text: outside }).length, 0)
    assert.ok(!page.text.includes(app.clientSecret))
    assert.equal(page.headers.get('cache-control'), 'no-store')
    for (const token of tokens) assert.deepEqual((await introspect(world, token)).json, { active: false })
  })

  test('a test run that fails shows the step, the cause and the fix', async (t) => {
    const { world, browser, app } = await openPortal(t)
    const stopped = (page: Answer, step: string, why: RegExp, last: RegExp) => {
      const words = visibleWordsIn(page)
      assert.ok(words.includes(`Stopped at “${step}”`), words)
      assert.match(words, why)
      assert.match(messages(page).at(-1) ?? '', last)
    }

    const skipped = await tryIt(world, browser, app, { consent: 'skip' })
    stopped(skipped, 'Ask for consent', /Start again with the consent screen/, /\?error=consent_required$/)

    const asked = await tryIt(world, browser, app)
    const denied = await browser.onward(await browser.submit(asked, { decision: 'deny' }, '/auth/consent'), world)
    stopped(denied, 'Ask for consent', /You chose Deny/, /\?error=access_denied\n&error_description=[^&]+$/)

    const noScope = await tryIt(world, browser, app, { scope: '' })
    assert.match(new URL(noScope.url).search, /^\?result=\w{22}$/)
    stopped(noScope, 'Ask for consent', /A parameter is missing/, /error=invalid_request/)
    const unknownScope = await tryIt(world, browser, app, { scope: 'made.up' })
    stopped(unknownScope, 'Ask for consent', /not exist/, /error=invalid_scope/)

    const consent = await tryIt(world, browser, app)
    const back = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
    await world.clock.advance(301_000)
    stopped(await browser.onward(back, world), 'Exchange the code', /lives for 5 minutes/, /"error": "invalid_grant"/)

    const last = await browser.submit(await tryIt(world, browser, app), { decision: 'allow' }, '/auth/consent')
    await browser.onward(last, world)
    stopped(await browser.onward(last, world), 'Exchange the code', /already used/, /"error": "invalid_grant"/)
  })

  test('a test run’s redirect URI works only in the owner’s own session', async (t) => {
    const { world, browser, app } = await openPortal(t)
    const begun = await browser.submitAt(`${app.address}/try-outs`, { scope: 'user.identify' }, '/try-outs')
    const attempt = begun.location as URL

    // A different signed-in user is redirected without a code.
    const other = await atPortal(world, bob)
    const sent = await other.get(attempt)
    assert.equal(sent.status, 302)
    assert.equal(sent.location?.searchParams.get('error'), 'access_denied')
    const unknown = await other.get(sent.location as URL)
    assert.equal(unknown.status, 404)
    assert.equal((await other.submitAt(`${world.portalUrl}/apps/new`, {}, '/sign-out')).status, 303)
    assert.equal((await other.post(`${app.address}/try-outs`, new URLSearchParams())).status, 403)

    // Outside of a test run, this redirect URI counts as unregistered, even for the owner.
    const address = `${app.address}/try-outs/${attempt.searchParams.get('attempt')}`
    const query = new URLSearchParams({ client_id: app.clientId, redirect_uri: address, response_type: 'code' })
    for (const each of [browser, other]) {
      const refused = await each.get(`${world.baseUrl}/auth/consent?${query}&scope=user.identify`)
      assert.equal(refused.status, 400)
      assert.equal(refused.location, undefined)
    }

    // In another portal session, the owner gets a code, but the result page does not redeem it.
    const elsewhere = await atPortalAgain(world)
    const consent = await elsewhere.visit(attempt, world)
    const page = await allowed(world, elsewhere, consent)
    assert.match(visibleWordsIn(page), /started in another session/)
    assert.equal(tokensIn(page).length, 0)
  })

  test('a test run submitted after the session ended returns to its form with the options kept', async (t) => {
    const { world, browser, app } = await openPortal(t)
    const page = await browser.get(`${app.address}/try-outs`)
    await browser.submit(page, {}, '/sign-out')
    const back = await tryItOn(world, browser, page, { scope: 'user.identify bots.read', consent: 'skip' })
    assert.match(visibleWordsIn(back), /Nothing was saved/)
    assert.deepEqual(checkedIn(back), ['user.identify', 'bots.read', 'skip'])
  })

  test('a test run without offline_access has no refresh; its result is stored encrypted, and shown only to its owner, in their language, for an hour; starting another keeps the selected options', async (t) => {
    const { world, browser, app } = await openPortal(t)
    const consent = await tryIt(world, browser, app, { scope: 'user.identify bots.read', state: 'a b' })
    const page = await allowed(world, browser, consent)
    assert.equal(messages(page).length, 8)
    const [token = ''] = tokensIn(page)
    assert.deepEqual((await introspect(world, token)).json, { active: false })
    const stored = await storedBytes(world)
    for (const bytes of Object.values(stored)) {
      for (const text of [...tokensIn(page), 'code_verifier=']) assert.ok(!containsText(bytes, text), text)
    }
    const other = await atPortal(world, bob)
    const refused = await other.get(page.url)
    assert.deepEqual([refused.status, messages(refused)], [404, []])
    const otherApp = await registered(world, browser, { ...acme, name: 'Other' })
    const elsewhere = await browser.get(page.url.replace(app.address, otherApp.address))
    assert.deepEqual([elsewhere.status, String(elsewhere.location)], [302, `${otherApp.address}/try-outs`])

    const [, again = ''] = /<a class="button plain" href="([^"]*)">Start another/.exec(page.text) ?? []
    const form = await browser.get(new URL(again.replaceAll('&amp;', '&'), world.portalUrl))
    assert.deepEqual(checkedIn(form), ['user.identify', 'bots.read'])
    assert.match(form.text, /<input type="text" name="state"[^>]* value="a b"/)

    const reloaded = await browser.get(page.url)
    assert.deepEqual([reloaded.status, messages(reloaded), tokensIn(reloaded)], [200, messages(page), tokensIn(page)])
    assert.equal(reloaded.headers.get('cache-control'), 'no-store')
    await browser.get(`${world.portalUrl}/appearance/language/de`)
    assert.match(visibleWordsIn(await browser.get(page.url)), /Diese Seite bleibt eine Stunde lang verfügbar/)
    await world.clock.advance(3_600_000)
    for (const gone of [page.url.replace(/\?.*/, ''), page.url.replace(/\?.*/, '?result=unknown'), page.url]) {
      const answer = await browser.get(gone)
      assert.deepEqual([answer.status, String(answer.location)], [302, `${app.address}/try-outs`])
    }
  })
})

function messages(page: Answer): string[] {
  return [...page.text.matchAll(/<pre class="body"[^>]*>([\s\S]*?)<\/pre>/g)].map(([, text = '']) => unescapeHtml(text))
}

/** Returns the values of the checked boxes. */
function checkedIn(page: Answer): string[] {
  return [...page.text.matchAll(/<input type="checkbox"[^>]* value="([^"]*)"[^>]* checked>/g)].map(
    ([, value = '']) => value,
  )
}

function tokensIn(page: Answer): string[] {
  return [...page.text.matchAll(/svc_(?:at|rt)_\w{72}/g)].map(([token]) => token)
}

/** Starts a test run and follows redirects up to the first page that needs input or shows the result. */
async function tryIt(world: World, browser: Browser, app: Registered, fields: Record<string, string> = {}) {
  return tryItOn(world, browser, await browser.get(`${app.address}/try-outs`), fields)
}

async function tryItOn(world: World, browser: Browser, page: Answer, fields: Record<string, string>) {
  return browser.onward(await browser.submit(page, { scope: 'user.identify', ...fields }, '/try-outs'), world)
}

async function allowed(world: World, browser: Browser, consent: Answer): Promise<Answer> {
  return browser.onward(await browser.submit(consent, { decision: 'allow' }, '/auth/consent'), world)
}

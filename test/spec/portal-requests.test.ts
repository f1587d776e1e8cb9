import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseApplicationId } from '../../src/domain/ids-and-secrets.ts'
import { type Answer, Browser, codeFor, consentUrl, postForm, redeem, textIn, userinfo } from '../support/people.ts'
import { openPortal } from '../support/portal-people.ts'
import { assertHeaders } from '../support/status-bot.ts'
import { pluck } from '../support/together.ts'
import { inDatabase } from '../support/world-database.ts'

async function openScene(t: TestContext) {
  const scene = await openPortal(t)
  const { world, browser, app } = scene
  const stranger = new Browser()
  const credentials = { client_id: app.clientId, client_secret: app.clientSecret }
  return {
    ...scene,
    ask: (query: Record<string, string> = {}) => stranger.get(consentUrl(world, app, query)),
    token: (fields: Record<string, string>) =>
      postForm(`${world.baseUrl}/api/oauth/token`, { ...credentials, ...fields }),
    redeem: async (more: Record<string, string> = {}) => redeem(world, app, await codeFor(world, browser, app), more),
  }
}

/** Returns the groups of failures on the page, newest first: endpoint, count, error code and cause. */
function failuresOn(page: Answer): string[] {
  const [, list = ''] = /<ul class="failures">([\s\S]*)<\/ul>\n<div class="buttons">/.exec(page.text) ?? []
  return list.split('</li>').flatMap((item) => {
    const [, cause = '', count = ''] =
      /<strong>([\s\S]*?)<\/strong>[\s\S]*?<span class="count">([^<]*)</.exec(item) ?? []
    const [, place = ''] = /<span class="tag">([^<]*)</.exec(item) ?? []
    const [, error = 'page'] = /<\/span> <code>([^<]*)<\/code>/.exec(item) ?? []
    return cause === '' ? [] : [`${place}, ${count}, ${error}: ${textIn(cause)}`]
  })
}

describe('our choice: the owner sees an application’s last failed requests, grouped by cause', () => {
  test('failed consent, client authentication, token and userinfo requests are listed with their response and, in the reader’s language, their cause, without any code, token or secret; causes stored by an earlier release stay in English', async (t) => {
    const { world, browser, app, address, ask, token, redeem, clientSecret } = await openScene(t)
    assert.match((await browser.get(`${address}/logs`)).text, /No failed requests in the last 30 days/)
    await ask({ scope: 'no.such.scope' })
    await new Browser().get(`${consentUrl(world, app)}&state=b`)
    await ask({ redirect_uri: '' })
    await token({ grant_type: 'authorization_code', client_secret: 'svc_cs_wrong' })
    await token({ grant_type: 'authorization_code', redirect_uri: app.redirectUri })
    const tokens = (await redeem()).json
    const spent = (await redeem()).json.refresh_token
    for (let times = 0; times < 2; times += 1) await token({ grant_type: 'refresh_token', refresh_token: spent })
    await token({ grant_type: 'refresh_token', refresh_token: 'svc_rt_unknown' })
    await token({ grant_type: 'authorization_code', code: 'svc_ac_guess', redirect_uri: app.redirectUri })
    await world.clock.advance(901_000)
    await userinfo(world, tokens.access_token)
    const page = await browser.get(`${address}/logs`)
    for (const secret of [tokens.access_token, spent, clientSecret, 'svc_cs_wrong', 'svc_rt_unknown', 'svc_ac_guess']) {
      assert.ok(!page.text.includes(secret), secret)
    }
    assert.deepEqual(failuresOn(page), [
      'Userinfo, Once, invalid_token: The access token has expired; it lives for 15 minutes. Refresh it.',
      'Token, Once, invalid_grant: The authorization code is not known. Send it exactly as the redirect carried it.',
      'Token, Once, invalid_grant: The refresh token is not known. The user has to sign in again.',
      'Token, Once, invalid_grant: The refresh token was already used, so its whole token family is revoked. Keep only the newest one.',
      'Token, Once, invalid_request: The parameter code is missing.',
      'Client authentication, Once, invalid_client: The client_secret is wrong. A rotated or revoked secret stops working at once.',
      'Consent, Once, page: The parameter redirect_uri is missing.',
      'Consent, Once, invalid_request: The parameter state is repeated. Send it once.',
      'Consent, Once, invalid_scope: The scope no.such.scope does not exist. The scopes are listed in the OpenAPI description.',
    ])
    const [, id = ''] = /\/apps\/(\w+)$/.exec(address) ?? []
    const stored = 'The authorization code was issued to another client.'
    await inDatabase(
      world,
      'identity',
      `INSERT INTO failed_requests (application_id, at_ms, place, error, description, redirect_uri)
         VALUES ('${id}', ${world.clock.nowMs()}, 'token', 'invalid_grant', '${stored}', NULL)`,
    )
    await browser.get(`${world.portalUrl}/appearance/language/de`)
    const german = failuresOn(await browser.get(`${address}/logs`))
    assert.equal(german[0], `Token, Einmal, invalid_grant: ${stored}`)
    assert.deepEqual(german.slice(5, -2), [
      'Token, Einmal, invalid_request: Der Parameter code fehlt.',
      'Client-Authentifizierung, Einmal, invalid_client: Das client_secret ist falsch. Ein ersetztes oder widerrufenes Secret wird sofort ungültig.',
      'Zustimmung, Einmal, page: Der Parameter redirect_uri fehlt.',
    ])
  })

  test('a wrong redirect URI is shown next to the nearest registered one, with the difference marked; different ones are one group, which counts and compares each, but shows only the last five; all of them are in the export', async (t) => {
    const { browser, address, ask, redeem } = await openScene(t)
    assert.equal((await redeem({ redirect_uri: 'https://acme.example/Callback' })).json.error, 'invalid_grant')
    for (const end of ['/', '?from=mail', '?from=mail']) {
      await ask({ redirect_uri: `https://acme.example/callback${end}` })
    }
    const page = await browser.get(`${address}/logs`)
    assert.deepEqual(failuresOn(page), [
      'Consent, 3 times, page: The redirect_uri is not registered for this client. It must match exactly.',
      'Token, Once, invalid_grant: The redirect_uri is not the one of the authorization request.',
    ])
    assert.match(page.text, /An error page was shown instead of a redirect\./)
    assert.ok(page.text.includes('https://acme.example/<mark>C</mark>allback</code>'))
    const uris = [...page.text.matchAll(/<li class="uri">([\s\S]*?)<\/li>/g)].map(([, item = '']) => item)
    const marks = uris
      .slice(0, 2)
      .map((item) => [/<mark>(.*?)<\/mark>/.exec(item)?.[1], /2 times|Once/.exec(item)?.[0]])
    assert.deepEqual(marks, [
      ['?from=mail', '2 times'],
      ['/', 'Once'],
    ])
    for (const item of uris.slice(0, 2)) assert.match(item, /Add this redirect URI/)

    for (let at = 1; at <= 12; at += 1) {
      await ask({ redirect_uri: `https://acme.example/callback/${at}` })
    }
    const many = await browser.get(`${address}/logs`)
    const last = [...many.text.matchAll(/<li class="uri">[\s\S]*?<mark>\/(\d+)<\/mark>[\s\S]*?<\/li>/g)]
    assert.deepEqual(pluck(last, 1), ['12', '11', '10', '9', '8'])
    assert.match(many.text, /9 more redirect URIs are in the export\./)
    assert.match((await browser.get(`${address}/logs.csv`)).text, /callback\/1"?\r?\n/)
  })

  test('the newest 100 failed requests per endpoint are kept for 30 days, as both exports say at their end, and survive a restart', async (t) => {
    const { world, browser, address, token } = await openScene(t)
    const exported = async (format: string) => (await browser.get(`${address}/logs.${format}`)).text
    for (let index = 0; index < 99; index += 1) await token({ grant_type: 'nonsense' })
    assert.doesNotMatch((await exported('csv')) + (await exported('ndjson')), /latest 100|truncated/)
    for (let index = 0; index < 3; index += 1) await token({ grant_type: 'nonsense' })
    assert.match(failuresOn(await browser.get(`${address}/logs`))[0] ?? '', /^Token, 100 times/)
    const note = 'Only the latest 100 failed requests per endpoint are kept. Older ones may be missing.'
    assert.ok((await exported('csv')).endsWith(`\r\n${note},,,,,\r\n`))
    const german = new Browser(browser.cookies(), { 'accept-language': 'de' })
    assert.match((await german.get(`${address}/logs.csv`)).text, /\r\nNur die letzten 100 fehlgeschlagenen Anfragen/)
    assert.match(await exported('ndjson'), /\n\{"truncated":true,"limit":100\}\n$/)
    await world.restart()
    const again = await browser.visit(`${address}/logs`, world)
    assert.match(failuresOn(again)[0] ?? '', /^Token, 100 times/)
    await world.clock.advance(31 * 24 * 3_600_000)
    await world.service.requests.prune(500)
    assert.deepEqual(await world.service.requests.failures(parseApplicationId(address.split('/').at(-1) ?? '')!), [])
  })
})

test('our choice: failed requests with the same cause are one group; search and time range narrow the list and both exports, which contain formulas as text and double quotes', async (t) => {
  const { world, browser, address, ask, token } = await openScene(t)
  for (let index = 0; index < 3; index += 1) {
    await ask({ redirect_uri: 'https://acme.example/=1' })
  }
  await world.clock.advance(2 * 3_600_000)
  await token({ grant_type: 'nonsense' })
  const found = async (query: string) => {
    const page = await browser.get(`${address}/logs${query}`)
    return failuresOn(page).map((failure) => failure.split(':')[0])
  }
  assert.deepEqual(await found(''), ['Token, Once, unsupported_grant_type', 'Consent, 3 times, page'])
  assert.deepEqual(await found('?since=hour'), ['Token, Once, unsupported_grant_type'])
  assert.deepEqual(await found('?search=EXAMPLE%2F%3D1'), ['Consent, 3 times, page'])
  assert.deepEqual(await found('?search=nicht+registriert'), ['Consent, 3 times, page'])
  assert.deepEqual(await found('?search=invalid_scope&since=no'), [])
  assert.match((await browser.get(`${address}/logs?search=x.y`)).text, /No failed requests found/)

  const csv = await browser.get(`${address}/logs.csv?search=registered`)
  assertHeaders(csv, {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="failed-requests-${address.split('/').at(-1)}.csv"`,
    'cache-control': 'no-store',
  })
  const at = new Date(world.clock.nowMs() - 2 * 3_600_000).toISOString()
  const description = 'The redirect_uri is not registered for this client. It must match exactly.'
  const row = `${at},consent,,${description},,https://acme.example/=1\r\n`
  assert.equal(csv.text, `at,place,error,description,parameter,redirectUri\r\n${row.repeat(3)}`)
  const json = await browser.get(`${address}/logs.ndjson?search=registered`)
  assert.equal(json.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  const redirectUri = 'https://acme.example/=1'
  const line = { at, place: 'consent', error: null, description, parameter: null, redirectUri }
  assert.equal(json.text, `${JSON.stringify(line)}\n`.repeat(3))

  await ask({ redirect_uri: '=HYPERLINK("https://evil.example","x")' })
  const { text } = await browser.get(`${address}/logs.csv`)
  assert.ok(text.includes(`,"'=HYPERLINK(""https://evil.example"",""x"")"\r\n`), text)
})

test('our choice: usage shows users with access, and grants, refreshes and errors from the last 30 days', async (t) => {
  const { browser, address, token, redeem } = await openScene(t)
  const before = await browser.get(`${address}/usage`)
  assert.match(before.text, /<strong>0<\/strong> users have given the application access\./)
  const tokens = (await redeem()).json
  await redeem()
  await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
  await token({ grant_type: 'nonsense' })
  const page = await browser.get(`${address}/usage`)
  assert.match(page.text, /<strong>1<\/strong> user has given the application access\./)
  assert.match(page.text, /<span>Grants<\/span> <strong>2<\/strong>/)
  assert.match(page.text, /<span>Refreshes<\/span> <strong>1<\/strong>/)
  assert.match(page.text, /<span>Failed requests<\/span> <strong>1<\/strong>/)
})

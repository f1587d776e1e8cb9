import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseApplicationId } from '../../src/domain/ids.ts'
import { type Answer, allow, Browser, postForm, userinfo } from '../support/people.ts'
import { acme, atPortal, registered } from '../support/portal-people.ts'
import { openWorld } from '../support/world.ts'
import { inDatabase } from '../support/world-database.ts'

async function openScene(t: TestContext) {
  const world = await openWorld(t)
  const browser = await atPortal(world)
  const application = await registered(world, browser)
  const { clientId, clientSecret } = application
  const consentAddress = (query: Record<string, string> = {}) => {
    const request = { client_id: clientId, redirect_uri: acme.redirect_uris, response_type: 'code' }
    const scope = 'user.identify offline_access'
    return `${world.baseUrl}/auth/consent?${new URLSearchParams({ ...request, scope, ...query })}`
  }
  const token = (fields: Record<string, string>) =>
    postForm(`${world.baseUrl}/api/oauth/token`, { client_id: clientId, client_secret: clientSecret, ...fields })
  const redeem = async (more: Record<string, string> = {}) => {
    const code = (await allow(world, browser, consentAddress())).searchParams.get('code') ?? ''
    return token({ grant_type: 'authorization_code', code, redirect_uri: acme.redirect_uris, ...more })
  }
  return { world, browser, address: application.address, consentAddress, token, redeem, clientSecret }
}

/** Returns the failures listed on the page, newest first, as plain text that starts with the endpoint. */
function failuresOn(page: Answer): string[] {
  const [, section = ''] = /<section class="section" id="failed-requests"(.*?)<\/section>/s.exec(page.text) ?? []
  const rows = [...section.matchAll(/<\/th><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td>/gs)]
  return rows.map(([, place = '', cause = '']) => `${plain(place)}: ${plain(cause)}`)
}

function plain(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

describe('our choice: the owner sees an application’s last failed requests', () => {
  test('each failure has its cause and response: consent, client authentication, token and userinfo', async (t) => {
    const { world, browser, address, consentAddress, token, redeem } = await openScene(t)
    assert.match((await browser.get(address)).text, /No failed requests in the last 30 days\./)
    const stranger = new Browser()
    await stranger.get(consentAddress({ scope: 'no.such.scope' }))
    await token({ grant_type: 'authorization_code', client_secret: 'svc_cs_wrong' })
    await token({ grant_type: 'authorization_code', redirect_uri: acme.redirect_uris })
    const tokens = (await redeem()).json
    await token({ grant_type: 'refresh_token', refresh_token: 'svc_rt_unknown' })
    await world.clock.advance(901_000)
    await userinfo(world, tokens.access_token)
    assert.deepEqual(failuresOn(await browser.get(address)), [
      'Userinfo: invalid_token The access token has expired; it lives for 15 minutes. Refresh it.',
      'Token: invalid_grant The refresh token is not known. The user has to sign in again.',
      'Token: invalid_request The parameter code is missing.',
      'Client authentication: invalid_client The client_secret is wrong. A rotated or revoked secret stops working at once.',
      'Consent: invalid_scope The scope no.such.scope does not exist. The scopes are listed in the OpenAPI description.',
    ])
  })

  test('causes are in the reader’s language; causes stored by an earlier release stay in English', async (t) => {
    const { world, browser, address, consentAddress, token, redeem } = await openScene(t)
    const stranger = new Browser()
    await stranger.get(consentAddress({ scope: 'no.such.scope' }))
    await stranger.get(`${consentAddress()}&state=a&state=b`)
    await stranger.get(consentAddress({ redirect_uri: '' }))
    await token({ grant_type: 'authorization_code', client_secret: 'svc_cs_wrong' })
    await token({ grant_type: 'authorization_code', redirect_uri: acme.redirect_uris })
    await redeem({ redirect_uri: acme.redirect_uris, code_verifier: 'v'.repeat(43) })
    await browser.get(address)
    const [, id = ''] = /\/apps\/(\w+)$/.exec(address) ?? []
    const stored = 'The authorization code was issued to another client.'
    await inDatabase(
      world,
      'identity',
      `INSERT INTO failed_requests (application_id, at_ms, place, error, description, redirect_uri)
         VALUES ('${id}', ${world.clock.nowMs()}, 'token', 'invalid_grant', '${stored}', NULL)`,
    )
    await browser.get(`${world.portalUrl}/appearance/language/de`)
    assert.deepEqual(failuresOn(await browser.get(address)), [
      `Token: invalid_grant ${stored}`,
      'Token: invalid_grant Ein code_verifier wurde gesendet, aber die Autorisierungsanfrage enthielt keine code_challenge.',
      'Token: invalid_request Der Parameter code fehlt.',
      'Client-Authentifizierung: invalid_client Das client_secret ist falsch. Ein ersetztes oder widerrufenes Secret wird sofort ungültig.',
      'Zustimmung: Der Parameter redirect_uri fehlt. Statt einer Weiterleitung wurde eine Fehlerseite angezeigt.',
      'Zustimmung: invalid_request Der Parameter state kommt mehrfach vor. Senden Sie ihn nur einmal.',
      'Zustimmung: invalid_scope Den Scope no.such.scope gibt es nicht. Die Scopes stehen in der OpenAPI-Beschreibung.',
    ])
  })

  test('an unregistered redirect URI is shown next to the nearest registered one, with the difference marked', async (t) => {
    const { browser, address, consentAddress, redeem } = await openScene(t)
    await new Browser().get(consentAddress({ redirect_uri: 'https://acme.example/callback/' }))
    const wrong = { redirect_uri: 'https://acme.example/Callback' }
    assert.equal((await redeem(wrong)).json.error, 'invalid_grant')
    const page = await browser.get(address)
    const [atToken, atConsent] = failuresOn(page)
    assert.match(
      atConsent ?? '',
      /^Consent: The redirect_uri is not registered\..*An error page was shown instead of a redirect/,
    )
    assert.match(atToken ?? '', /^Token: invalid_grant The redirect_uri is not the one of the authorization request\./)
    assert.ok(page.text.includes('https://acme.example/callback<mark>/</mark></code>'))
    assert.ok(page.text.includes('https://acme.example/<mark>C</mark>allback</code>'))
  })

  test('failed requests contain no code, token or secret', async (t) => {
    const { world, browser, address, token, redeem, clientSecret } = await openScene(t)
    const tokens = (await redeem()).json
    await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    await token({ grant_type: 'authorization_code', code: 'svc_ac_guess', redirect_uri: 'https://acme.example/x' })
    await userinfo(world, tokens.access_token)
    const { text } = await browser.get(address)
    assert.equal(failuresOn({ text } as Answer).length, 3)
    for (const secret of [tokens.access_token, tokens.refresh_token, clientSecret, 'svc_ac_guess']) {
      assert.ok(!text.includes(secret))
    }
  })

  test('the newest fifty failures are kept for 30 days and survive a restart', async (t) => {
    const { world, browser, address, token } = await openScene(t)
    for (let index = 0; index < 52; index += 1) await token({ grant_type: `grant ${index}` })
    assert.equal(failuresOn(await browser.get(address)).length, 50)
    await world.restart()
    const again = await browser.visit(address, world)
    assert.equal(failuresOn(again).length, 50)
    await world.clock.advance(31 * 24 * 3_600_000)
    await world.service.requests.prune(500)
    assert.deepEqual(await world.service.requests.failures(parseApplicationId(address.split('/').at(-1) ?? '')!), [])
  })
})

describe('our choice: the owner sees an application’s usage', () => {
  test('usage shows users with access, and grants, refreshes and errors from the last 30 days', async (t) => {
    const { browser, address, token, redeem } = await openScene(t)
    const before = await browser.get(address)
    assert.match(before.text, /<strong>0<\/strong> users have given it access\./)
    const tokens = (await redeem()).json
    await redeem()
    await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    await token({ grant_type: 'nonsense' })
    const page = await browser.get(address)
    assert.match(page.text, /<strong>1<\/strong> user has given it access\./)
    assert.match(page.text, /<span>Grants<\/span> <strong>2<\/strong>/)
    assert.match(page.text, /<span>Refreshes<\/span> <strong>1<\/strong>/)
    assert.match(page.text, /<span>Failed requests<\/span> <strong>1<\/strong>/)
  })
})

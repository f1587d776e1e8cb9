import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Browser, consentUrl, formTokenOf, redeem, userinfo } from '../support/people.ts'
import { type Sent, send } from '../support/raw-http.ts'
import { openWorld, type World } from '../support/world.ts'
import { recordsOf } from './every-form.ts'
import type { PlainRequest } from './odd-requests.ts'
import { fillIn, routesOf } from './route-addresses.ts'
import { isStream, provisionScene, validRequests } from './valid-requests.ts'

const places = ['base', 'portal'] as const
const evil = 'evil.example'
const parameters = [
  ...['return', 'next', 'redirect', 'redirect_uri', 'attempt', 'to', 'url', 'state', 'code', 'page', 'done', 'search'],
  ...['q', 'level', 'flow', 'before', 'all', 'sent', 'client_id', 'error'],
]

const policyWith = (formAction: string) =>
  new RegExp(
    `^default-src 'none'; style-src 'self'; img-src 'self' https: data:; script-src 'self'; connect-src 'self';${formAction} frame-ancestors 'none'; base-uri 'none'$`,
  )

const headersOf = ({ headers }: PlainRequest) => Object.fromEntries(headers)
const formOf = ({ fields = {} }: PlainRequest) => new URLSearchParams(fields as Record<string, string>)
const asForm = { 'content-type': 'application/x-www-form-urlencoded' }

async function openPages(t: TestContext, place: (typeof places)[number]) {
  const world = await openWorld(t)
  const requests = await validRequests(world, place)
  const url = place === 'base' ? world.baseUrl : world.portalUrl
  const pages = requests.filter(
    ({ method, target }) => method === 'GET' && !target.startsWith('/api/') && !isStream(target),
  )
  const byTarget = new Map(
    requests
      .filter(({ method, as, target }) => method === 'POST' && as === 'form' && !target.startsWith('/api/'))
      .map((one) => [one.target, one]),
  )
  return { world, url, pages, forms: [...byTarget.values()] }
}

/** Returns the kinds of all audit events. Every security-relevant change adds one. */
async function auditedKinds(world: World): Promise<string[]> {
  return (await world.service.audit.after(0, 10_000)).map(({ kind }) => kind)
}

for (const place of places) {
  describe(`Every page and every form on the ${place} listener`, () => {
    test('our choice: every POST route rejects a request without the form token, with another browser’s token, or from another site, and changes nothing', async (t) => {
      const world = await openWorld(t)
      const scene = await provisionScene(world)
      const { browser } = scene
      const [url, own, foreign, valid, status] =
        place === 'base'
          ? ([world.baseUrl, '/account', '/sign-in', '/account/name', 303] as const)
          : ([world.portalUrl, '/', '/reference', '/apps/new', 422] as const)
      const token = formTokenOf(await browser.visit(url + own, world))
      const another = formTokenOf(await new Browser().get(url + foreign)) || 'A'.repeat(43)
      const { origin } = new URL(url)
      const post = async (path: string, forgery: Record<string, string>, formToken: string) => {
        const headers = { ...asForm, cookie: browser.cookieHeader(), origin, ...forgery }
        return (await send(url + path, 'POST', headers, `${formToken}&decision=allow&name=A+name`)).status
      }
      const routes = routesOf(url, 'POST')
      const states = async () => [await auditedKinds(world), await recordsOf(scene)]
      const before = await states()
      for (const route of routes) {
        for (const [forgery, formToken] of [
          [{}, ''],
          [{}, `form_token=${another}`],
          [{ origin: `https://${evil}`, 'sec-fetch-site': 'cross-site' }, `form_token=${token}`],
          [{ 'sec-fetch-site': 'same-site' }, `form_token=${token}`],
          [{ origin: `https://${evil}` }, `form_token=${token}`],
        ] as const) {
          const answered = await post(fillIn(route, scene.names), forgery, formToken)
          // The API for owners takes no cookies.
          assert.equal(answered, route.startsWith('/api/v1/') ? 401 : 403, `${route} ${JSON.stringify(forgery)}`)
        }
      }
      assert.ok(routes.length > (place === 'base' ? 40 : 5), `${routes.length} routes`)
      assert.deepEqual(await states(), before)
      assert.equal(await post(valid, {}, `form_token=${token}`), status, 'without forgery')
    })

    test('our choice: every page forbids framing, third-party scripts and caching', async (t) => {
      const { url, pages } = await openPages(t, place)
      let seen = 0
      for (const page of pages) {
        const { headers, status } = await send(url + page.target, 'GET', headersOf(page))
        if (!headers['content-type']?.toString().startsWith('text/html')) continue
        seen += 1
        assert.equal(headers['x-frame-options'], 'DENY', page.target)
        assert.equal(headers['x-content-type-options'], 'nosniff', page.target)
        // Callbacks of applications may redirect anywhere, and popups of applications keep their opener.
        const isInAttempt = /^\/auth\/consent(?:\?|$)|[?&]attempt=/.test(page.target)
        assert.equal(headers['cross-origin-opener-policy'], isInAttempt ? 'unsafe-none' : 'same-origin', page.target)
        const formAction = isInAttempt ? '' : " form-action 'self'[^;*]*;"
        assert.match(String(headers['content-security-policy']), policyWith(formAction), `${page.target} (${status})`)
        assert.match(String(headers['referrer-policy']), /^(same-origin|no-referrer)$/, page.target)
        // Bot status pages are public and may be cached briefly. No other page may be cached.
        if (!page.target.startsWith('/botstatus/')) assert.equal(headers['cache-control'], 'no-store', page.target)
      }
      assert.ok(seen > 5, `${seen} pages`)
    })

    test('our choice: a prefetch of any page is rejected, sets no cookie and changes nothing', async (t) => {
      const { world, url, pages } = await openPages(t, place)
      const before = await auditedKinds(world)
      for (const page of pages) {
        const prefetch = { ...headersOf(page), 'sec-purpose': 'prefetch' }
        const { status, headers, text } = await send(url + page.target, 'GET', prefetch)
        assert.deepEqual([status, text, headers['set-cookie']], [425, '', undefined], page.target)
      }
      assert.deepEqual(await auditedKinds(world), before)
    })

    test('our choice: no URL, header or form field makes a page redirect or link to another site, or becomes markup', async (t) => {
      const { url, pages, forms } = await openPages(t, place)
      const { origin, host } = new URL(url)
      const lures = [`https://${evil}/`, `//${evil}`, `/\\${evil}`, `/%09/${evil}`, `javascript:odd()`]
      const markup = `"'><svg/onload=ran()>`
      const look = ({ status, headers, text }: Sent, said: string) => {
        const { location } = headers
        if (status < 400 && location !== undefined) {
          const to = new URL(String(location), url)
          assert.ok(['localhost', 'client.example'].includes(to.hostname), `${said} leads to ${location}`)
        }
        assert.ok(!JSON.stringify(headers).includes(`//${evil}`), `${said}: ${JSON.stringify(headers)}`)
        assert.ok(!text.includes('<svg/onload'), `${said} shows markup`)
        for (const [, leading = ''] of text.matchAll(/\b(?:href|src|action|content)="([^"]*)"/g)) {
          assert.ok(!leading.startsWith(`https://${evil}`) && !leading.startsWith('//'), `${said} shows ${leading}`)
        }
      }
      for (const page of pages) {
        const [path = '/'] = page.target.split('?')
        const referer = { referer: `https://${evil}/`, 'x-forwarded-host': evil, forwarded: `host=${evil}` }
        const lure = lures[path.length % lures.length] as string
        const headers = { ...headersOf(page), ...referer }
        const below = `${path}/${encodeURIComponent(markup)}?${encodeURIComponent(markup)}`
        const queries = [lure, markup].map((text) => new URLSearchParams(parameters.map((name) => [name, text])))
        for (const target of [below, ...queries.map((query) => `${path}?${query}`)]) {
          look(await send(url + target, 'GET', headers), `GET ${target}`)
        }
        look(await send(url + page.target, 'GET', { ...headers, host: evil }), `GET ${page.target} with Host ${evil}`)
      }
      for (const form of forms) {
        if (/sign-out|deletion|password|email/.test(form.target)) continue
        const body = formOf(form)
        for (const name of ['return', 'next', 'redirect_uri', 'attempt']) body.append(name, `https://${evil}/`)
        const headers = { ...headersOf(form), ...asForm, referer: `https://${evil}/`, origin, host }
        look(await send(url + form.target, 'POST', headers, String(body)), `POST ${form.target} ${body}`)
      }
    })
  })
}

const sessionOf = (cookies: string, name = 'gatehouse-session') => new RegExp(`${name}=([^;]+)`).exec(cookies)?.[1]

test('our choice: a session on one surface gives no access to the other surface, and an ended session gives no access', async (t) => {
  const { world, browser } = await provisionScene(await openWorld(t))
  await browser.visit(world.portalUrl, world)
  const cookies = browser.cookieHeader()
  const [identity, portal] = [sessionOf(cookies), sessionOf(cookies, 'gatehouse-portal-session')]
  const statusOf = async (url: string, cookie: string) => (await send(url, 'GET', { cookie })).status
  assert.equal(await statusOf(`${world.baseUrl}/account`, `gatehouse-session=${identity}`), 200)
  assert.equal(await statusOf(`${world.baseUrl}/account`, `gatehouse-session=${portal}`), 302)
  assert.notEqual(await statusOf(`${world.portalUrl}/`, `gatehouse-portal-session=${identity}`), 200)
  assert.equal((await browser.submitAt(`${world.baseUrl}/account`, {}, '/sign-out')).status, 303)
  assert.equal(await statusOf(`${world.baseUrl}/account`, `gatehouse-session=${identity}`), 302)
})

test('our choice: a user who opens another user’s consent page decides only for their own account', async (t) => {
  const { world, browser, client } = await provisionScene(await openWorld(t))
  const asked = await browser.visit(consentUrl(world, client), world)
  const eve = new Browser()
  const form = { name: 'Eve', email: 'eve@example.com', password: 'the apple of the tree' }
  await eve.submitAt(`${world.baseUrl}/sign-up`, form)
  const opened = await eve.visit(asked.url, world)
  assert.doesNotMatch(opened.text, /Ada/)
  const { location } = await eve.submit(opened, { decision: 'allow' }, '/auth/consent')
  const tokens = await redeem(world, client, location?.searchParams.get('code') ?? '')
  assert.equal((await userinfo(world, tokens.json.access_token)).json.name, 'Eve')
})

test('our choice: among the URLs of records, only those of forms for new ones have a word in place of the ID', async (t) => {
  const world = await openWorld(t)
  const shadows = (['baseUrl', 'portalUrl', 'controlUrl'] as const).flatMap((listener) => {
    const paths = (['GET', 'POST', 'PUT'] as const).flatMap((method) => routesOf(world[listener], method))
    // Nobody chooses event IDs, and they contain a number.
    const forms = paths.map((path) => RegExp(`^${path.replaceAll(/:(?!event)\w*(id|Id|Ref)\b/g, ':?[\\w-]+')}$`))
    return paths.filter((path) => forms.some((form, at) => paths[at] !== path && form.test(path)))
  })
  assert.deepEqual(new Set(shadows), new Set(['/account/subscriptions/new', '/apps/new']))
})

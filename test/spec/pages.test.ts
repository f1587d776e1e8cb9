import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser, openClient } from '../support/people.ts'
import { send } from '../support/raw-http.ts'
import { openWorld } from '../support/world.ts'

test('pages have the fields and buttons that programs and browser tests use', async (t) => {
  const { world, browser } = await openClient(t)
  await browser.visit(world.portalUrl, world)
  const [email, password] = ['Email address', 'Password']
  for (const [url, fields, buttons, by] of [
    [`${world.baseUrl}/sign-up`, { name: 'Name', email, password }, ['Create account'], new Browser()],
    [`${world.baseUrl}/sign-in`, { email, password }, ['Sign in', 'Sign in with a passkey'], new Browser()],
    [`${world.baseUrl}/unlock`, { pin: 'PIN' }, ['Unlock'], browser],
    [`${world.baseUrl}/account/pin`, { pin: 'New PIN', pin_again: 'Repeat new PIN', password }, ['Save PIN'], browser],
    [
      `${world.portalUrl}/apps/new`,
      { name: 'Name', website_url: 'Website URL', redirect_uris: 'Redirect URIs' },
      ['Register application'],
      browser,
    ],
  ] as const) {
    const { status, text } = await by.get(url)
    assert.equal(status, 200, url)
    for (const [name, label] of Object.entries(fields)) {
      assert.match(text, new RegExp(`<label for="${name}">${label}</label>`))
      assert.match(text, new RegExp(`<(input|textarea) [^>]*name="${name}"[^>]* id="${name}"`))
    }
    for (const button of buttons)
      assert.match(text, new RegExp(`<button type="(submit|button)"[^>]*>${button}</button>`))
  }
})

describe('our choice: all pages', () => {
  test('an asset is cached permanently at its versioned URL and revalidated at its plain URL', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.baseUrl}/sign-in`)
    const files = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, file = '']) => file)
    assert.deepEqual([...new Set(files.map((file) => file.split('?')[0]))].sort(), [
      '/assets/gatehouse.css',
      '/assets/gatehouse.js',
      '/assets/mark.svg',
      '/assets/passkeys.js',
      '/assets/simplewebauthn-browser.js',
    ])
    for (const origin of [world.baseUrl, world.portalUrl]) {
      for (const file of files) {
        const kept = await fetch(origin + file)
        assert.equal(kept.status, 200, file)
        assert.equal(kept.headers.get('cache-control'), 'public, max-age=31536000, immutable')
        assert.equal(kept.headers.get('x-content-type-options'), 'nosniff')
        const plain = await fetch(origin + file.split('?')[0])
        assert.equal(plain.headers.get('cache-control'), 'no-cache')
        const etag = plain.headers.get('etag') ?? ''
        const again = await fetch(origin + file.split('?')[0], {
          // Without this header, fetch sends `no-cache`, and the server would ignore the ETag.
          headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
        })
        assert.equal(again.status, 304)
      }
      const icon = await fetch(`${origin}/favicon.ico`)
      assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/svg+xml'])
      for (const elsewhere of ['/assets/', '/assets/none.css', '/assets/..%2fpage.ts', '/assets/%2e%2e/page.ts']) {
        assert.equal((await fetch(origin + elsewhere)).status, 404, elsewhere)
      }
    }
  })

  test('a URL that is unknown, malformed or too long returns 404, for browsers a page with a link to the home page', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    await browser.get(`${world.baseUrl}/appearance/language/de`)
    await browser.get(`${world.portalUrl}/appearance/language/de`)
    const tooLong = 'x'.repeat(300)
    for (const address of ['/nowhere', '/account/%', '/bots/%c0%af', `/bots/${tooLong}`, `/apps/${tooLong}`]) {
      for (const origin of [world.baseUrl, world.portalUrl]) {
        const { status, text, headers } = await browser.get(origin + address)
        assert.deepEqual([status, headers.get('cache-control')], [404, 'no-store'], address)
        assert.match(text, /<html lang="de"[\s\S]*<h1>Seite nicht gefunden<\/h1>/)
        assert.match(text, /<a class="button plain" href="\/[a-z]*">[^<]+ öffnen<\/a>/)
      }
      const problem = await fetch(world.controlUrl + address)
      assert.equal(problem.headers.get('content-type'), 'application/problem+json; charset=utf-8')
      const detail = 'There is nothing at this URL. /openapi.json describes the API.'
      assert.deepEqual(await problem.json(), { type: 'about:blank', title: 'Not Found', status: 404, detail })
    }
  })

  test('an asset is compressed with gzip if the browser accepts it; stylesheets and scripts are sent without their comments', async (t) => {
    const world = await openWorld(t)
    const ask = async (encodings: string) =>
      (await send(`${world.baseUrl}/assets/gatehouse.css`, 'GET', { 'accept-encoding': encodings })).headers
    const [small, plain] = [await ask('gzip, deflate, br'), await ask('br, gzip;q=0')]
    assert.deepEqual([small['content-encoding'], small.vary], ['gzip', 'accept-encoding'])
    assert.deepEqual([plain['content-encoding'], plain.vary], [undefined, 'accept-encoding'])
    assert.notEqual(small.etag, plain.etag)
    assert.ok(Number(small['content-length']) < Number(plain['content-length']) / 3)

    for (const file of ['gatehouse.css', 'gatehouse.js', 'live.js']) {
      const text = await (await fetch(`${world.baseUrl}/assets/${file}`)).text()
      assert.match(text, /\{[\s\S]*\}/)
      assert.doesNotMatch(text, /^\s*(\/\/|\/\*)/m, file)
    }
  })

  test('without scripts, choosing a theme, or turning keys off, stores it in a cookie and returns to the page on which it was chosen', async (t) => {
    const world = await openWorld(t)
    const from = { headers: { referer: `${world.baseUrl}/sign-up?attempt=x`, 'sec-fetch-site': 'same-origin' } }
    const choose = (theme: string, init: RequestInit = from) =>
      fetch(`${world.baseUrl}/appearance/${theme}`, { ...init, redirect: 'manual' })
    const shown = async (cookie: string) =>
      (await (await fetch(`${world.portalUrl}/nowhere`, { headers: { cookie } })).text()).split('\n')[1]

    for (const [choice, cookie] of [
      ['dark', /^gatehouse-theme=dark; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/],
      ['system', /^gatehouse-theme=; .*Expires=Thu, 01 Jan 1970/],
      ['keys/off', /^gatehouse-keys=off; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/],
      ['keys/on', /^gatehouse-keys=; .*Expires=Thu, 01 Jan 1970/],
    ] as const) {
      const { status, headers } = await choose(choice)
      assert.deepEqual([status, headers.get('location')], [303, '/sign-up?attempt=x'], choice)
      assert.match(headers.getSetCookie().join('\n'), cookie)
    }
    assert.equal(await shown('gatehouse-theme=dark'), '<html lang="en" data-theme="dark">')
    assert.equal(await shown('gatehouse-theme=light'), '<html lang="en" data-theme="light">')
    assert.equal(await shown('gatehouse-theme="><script>'), '<html lang="en">')
    assert.equal(await shown('gatehouse-keys=off'), '<html lang="en" data-keys="off">')
    const elsewhere = await choose('dark', {
      headers: { referer: 'https://evil.example/x', 'sec-fetch-site': 'cross-site' },
    })
    assert.deepEqual([elsewhere.headers.get('location'), elsewhere.headers.getSetCookie()], ['/', []])
    assert.equal((await choose('sepia')).status, 404)
  })

  test('a browser that uses another loopback name is redirected to the configured host, where forms work', async (t) => {
    const world = await openWorld(t)
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    for (const { port, origin } of [new URL(world.baseUrl), new URL(world.portalUrl)]) {
      const ask = async (host: string, path: string, headers: Record<string, string> = browser) => {
        const answer = await send(origin + path, 'GET', { ...headers, host })
        return [answer.status, answer.headers.location]
      }
      for (const name of ['127.0.0.1', '[::1]']) {
        for (const path of ['/sign-in?attempt=x&y=%2F', '//evil.example/']) {
          assert.deepEqual(await ask(`${name}:${port}`, path), [302, origin + path])
        }
      }
      // 127.0.0.1:1 has another port, so that request may come from a proxy.
      for (const host of [`localhost:${port}`, `elsewhere.example:${port}`, '127.0.0.1:1']) {
        assert.deepEqual(await ask(host, '/nowhere'), [404, undefined], host)
      }
      assert.deepEqual(await ask(`127.0.0.1:${port}`, '/nowhere', { accept: 'application/json' }), [404, undefined])
    }
  })

  test('a URL with a trailing slash redirects to the URL without it, never to another host', async (t) => {
    const world = await openWorld(t)
    const ask = (address: string, method = 'GET') => fetch(address, { method, redirect: 'manual' })
    for (const origin of [world.baseUrl, world.portalUrl]) {
      for (const [asked, led] of [
        ['/bots/bot-1/', '/bots/bot-1'],
        ['/account/?done=name', '/account?done=name'],
        ['/apps/new/', '/apps/new'],
      ]) {
        const answer = await ask(`${origin}${asked}`)
        assert.deepEqual([answer.status, answer.headers.get('location')], [301, led])
      }
      for (const elsewhere of [
        '//evil.example/',
        '/\\evil.example/',
        '/a//',
        '/%5cevil.example//',
        '/api/oauth/token/',
      ]) {
        const answer = await ask(`${origin}${elsewhere}`)
        assert.deepEqual([answer.status, answer.headers.get('location')], [404, null], elsewhere)
      }
      assert.equal((await ask(`${origin}/account/`, 'POST')).status, 404)
    }
  })

  test('a post that is not a form gets a 415 page, and a form or a URL with more than 1,000 parameters a 413 page', async (t) => {
    const { baseUrl, portalUrl } = await openWorld(t)
    for (const url of [`${portalUrl}/apps/new`, `${baseUrl}/sign-in`, `${baseUrl}/auth/consent`]) {
      const asJson = { 'content-type': 'application/json' }
      const answer = await fetch(url, { method: 'POST', headers: asJson, body: '{"client_id":"x","encoded":1}' })
      assert.equal(answer.status, 415, url)
      assert.match(await answer.text(), /<h1>Invalid form data<\/h1>/)
      for (const parameters of [1_000, 1_001]) {
        const text = `client_id=x${'&a'.repeat(parameters - 1)}`
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        for (const [title, answer] of [
          ['This URL is too long', await fetch(`${url}?${text}`, { redirect: 'manual' })],
          ['Invalid form data', await fetch(url, { method: 'POST', headers, body: text, redirect: 'manual' })],
        ] as const) {
          const refused = [answer.status, (await answer.text()).includes(`<h1>${title}</h1>`)]
          assert.equal(refused.join(' ') === '413 true', parameters === 1_001, `${url} ${refused}`)
        }
      }
    }
  })

  test('a page uses the language chosen on a page, else the first supported one that the browser accepts, else English', async (t) => {
    const world = await openWorld(t)
    const languageFor = async (accepted: string) => {
      const page = await fetch(`${world.baseUrl}/nothing-here`, { headers: { 'accept-language': accepted } })
      const text = await page.text()
      assert.equal(text.includes('Seite nicht gefunden'), /<html lang="de"/.test(text))
      assert.equal(text.includes('Page not found'), /<html lang="en"/.test(text))
      return /<html lang="(\w+)"/.exec(text)?.[1]
    }
    for (const accepted of ['de', 'de-AT,en;q=0.5', 'it, de;q=0.3, en;q=0.2', 'en;q=0.1, DE']) {
      assert.equal(await languageFor(accepted), 'de', accepted)
    }
    // Reading as many as fit into the headers would take 40 ms.
    const tooMany = `${'it,'.repeat(4_000)}de`
    for (const accepted of [tooMany, '', 'it', '*', 'en, de;q=0.9', 'de;q=0', 'de;q=x,en', ';;;,=']) {
      assert.equal(await languageFor(accepted), 'en', accepted)
    }

    const browser = new Browser()
    const page = await browser.get(`${world.baseUrl}/sign-in`)
    assert.match(page.text, /<a class="de" href="\/appearance\/language\/de"[^>]*>Deutsch/)
    const chosen = await browser.get(`${world.baseUrl}/appearance/language/de`)
    assert.equal(chosen.status, 303)
    assert.match((await browser.get(`${world.baseUrl}/nothing-here`)).text, /<html lang="de"/)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const elsewhere = await fetch(`${world.baseUrl}/appearance/language/en`, { headers, redirect: 'manual' })
    assert.deepEqual([elsewhere.status, elsewhere.headers.get('set-cookie')], [303, null])
    assert.equal((await browser.get(`${world.baseUrl}/appearance/language/it`)).status, 404)
  })
})

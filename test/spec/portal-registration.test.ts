import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldErrorOf, formTokenOf, titleOf } from '../support/page-words.ts'
import { acme, atNewPortal, authenticates, hasButton, register, registered, shown } from '../support/portal-people.ts'

describe('{portal_url}/apps/new', () => {
  test('the page has the fields name, website_url, environment, redirect_uris and the button Register application', async (t) => {
    const { world, browser } = await atNewPortal(t)
    const page = await browser.get(`${world.portalUrl}/apps/new`)
    assert.equal(page.status, 200)
    for (const name of ['name', 'website_url']) assert.match(page.text, new RegExp(`<input [^>]*name="${name}"`))
    assert.match(page.text, /<textarea name="redirect_uris"/)
    assert.match(page.text, /<input type="radio" name="environment"[^>]* value="production"[^>]* checked>/)
    assert.match(page.text, /<input type="radio" name="environment"[^>]* value="development"[^>]*>/)
    assert.ok(hasButton(page, 'Register application'))
    assert.notEqual(formTokenOf(page), '')
  })

  test('the form registers an application; the response shows its client ID and, only this once, its client secret', async (t) => {
    const { world, browser } = await atNewPortal(t)
    const answer = await register(world, browser)
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(String(answer.location), new RegExp(`^${world.portalUrl}/apps/[A-Za-z0-9_-]{1,64}$`))
    const [clientId, clientSecret] = [shown(answer, 'client-id'), shown(answer, 'client-secret')]
    assert.match(clientId, /^svc_ci_[A-Za-z0-9_]+$/)
    assert.match(clientSecret, /^svc_cs_[A-Za-z0-9_]{43,}$/)
    assert.ok(await authenticates(world, clientId, clientSecret))
    assert.ok(!world.logs().includes(clientSecret), 'the client secret is logged')
  })

  test('redirect URIs are read one per line, without empty lines, duplicates and surrounding spaces, and names on one line', async (t) => {
    const { world, browser } = await atNewPortal(t)
    const uris =
      ' https://acme.example/callback \r\n\r\nhttps://acme.example/callback/\nhttps://acme.example/callback\n'
    const typed = { ...acme, name: '  Acme \n Dashboard ', website_url: ' https://acme.example ', redirect_uris: uris }
    const { address } = await registered(world, browser, typed)
    const page = await browser.get(address)
    const field = /<textarea name="redirect_uris"[^>]*>\n([^<]*)</.exec(page.text)?.[1]
    assert.equal(field, 'https://acme.example/callback\nhttps://acme.example/callback/')
    for (const value of ['Acme Dashboard', 'https://acme.example']) assert.ok(page.text.includes(`value="${value}"`))
  })

  const refused: [rule: string, form: Partial<typeof acme>, error: string][] = [
    ['name: provided at registration', { name: ' ' }, 'Enter a name for your application.'],
    [
      'website URL: must use https://',
      { website_url: 'http://acme.example' },
      'The website URL must start with https://.',
    ],
    [
      'website URL: provided at registration',
      { website_url: '' },
      'This is not a URL. Enter one like https://acme.example.',
    ],
    ...Object.entries({
      'at least one required': ['\n', 'Enter at least one redirect URI, such as https://acme.example/callback.'],
      'production ones must use https://': [
        'http://localhost:8080/callback',
        'http://localhost:8080/callback starts with http://. Production allows only https://. Change it, or choose Development while you build on your own machine.',
      ],
      'no wildcards or patterns': [
        'https://acme.example/*',
        'https://acme.example/* has a *. Redirect URIs must match exactly, so enter each one on a separate line.',
      ],
      'one per line (our choice)': [
        'https://acme.example/cb,https://b.example/cb',
        'https://acme.example/cb,https://b.example/cb contains several URLs. Enter one per line.',
      ],
      'without parameters of the response (our choice)': [
        'https://acme.example/cb?state=1',
        'https://acme.example/cb?state=1 has code, state, error, error_description, error_uri or iss in its query. Gatehouse adds these parameters itself. Remove them.',
      ],
      absolute: [
        'acme.example/callback',
        'acme.example/callback is not a complete URL. Start with https:// and the host, such as https://acme.example/callback.',
      ],
      'without fragment': [
        'https://acme.example/#here',
        'https://acme.example/#here has a part after #, which never reaches your server. Remove it.',
      ],
      'without user information': [
        'https://ada@acme.example/',
        'https://ada@acme.example/ has a user name before the @. Remove it.',
      ],
    } as const).map(
      ([rule, [uri, error]]) => [`redirect URIs: ${rule}`, { redirect_uris: uri }, error] as [string, object, string],
    ),
    [
      'redirect URIs: http:// is for loopback hosts only, also in development',
      { environment: 'development', redirect_uris: 'http://acme.example/callback' },
      'http://acme.example/callback starts with http://, which is allowed only for localhost, 127.0.0.1 and [::1]. Change it to https://.',
    ],
  ]
  test('each violated rule shows an error at its field and keeps the input of the registration', async (t) => {
    const { world, browser } = await atNewPortal(t)
    for (const [rule, form, error] of refused) {
      const field = Object.keys(form).at(-1) ?? ''
      const answer = await register(world, browser, { ...acme, ...form })
      assert.equal(answer.status, 422, rule)
      assert.equal(titleOf(answer), 'Application not registered · Developer portal')
      assert.equal(fieldErrorOf(answer, field), error, rule)
      assert.match(answer.text, new RegExp(`name="${field}"[^>]*aria-describedby="[^"]*${field}-error"`), rule)
      const kept = { ...acme, ...form }
      assert.ok(answer.text.includes(`name="website_url" id="website_url"`), rule)
      assert.ok(answer.text.includes(`value="${kept.website_url}"`), rule)
      assert.ok(answer.text.includes(kept.redirect_uris), rule)
    }
    const many = Array.from({ length: 51 }, (_, index) => `https://a.example/${index}`).join('\n')
    for (const form of [
      ...['a.example', 'https://', 'https://a@b.example', 'javascript:x'].map((website_url) => ({ website_url })),
      { name: 'x'.repeat(101), website_url: '', redirect_uris: many },
    ]) {
      const answer = await register(world, browser, { ...acme, ...form })
      assert.equal(answer.status, 422)
      for (const field of Object.keys(form)) assert.notEqual(fieldErrorOf(answer, field), '', JSON.stringify(form))
    }
    const { text } = await browser.get(world.portalUrl)
    assert.match(text, /You have no applications yet[\s\S]*href="\/apps\/new">Register an application</)
  })
})

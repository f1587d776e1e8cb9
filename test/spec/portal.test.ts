import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldErrorOf, formTokenOf, titleOf } from '../support/page-words.ts'
import { Browser } from '../support/people.ts'
import {
  acme,
  ada,
  atPortal,
  authenticates,
  bob,
  hasButton,
  register,
  registered,
  shown,
} from '../support/portal-people.ts'
import { openWorld, type World } from '../support/world.ts'

describe('{portal_url}/', () => {
  test("/ lists the user's applications", async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId } = await registered(world, browser)
    await world.clock.advance(1_000)
    await registered(world, browser, { ...acme, name: 'Bolt & <Nut>' })
    const page = await browser.get(world.portalUrl)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const names = [...page.text.matchAll(/<a href="\/apps\/\w+">([^<]*)<\/a>/g)].map(([, name]) => name)
    assert.deepEqual(names, ['Bolt &amp; &lt;Nut&gt;', 'Acme Dashboard'])
    assert.ok(page.text.includes(`href="${new URL(address).pathname}"`))
    assert.ok(page.text.includes(clientId))
  })

  test('our choice: without an application it says what one is, and leads to its registration', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const page = await browser.get(world.portalUrl)
    assert.match(page.text, /You have no application yet/)
    assert.match(page.text, /href="\/apps\/new">Register an application</)
  })

  test("another user's applications are not listed", async (t) => {
    const world = await openWorld(t)
    await registered(world, await atPortal(world))
    const page = await (await atPortal(world, bob)).get(world.portalUrl)
    assert.ok(!page.text.includes(acme.name))
  })
})

describe('{portal_url}/apps/new', () => {
  test('the page has the fields name, website_url, environment, redirect_uris and the button Register application', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const page = await browser.get(`${world.portalUrl}/apps/new`)
    assert.equal(page.status, 200)
    for (const name of ['name', 'website_url']) assert.match(page.text, new RegExp(`<input [^>]*name="${name}"`))
    assert.match(page.text, /<textarea name="redirect_uris"/)
    assert.match(page.text, /<input type="radio" name="environment"[^>]* value="production"[^>]* checked>/)
    assert.match(page.text, /<input type="radio" name="environment"[^>]* value="development"[^>]*>/)
    assert.ok(hasButton(page, 'Register application'))
    assert.notEqual(formTokenOf(page), '')
  })

  test('registers an application, and shows its client id and, once, its client secret', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
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

  test('redirect URIs are taken one a line, without empty lines and spaces around them', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const uris = ' https://acme.example/callback \r\n\r\nhttps://acme.example/callback/\n'
    const { address } = await registered(world, browser, { ...acme, redirect_uris: uris })
    const page = await browser.get(address)
    const field = /<textarea name="redirect_uris"[^>]*>\n([^<]*)</.exec(page.text)?.[1]
    assert.equal(field, 'https://acme.example/callback\nhttps://acme.example/callback/')
  })

  const refused: { rule: string; form: Partial<typeof acme>; field: string; error: string }[] = [
    {
      rule: 'name: provided at registration',
      form: { name: ' ' },
      field: 'name',
      error: 'Enter a name for your application.',
    },
    {
      rule: 'website URL: must use https://',
      form: { website_url: 'http://acme.example' },
      field: 'website_url',
      error: 'The website takes https:// only. Change the beginning.',
    },
    {
      rule: 'website URL: provided at registration',
      form: { website_url: '' },
      field: 'website_url',
      error: 'This is not a web address. It looks like https://acme.example.',
    },
    {
      rule: 'redirect URIs: at least one required',
      form: { redirect_uris: '\n' },
      field: 'redirect_uris',
      error:
        'Enter at least one redirect URI: the address of your application to which people return, such as https://acme.example/callback.',
    },
    {
      rule: 'redirect URIs: production ones must use https://',
      form: { redirect_uris: 'http://localhost:8080/callback' },
      field: 'redirect_uris',
      error:
        'http://localhost:8080/callback begins with http://. Production takes https:// only: change it, or choose Development while you build on your own machine.',
    },
    {
      rule: 'redirect URIs: no wildcards or patterns',
      form: { redirect_uris: 'https://acme.example/*' },
      field: 'redirect_uris',
      error:
        'https://acme.example/* has a *. Redirect URIs are matched character by character, so list each address on a line of its own.',
    },
    {
      rule: 'redirect URIs: absolute',
      form: { redirect_uris: 'acme.example/callback' },
      field: 'redirect_uris',
      error:
        'acme.example/callback is not a whole address. Begin with https:// and the host, such as https://acme.example/callback.',
    },
    {
      rule: 'redirect URIs: without fragment',
      form: { redirect_uris: 'https://acme.example/#here' },
      field: 'redirect_uris',
      error: 'https://acme.example/#here has a part behind #, which never reaches your server. Leave it out.',
    },
    {
      rule: 'redirect URIs: without user information',
      form: { redirect_uris: 'https://ada@acme.example/' },
      field: 'redirect_uris',
      error: 'https://ada@acme.example/ has a user name before the @. Leave it out.',
    },
    {
      rule: 'http:// elsewhere is never taken',
      form: { environment: 'development', redirect_uris: 'http://acme.example/callback' },
      field: 'redirect_uris',
      error:
        'http://acme.example/callback begins with http://, which is for localhost, 127.0.0.1 and [::1] only. Change it to https://.',
    },
  ]
  test('what breaks a rule is told beside its field, and what was typed is kept', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    for (const { rule, form, field, error } of refused) {
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
    assert.match((await browser.get(world.portalUrl)).text, /You have no application yet/)
  })

  test('development also takes http://localhost:PORT, and http://127.0.0.1 and http://[::1] on any port', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const uris = ['http://localhost:8080/callback', 'http://127.0.0.1/callback', 'http://[::1]:9999/callback']
    await registered(world, browser, { ...acme, environment: 'development', redirect_uris: uris.join('\n') })
  })
})

describe('{portal_url}/apps/{applicationId}', () => {
  test('shows credentials, an authorization URL generator and settings', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId } = await registered(world, browser)
    const page = await browser.get(address)
    assert.equal(page.status, 200)
    assert.equal(shown(page, 'client-id'), clientId)
    assert.ok(shown(page, 'authorization-url').startsWith(`${world.baseUrl}/auth/consent?client_id=${clientId}&`))
    for (const value of [acme.name, acme.website_url]) assert.ok(page.text.includes(`value="${value}"`))
    for (const name of ['Rotate secret', 'Save changes', 'Delete application']) assert.ok(hasButton(page, name), name)
  })

  test('the client secret is shown once at creation; afterwards only a masked value is displayed', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientSecret } = await registered(world, browser)
    for (const page of [await browser.get(address), await browser.get(address)]) {
      assert.equal(shown(page, 'client-secret'), `••••${clientSecret.slice(-4)}`)
      assert.ok(!page.text.includes(clientSecret))
    }
  })

  test('the client secret can be rotated, and rotation invalidates the old secret immediately', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId, clientSecret } = await registered(world, browser)
    const question = await browser.get(`${address}/secret`)
    assert.match(
      question.text,
      new RegExp(`All current secrets stop working immediately: <code>••••${clientSecret.slice(-4)}</code>`),
    )
    assert.ok(hasButton(question, 'Rotate secret'))
    assert.ok(await authenticates(world, clientId, clientSecret), 'asking changes nothing')

    const answer = await browser.submit(question, {}, '/secret')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const rotated = shown(answer, 'client-secret')
    assert.match(rotated, /^svc_cs_[A-Za-z0-9_]{43,}$/)
    assert.deepEqual(
      [await authenticates(world, clientId, clientSecret), await authenticates(world, clientId, rotated)],
      [false, true],
    )
    assert.equal(shown(await browser.get(address), 'client-secret'), `••••${rotated.slice(-4)}`)
  })

  test('settings can be changed; a change that breaks a rule changes nothing', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address } = await registered(world, browser)
    const path = new URL(address).pathname
    const wanted = { ...acme, name: 'Acme Console', redirect_uris: 'https://console.acme.example/callback' }
    const saved = await browser.submit(await browser.get(address), wanted, path)
    assert.deepEqual([saved.status, String(saved.location)], [303, address])
    assert.match((await browser.get(saved.location as URL)).text, /Your changes are saved/)

    const refusal = await browser.submit(
      await browser.get(address),
      { ...wanted, name: 'Other', redirect_uris: '' },
      path,
    )
    assert.equal(refusal.status, 422)
    assert.match(fieldErrorOf(refusal, 'redirect_uris'), /^Enter at least one redirect URI/)
    assert.ok(refusal.text.includes('value="Other"'), 'what was typed is kept')
    const page = await browser.get(address)
    assert.match(page.text, /<h1>Acme Console<\/h1>/)
    assert.ok(page.text.includes('https://console.acme.example/callback'))
  })

  test('deleting asks once more, ends the application and its credentials, and leads to the list', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId, clientSecret } = await registered(world, browser)
    const question = await browser.get(`${address}/deletion`)
    assert.match(question.text, /This can not be undone/)
    assert.ok(hasButton(question, 'Delete application'))
    const answer = await browser.submit(question, {}, '/deletion')
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/'])
    assert.match((await browser.get(answer.location as URL)).text, /The application is deleted/)
    assert.equal(await authenticates(world, clientId, clientSecret), false)
    assert.equal((await browser.get(address)).status, 404)
  })

  test("our choice: an application that does not exist and another user's answer the same 404", async (t) => {
    const world = await openWorld(t)
    const { address } = await registered(world, await atPortal(world))
    const browser = await atPortal(world, bob)
    const form = await browser.get(`${world.portalUrl}/apps/new`)
    const token = new URLSearchParams({ ...acme, form_token: formTokenOf(form) })
    const addresses = [address, `${world.portalUrl}/apps/none`, `${world.portalUrl}/apps/no%20id`]
    for (const part of ['', '/secret', '/deletion']) {
      const answers = await Promise.all(addresses.map((one) => browser.get(one + part)))
      const posted = await Promise.all(addresses.map((one) => browser.post(one + part, token)))
      for (const answer of [...answers, ...posted]) {
        assert.equal(answer.status, 404, answer.url)
        assert.equal(answer.text, answers[0]?.text, answer.url)
      }
    }
    assert.equal((await (await signedInAgain(world)).get(address)).status, 200, 'it is untouched')
  })

  test('our choice: a post without its own anti-forgery field, or from another site, is refused and changes nothing', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId, clientSecret } = await registered(world, browser)
    for (const path of ['/secret', '/deletion', '']) {
      const answer = await browser.post(address + path, new URLSearchParams(acme))
      assert.equal(answer.status, 403, path)
      assert.match(answer.text, /This form is out of date/)
    }
    assert.ok(await authenticates(world, clientId, clientSecret))
  })
})

/** Ada's browser after she signs in anew. */
async function signedInAgain(world: World): Promise<Browser> {
  const browser = new Browser()
  const page = await browser.get(`${world.baseUrl}/sign-in`)
  await browser.submit(page, { email: ada.email, password: ada.password }, '/sign-in')
  await browser.visit(world.portalUrl, world)
  return browser
}

describe('The authorization URL generator', () => {
  test('makes the address of the consent flow from what is chosen, without scripts', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const redirectUris = ['https://acme.example/callback', 'https://acme.example/other?tenant=a&b']
    const { address, clientId } = await registered(world, browser, { ...acme, redirect_uris: redirectUris.join('\n') })
    const chosen = new URLSearchParams([
      ['scope', 'bots.read'],
      ['scope', 'user.email'],
      ['scope', 'made.up'],
      ['redirect_uri', redirectUris[1] ?? ''],
      ['state', 'a b&c'],
      ['consent', 'skip'],
    ])
    const url = new URL(shown(await browser.get(`${address}?${chosen}`), 'authorization-url'))
    assert.equal(url.origin + url.pathname, `${world.baseUrl}/auth/consent`)
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      client_id: clientId,
      redirect_uri: redirectUris[1],
      response_type: 'code',
      scope: 'user.email bots.read',
      state: 'a b&c',
      consent: 'skip',
    })
    const consent = await browser.visit(url, world)
    assert.equal(consent.location?.searchParams.get('error'), 'consent_required')
  })

  test('without a scope it makes none, and says why', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address } = await registered(world, browser)
    const page = await browser.get(`${address}?redirect_uri=${encodeURIComponent(acme.redirect_uris)}`)
    assert.equal(shown(page, 'authorization-url'), '')
    assert.match(page.text, /<p data-authorization-url-missing>Choose at least one scope/)
  })
})

describe("The portal's own sign-in", () => {
  test('the portal signs its user in through the identity surface, as a first-party application whose consent is implied', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    await browser.submit(await browser.get(`${world.baseUrl}/sign-up`), ada, '/sign-up')
    const toConsent = await browser.get(`${world.portalUrl}/apps/new`)
    assert.equal(toConsent.status, 302)
    const { state, code_challenge, ...request } = Object.fromEntries(toConsent.location?.searchParams ?? [])
    assert.equal(toConsent.location?.pathname, '/auth/consent')
    assert.deepEqual(request, {
      client_id: 'svc_ci_portal',
      redirect_uri: `${world.portalUrl}/callback`,
      response_type: 'code',
      scope: 'user.identify',
      code_challenge_method: 'S256',
    })
    const toCallback = await browser.get(toConsent.location as URL)
    assert.deepEqual(
      [toCallback.location?.pathname, toCallback.location?.searchParams.get('state')],
      ['/callback', state],
    )
    const toPage = await browser.get(toCallback.location as URL)
    assert.deepEqual([toPage.status, String(toPage.location)], [303, `${world.portalUrl}/apps/new`])
    assert.equal((await browser.get(toPage.location as URL)).status, 200)

    const again = await browser.get(toCallback.location as URL)
    assert.equal(String(again.location), `${world.portalUrl}/apps/new`, 'opening the callback again is harmless')
  })

  test('whoever has no session signs in first, and returns to the page asked for', async (t) => {
    const world = await openWorld(t)
    const { address } = await registered(world, await atPortal(world))
    const browser = new Browser()
    const signIn = await browser.visit(`${address}?state=x`, world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const answer = await browser.submit(signIn, { email: ada.email, password: ada.password }, '/sign-in')
    const page = await browser.onward(answer, world)
    assert.deepEqual([page.status, page.url], [200, `${address}?state=x`])
  })

  test('a sign-in is finished only in the browser that began it', async (t) => {
    const world = await openWorld(t)
    const mallory = new Browser()
    await mallory.submit(await mallory.get(`${world.baseUrl}/sign-up`), bob, '/sign-up')
    const begun = await mallory.get(world.portalUrl)
    const callback = (await mallory.get(begun.location as URL)).location as URL
    for (const victim of [new Browser(), await atPortal(world)]) {
      const page = await victim.get(callback)
      assert.equal(page.status, 400)
      assert.match(page.text, /This sign-in does not belong to this browser/)
      assert.match(page.text, /<a class="button primary" href="\/">Start again<\/a>/)
    }
    const tampered = new URL(callback)
    tampered.searchParams.set('state', `${callback.searchParams.get('state')}x`)
    assert.equal((await mallory.get(tampered)).status, 400)
  })

  test('a sign-in that comes back without a code, or with a spent one, is a page with a way to start again', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    const state = (await browser.get(world.portalUrl)).location?.searchParams.get('state') ?? ''
    for (const query of [{ error: 'access_denied' }, { code: 'svc_ac_none' }]) {
      const page = await browser.get(`${world.portalUrl}/callback?${new URLSearchParams({ ...query, state })}`)
      assert.equal(page.status, 400)
      assert.match(page.text, /Start again/)
      const [, errorId = 'none'] = /Error id <code>([A-Z2-9]{4}-[A-Z2-9]{4})<\/code>/.exec(page.text) ?? []
      assert.ok(world.logs().includes(errorId), 'the log knows the error id')
    }
  })

  test('two tabs can sign in at once', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    await browser.submit(await browser.get(`${world.baseUrl}/sign-up`), ada, '/sign-up')
    const one = await browser.get(`${world.portalUrl}/apps/new`)
    const other = await browser.get(`${world.portalUrl}/`)
    assert.equal((await browser.visit(one.location as URL, world)).url, `${world.portalUrl}/apps/new`)
    assert.equal((await browser.visit(other.location as URL, world)).url, `${world.portalUrl}/`)
  })

  test('signing out ends the session of the portal, and says that the account has one of its own', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const answer = await browser.submit(await browser.get(world.portalUrl), {}, '/sign-out')
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/sign-out'])
    const page = await browser.get(answer.location as URL)
    assert.match(page.text, /You may still be signed in to your account itself/)
    assert.equal((await browser.get(world.portalUrl)).status, 302)
  })

  test('neither code, state nor cookie of a sign-in is logged', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    await browser.submit(await browser.get(`${world.baseUrl}/sign-up`), ada, '/sign-up')
    const begun = await browser.get(world.portalUrl)
    const callback = (await browser.get(begun.location as URL)).location as URL
    await browser.visit(callback, world)
    for (const secret of [...callback.searchParams.values(), ...browser.cookieValues()]) {
      assert.ok(!world.logs().includes(secret))
    }
  })
})

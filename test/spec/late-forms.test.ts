import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/bot-people.ts'
import { formTokenOf, visibleWordsIn } from '../support/page-words.ts'
import { type Answer, ada, Browser, provision, signedIn } from '../support/people.ts'
import { acme } from '../support/portal-people.ts'
import type { World } from '../support/world.ts'
import { inDatabase } from '../support/world-database.ts'

type Fields = Record<string, readonly string[]>

/** Returns the values of the named fields as the browser would send them. */
function fieldValues(page: Answer, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, valuesOf(page.text, name)]))
}

function valuesOf(text: string, name: string): string[] {
  const unescaped = (value = '') =>
    value
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const area = new RegExp(`<textarea name="${name}"[^>]*>\n([^<]*)</textarea>`).exec(text)
  if (area !== null) return [unescaped(area[1])]
  const select = new RegExp(`<select name="${name}"[^>]*>(.*?)</select>`, 's').exec(text)
  if (select !== null) return [unescaped(/value="([^"]*)" selected/.exec(select[1] ?? '')?.[1])]
  const inputs = [...text.matchAll(new RegExp(`<input type="(\\w+)" name="${name}"[^>]*>`, 'g'))]
  return inputs
    .filter(([input, type]) => (type !== 'radio' && type !== 'checkbox') || / checked/.test(input))
    .map(([input]) => unescaped(/ value="([^"]*)"/.exec(input)?.[1]))
}

async function post(browser: Browser, address: string, formToken: string, fields: Fields): Promise<Answer> {
  const body = new URLSearchParams({ form_token: formToken })
  for (const [name, values] of Object.entries(fields)) for (const value of values) body.append(name, value)
  return browser.post(address, body)
}

/** Ends all of Ada's other sessions from another browser. */
async function endSessions(world: World): Promise<void> {
  const elsewhere = await signedIn(world)
  const page = await elsewhere.get(`${world.baseUrl}/account/sessions`)
  const ended = await elsewhere.submit(page, {}, '/account/sessions/others/end')
  assert.equal(ended.location?.search, '')
}

async function signInAgain(
  world: World,
  browser: Browser,
  page: Answer,
  person: { email: string; password: string } = ada,
) {
  const { email, password } = person
  return browser.onward(await browser.submit(page, { email, password }, '/sign-in'), world)
}

/** Forms of the identity service, each with its page, the URL that it posts to, and the input in page order. */
const forms: [page: string, action: string, typed: Fields][] = [
  ['/account/name', '/account/name', { name: ['Ada "L" <King>'] }],
  ['/account/email', '/account/email', { email: ['ada@new.example'] }],
  ['/bots/bot-1/settings', '/bots/bot-1/location', { location: ['cloud'] }],
  ['/bots/bot-1/settings', '/bots/bot-1/notice', { notice: ['Back at noon & fed'] }],
  [
    '/bots/bot-1/coworkers',
    '/bots/bot-1/coworkers',
    { who: ['stan@example.com'], role: ['editor'], capability: ['hosting', 'keys'] },
  ],
  ['/bots/bot-1/coworkers/ed', '/bots/bot-1/coworkers/ed', { role: ['viewer'], capability: ['deliveries'] }],
  [
    '/bots/bot-1/flows/orders',
    '/bots/bot-1/flows/orders/taking',
    {
      ordered: ['yes'],
      dedupe_by: ['header'],
      dedupe_header: ['x-id'],
      dedupe_pointer: [''],
      dedupe_window: ['60'],
    },
  ],
  [
    '/bots/bot-1/flows/orders',
    '/bots/bot-1/flows/orders/signature',
    {
      preset: ['hmac'],
      public_key: [''],
      header: ['x-sign'],
      hash: ['sha512'],
      encoding: ['base64'],
      prefix: ['v1='],
    },
  ],
  ['/bots/bot-1/flows/orders/key', '/bots/bot-1/flows/orders/key', { key_before: ['ends-now'] }],
  ['/bots/bot-1/runtimes', '/bots/bot-1/runtimes', { name: ['Attic'], hosts: ['all'] }],
]

async function openForms(t: Parameters<typeof openScene>[0]) {
  const scene = await openScene(t)
  const flow = { kind: 'event', name: 'Orders', webhook: { path: 'orders', requiresKey: true } }
  await provision(scene.world, 'PUT', '/v1/bots/bot-1/flows/orders', flow)
  return { ...scene, browser: await scene.as('ada') }
}

describe('our choice: a form sent after the session ended keeps its input (decision 0081)', () => {
  test('after the session ended, account and bot forms show their input again on the next sign-in, and nothing was changed', async (t) => {
    const { world, at } = await openForms(t)
    for (const [path, action, fields] of forms) {
      const browser = await signedIn(world)
      const names = Object.keys(fields)
      const before = await browser.get(at(path))
      assert.equal(before.status, 200, path)
      const initial = fieldValues(before, names)
      assert.notDeepEqual(initial, fields, `${action}: the input differs from the stored values`)
      await endSessions(world)
      const late = await post(browser, at(action), formTokenOf(before), fields)
      assert.deepEqual([late.status, late.location?.pathname], [303, '/sign-in'], action)
      const signIn = await browser.get(late.location as URL)
      assert.match(visibleWordsIn(signIn), /Your input is kept for an hour/)
      const back = await signInAgain(world, browser, signIn)
      assert.deepEqual([back.status, new URL(back.url).pathname], [200, path], action)
      assert.match(visibleWordsIn(back), /You’re signed in again Your session had expired, so nothing was saved\./)
      assert.deepEqual(fieldValues(back, names), fields, action)
      const fresh = await browser.get(at(path))
      assert.deepEqual(
        fieldValues(fresh, names),
        initial,
        `${action}: nothing was changed, and the form opened again is not filled in`,
      )
    }
  })

  test('portal forms for a registration, settings and a second secret keep their input across the portal’s sign-in', async (t) => {
    const { world } = await openForms(t)
    const typed = {
      name: ['Acme & Sons'],
      website_url: ['https://sons.example'],
      environment: ['development'],
      redirect_uris: ['https://sons.example/a\nhttps://sons.example/b'],
      require_pkce: ['yes'],
    }
    const browser = await signedIn(world)
    const form = await browser.visit(`${world.portalUrl}/apps/new`, world)
    const made = await browser.submit(form, acme, '/apps/new')
    const app = String(made.location)
    const cases: [page: string, fields: Fields][] = [
      [`${world.portalUrl}/apps/new`, typed],
      [app, typed],
      [`${app}/secrets`, { label: ['Attic'] }],
    ]
    for (const [address, fields] of cases) {
      const before = await browser.visit(address, world)
      await endSessions(world)
      const late = await post(browser, address, formTokenOf(before), fields)
      assert.deepEqual([late.status, late.location?.pathname], [303, '/auth/consent'], address)
      const back = await signInAgain(world, browser, await browser.visit(late.location as URL, world))
      assert.equal(back.url.replace(/\?kept=\w{22}$/, ''), address)
      assert.match(visibleWordsIn(back), /You’re signed in again/)
      assert.deepEqual(fieldValues(back, Object.keys(fields)), fields)
    }
    assert.match((await browser.get(app)).text, /value="Acme Dashboard"/)
  })

  test('passwords, PINs and secrets in forms are never kept, and kept forms are stored encrypted', async (t) => {
    const { world, at } = await openForms(t)
    const cases: [page: string, action: string, fields: Fields][] = [
      ['/account/email', '/account/email', { email: ['new@example.com'], password: ['a password typed'] }],
      [
        '/account/password',
        '/account/password',
        { current_password: ['a password typed'], password: ['a new one typed'] },
      ],
      [
        '/account/pin',
        '/account/pin',
        { pin: ['4711471147'], pin_again: ['4711471147'], password: ['a password typed'] },
      ],
      [
        '/bots/bot-1/flows/orders',
        '/bots/bot-1/flows/orders/signature',
        { preset: ['github'], secret: ['a signing secret typed'] },
      ],
    ]
    for (const [path, action, fields] of cases) {
      const browser = await signedIn(world)
      const before = await browser.get(at(path))
      await endSessions(world)
      const late = await post(browser, at(action), formTokenOf(before), fields)
      const back = await signInAgain(world, browser, await browser.get(late.location as URL))
      assert.match(visibleWordsIn(back), /You’re signed in again/, path)
      for (const secret of ['a password typed', 'a new one typed', '4711471147', 'a signing secret typed']) {
        assert.ok(!back.text.includes(secret), `${path}: ${secret}`)
      }
    }
    const rows = await inDatabase(world, 'identity', 'SELECT sealed FROM kept_forms')
    assert.equal(rows.length, cases.length)
    for (const { sealed } of rows) {
      assert.ok(!/typed|example|preset|page/.test(Buffer.from(sealed as Uint8Array).toString('latin1')))
    }
  })

  test('a kept form is shown only to its user, on any browser, for an hour', async (t) => {
    const { world, at, browser } = await openForms(t)
    const send = async () => {
      const page = await browser.get(at('/account/name'))
      await endSessions(world)
      return post(browser, at('/account/name'), formTokenOf(page), { name: ['Countess'] })
    }
    const late = await send()
    const asStan = await signInAgain(world, browser, await browser.get(late.location as URL), {
      email: 'stan@example.com',
      password: 'correct horse battery',
    })
    assert.equal(new URL(asStan.url).pathname, '/account/name')
    assert.doesNotMatch(asStan.text, /Countess|signed in again/)
    const back = await (await signedIn(world)).get(asStan.url)
    assert.match(back.text, /value="Countess"/, 'its own user still sees it, in any browser')

    await world.clock.advance(3_600_000)
    const later = await (await signedIn(world)).get(asStan.url)
    assert.doesNotMatch(later.text, /Countess|signed in again/)
  })

  test('a kept form is not filled in on another page', async (t) => {
    const { world, at, browser } = await openForms(t)
    const page = await browser.get(at('/account/name'))
    await endSessions(world)
    const late = await post(browser, at('/account/name'), formTokenOf(page), { name: ['Countess'] })
    const back = await signInAgain(world, browser, await browser.get(late.location as URL))
    const { search } = new URL(back.url)
    assert.doesNotMatch((await browser.get(at(`/bots/bot-1/runtimes${search}`))).text, /Countess|signed in again/)
    for (const kept of ['', '?kept=', '?kept=nothing', `${search}x`, `${search}&kept=two`]) {
      assert.doesNotMatch((await browser.get(at(`/account/name${kept.replace(/^\?&/, '?')}`))).text, /Countess/, kept)
    }
  })

  test('a form without a valid form token, or from a browser that never had a session, is not kept', async (t) => {
    const { world, at, browser } = await openForms(t)
    await endSessions(world)
    const forged = await post(browser, at('/account/name'), 'x'.repeat(43), { name: ['Countess'] })
    assert.equal(forged.status, 403)
    const stranger = new Browser()
    const page = await stranger.get(at('/sign-in'))
    const late = await post(stranger, at('/account/name'), formTokenOf(page), { name: ['Countess'] })
    assert.equal(
      late.headers.get('location'),
      '/sign-in?return_to=%2Faccount%2Fname',
      'the user of the form is unknown, so it is not kept',
    )
  })
})

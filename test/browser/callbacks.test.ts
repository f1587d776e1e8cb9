import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { parseApplicationId } from '../../src/domain/ids-and-secrets.ts'
import { openPage } from '../support/browser/chromium.ts'
import { budget } from '../support/budget.ts'
import { listening, serve } from '../support/local-server.ts'
import {
  aClient,
  ada,
  allow,
  type Browser,
  type Client,
  consentUrl,
  openAda,
  provision,
  signedIn,
} from '../support/people.ts'
import { openWithProvider } from '../support/stand-in-provider.ts'
import type { World } from '../support/world.ts'

const appScheme = 'acme-app://done'

/**
 * Starts an application whose callbacks redirect onwards. The browser may ignore such a redirect after a form post, so
 * each test waits until it arrives.
 */
async function startApplication(t: TestContext) {
  const redirects = new Map<string, string>()
  let answered = new URLSearchParams()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const to = redirects.get(withoutSlash(pathname))
    if (searchParams.has('state')) answered = searchParams
    if (to === undefined) response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Acme</title>')
    else response.writeHead(302, { location: to }).end()
  })
  // On all addresses, for localhost and IPv6.
  const { port } = new URL(await listening(t, server, '::'))
  const [here, there] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  redirects.set('/to-another-origin', `${there}/end`)
  redirects.set('/to-two-hops', `${there}/hop`).set('/hop', `${here}/end`)
  redirects.set('/to-app-scheme', appScheme)
  return {
    openerUrl: `${here}/opener`,
    /** The parameters that the callback received last. */
    answered: () => answered,
    callbacks: [
      { redirectUri: `${here}/end`, end: `${here}/end` },
      { redirectUri: `${here}/to-another-origin`, end: `${there}/end` },
      { redirectUri: `${here}/to-two-hops`, end: `${here}/end` },
      { redirectUri: `${here}/to-app-scheme`, end: appScheme },
      { redirectUri: `http://[::1]:${port}/end`, end: `http://[::1]:${port}/end` },
    ],
  }
}

/** An added redirect URI differs from a registered one by a trailing slash, because any other difference is asked about first. */
const withoutSlash = (address: string) => address.replace(/\/$/, '')

const pinless = { id: 'pinless', name: 'Pinless', email: 'pinless@example.com', password: 'no pin for this one' }
const newcomer = { Name: 'Grace', 'Email address': 'grace@example.com', Password: 'nanoseconds of wire' }

async function deleteNewcomer(world: World): Promise<void> {
  const found = await provision(world, 'GET', `/v1/users?email=${newcomer['Email address']}`)
  for (const { id } of found.json.items) await provision(world, 'DELETE', `/v1/users/${id}`)
}

interface Way {
  button: string
  /** Prepares the service and returns the signed-in browser whose cookies to use. */
  before?: () => Promise<Browser | undefined>
  client: Client
  query: Record<string, string>
  /** Appended to the redirect URI. */
  suffix?: string
  /** The link to follow before. */
  link?: string
  /** The fields to fill in before, by label. */
  fields?: Record<string, string>
  denies?: true
}

/**
 * Yields the ways to end an authorization. The first one must have run before the next is taken: it creates the service's
 * first user, and the users and applications of the others are created after it.
 */
async function* waysOf(world: World, firstParty: Client, redirectUris: readonly string[]): AsyncGenerator<Way> {
  const signUp: Way = {
    button: 'Create account',
    async before() {
      await deleteNewcomer(world)
      return undefined
    },
    client: firstParty,
    query: { scope: 'user.identify' },
    fields: newcomer,
  }
  yield { ...signUp, link: 'Create the first account' }
  await deleteNewcomer(world)
  const { id, ...person } = ada
  await provision(world, 'PUT', `/v1/users/${id}`, { ...person, chatPlatformId: '123456789012345678' })
  await provision(world, 'PUT', `/v1/users/${pinless.id}`, { ...pinless, id: undefined })
  const acme = { ownerId: ada.id, name: 'Acme', websiteUrl: 'https://acme.example', redirectUris }
  const application = { ...acme, environment: 'development' }
  const client = await aClient(world, 'acme', application)
  const sensitive = { scope: 'user.identify user.email' }
  const skip = { scope: 'user.identify', consent: 'skip' }
  const [session, locked, withoutPin] = [await signedIn(world), await signedIn(world), await signedIn(world, pinless)]
  await allow(world, session, consentUrl(world, client, sensitive))
  yield { button: 'Allow', before: async () => session, client, query: {} }
  yield { button: 'Deny', before: async () => session, client, query: {}, denies: true }
  yield { button: 'Cancel', before: async () => locked, client, query: sensitive, denies: true }
  const pin = { PIN: ada.pin }
  yield { button: 'Unlock', before: () => signedIn(world), client, query: { ...skip, ...sensitive }, fields: pin }
  yield {
    button: 'Save PIN',
    async before() {
      await provision(world, 'PUT', `/v1/users/${pinless.id}`, { name: pinless.name, pin: null })
      return withoutPin
    },
    client: firstParty,
    query: sensitive,
    fields: { 'New PIN': '271828', 'Repeat new PIN': '271828', Password: pinless.password },
  }
  const credentials = { 'Email address': ada.email, Password: ada.password }
  yield { button: 'Sign in', client, query: skip, fields: credentials }
  yield { button: 'Sign in with Chat', client, query: skip }
  yield { ...signUp, link: 'Create one' }
  yield {
    button: 'Add this redirect URI',
    async before() {
      // Without the redirect URI that the previous run added.
      await provision(world, 'PUT', '/v1/applications/acme', application)
      return session
    },
    client,
    query: skip,
    suffix: '/',
  }
}

test('every button that ends an authorization leads wherever the callback leads, in a tab and in a popup', async (t) => {
  const { world, provider } = await openWithProvider(t, 'chat-platform')
  provider.profile = { id: '123456789012345678', username: 'ada' }
  const { openerUrl, answered, callbacks } = await startApplication(t)
  const redirectUris = callbacks.map(({ redirectUri }) => redirectUri)
  const platform = await world.service.applications.provisioned.put(parseApplicationId('platform')!, {
    ownerId: null,
    name: 'Platform',
    websiteUrl: 'https://platform.example',
    environment: 'development',
    firstParty: true,
    redirectUris,
  })
  assert.equal(platform.outcome, 'created')
  const firstParty = { ...platform, ...platform.application, redirectUri: redirectUris[0] as string }
  const openers = await Promise.all([openPage(t), openPage(t, { javaScriptEnabled: false })])
  for (const opener of openers) await opener.goto(openerUrl)
  const modes = openers.flatMap((opener) => (['tab', 'popup'] as const).map((window) => ({ opener, window })))
  let turn = 0

  /** Presses the button once per callback, each time in another mode. In long runs, presses it in every mode. */
  async function run(way: Way): Promise<void> {
    await t.test(way.button, async () => {
      for (const callback of callbacks) {
        const first = turn++
        const times = budget > 1 ? modes.length : 1
        for (let at = 0; at < times; at += 1) {
          await pressAndArrive(way, callback, modes[(first + at) % modes.length] as (typeof modes)[number])
        }
      }
    })
  }

  async function pressAndArrive(
    { button, before, client, query, suffix = '', link, fields = {}, denies }: Way,
    { redirectUri, end }: (typeof callbacks)[number],
    { opener, window }: (typeof modes)[number],
  ): Promise<void> {
    const context = opener.context()
    await context.clearCookies()
    const cookies = Object.entries((await before?.())?.cookies() ?? {})
    await context.addCookies(cookies.map(([name, value]) => ({ name, value, url: world.baseUrl })))
    const url = consentUrl(world, { ...client, redirectUri: redirectUri + suffix }, query)
    const page = window === 'tab' ? await openTab(opener, url) : await openPopup(opener, url)
    if (link !== undefined) await page.getByRole('link', { name: link, exact: true }).click()
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
    // Chromium can't open the scheme, and reports its URL. For a redirect that it blocks, it reports the callback's URL.
    // It also reports the icon, if the page is left before it has loaded.
    const arrived =
      end === appScheme
        ? page
            .waitForEvent('requestfailed', (request) => request.isNavigationRequest())
            .then((request) => request.url())
        : page
            .waitForURL((at) => withoutSlash(at.pathname) === '/end')
            .then(() => withoutSlash(page.url().split('?')[0] as string))
    await page.getByRole('button', { name: button, exact: true }).click()
    assert.equal(await arrived, end)
    if (denies) assert.equal(answered().get('error'), 'access_denied')
    else assert.match(answered().get('code') ?? '', /^svc_ac_/, String(answered()))
    if (window === 'popup') {
      assert.equal(await page.evaluate('opener !== null'), true, 'the popup has lost its opener')
      assert.equal(await opener.evaluate('popup.closed'), false, 'to its opener, the popup looks closed')
    }
    await page.close()
  }

  for await (const way of waysOf(world, firstParty, redirectUris)) await run(way)
})

test('an application that posts the authorization request reaches the consent page of the signed-in user', async (t) => {
  const { world, client } = await openAda(t)
  const fields = [...new URL(consentUrl(world, client)).searchParams]
  const url = await serve(t, (_, response) => {
    const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join('')
    const form = `<form method="post" action="${world.baseUrl}/auth/consent">${inputs}<button>Log in</button></form>`
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Acme</title>${form}`)
  })
  const page = await openPage(t)
  const cookies = Object.entries((await signedIn(world)).cookies())
  await page
    .context()
    .addCookies(cookies.map(([name, value]) => ({ name, value, url: world.baseUrl, sameSite: 'Lax' })))
  await page.goto(url)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'Allow' }).waitFor()
})

async function openTab(opener: Page, url: string): Promise<Page> {
  const tab = await opener.context().newPage()
  await tab.goto(url)
  return tab
}

async function openPopup(opener: Page, url: string): Promise<Page> {
  const opened = opener.waitForEvent('popup')
  await opener.evaluate(`globalThis.popup = open(${JSON.stringify(url)}, '_blank', 'popup'); undefined`)
  return opened
}

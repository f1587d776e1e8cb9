import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { ada, call, makeToken, openAda, provision, send, signedIn } from '../support/people.ts'
import type { World } from '../support/world.ts'

const webhook = { path: 'orders', requiresKey: true, key: 'a-key-of-orders', ordered: true }
const bot = { ownerId: 'ada', name: 'Lantern', chatPlatformId: '215215215215215215', hostingEnabled: true }
const callback = 'https://client.example/callback'

/** The PUT calls of the control API, each with a body. */
const provisioned: Readonly<Record<string, object>> = {
  '/v1/users/{userId}': { ...ada, id: undefined, email: 'ed@example.com', codeHostingId: null },
  '/v1/applications/{applicationId}': {
    ...{ ownerId: 'ada', name: 'Acme', websiteUrl: 'https://client.example', redirectUris: [callback] },
  },
  '/v1/bots/{botId}': { ...bot, name: 'Lamp' },
  '/v1/bots/{botId}/coworkers/{userId}': { role: 'editor', capabilities: ['flows', 'keys'] },
  '/v1/bots/{botId}/guilds': { guildIds: ['one', 'two'] },
  '/v1/bots/{botId}/flows/{flowId}': { kind: 'event', name: 'Orders', publicCode: 'abc', webhook },
  '/v1/runtimes/{runtimeId}': { name: 'Cellar', botIds: ['lantern'] },
  '/v1/scopes/{scope}': { description: 'Change your lamps' },
  '/v1/subscriptions/{subscriptionId}': { url: 'https://client.example/events', types: ['bot.online'] },
}

async function openScene(t: TestContext) {
  const { world } = await openAda(t, { OWNER_FLOWS: 'on' })
  await provision(world, 'PUT', '/v1/users/ed', { name: 'Ed' })
  await provision(world, 'PUT', '/v1/bots/lantern', bot)
  await provision(world, 'PUT', '/v1/bots/lantern/flows/orders', { kind: 'event', name: 'Orders', webhook })
  await provision(world, 'PUT', '/v1/bots/lantern/coworkers/ed', { role: 'viewer', capabilities: [] })
  const subscription = { url: 'https://client.example/events', types: ['bot.offline'], ownerId: 'ada' }
  await provision(world, 'PUT', '/v1/subscriptions/hers', subscription)
  const browser = await signedIn(world)
  await browser.submitAt(`${world.baseUrl}/unlock?return_to=/account`, { pin: ada.pin }, '/unlock')
  return { world, browser }
}

/** Saves twice. Asserts that the first time is audited and the second time isn't. */
async function assertSecondIsNotAudited(world: World, what: string, save: () => Promise<{ status: number }>) {
  const numberOfLast = async () => (await exported(world)).at(-1)?.number ?? 0
  const before = await numberOfLast()
  const first = await save()
  const last = await numberOfLast()
  assert.notEqual(last, before, what)
  await world.clock.advance(1_000)
  const second = await save()
  assert.ok(first.status < 400 && second.status < 400, `${what}: ${first.status}, ${second.status}`)
  assert.equal(await numberOfLast(), last, what)
}

test('our choice: the second of two equal posts of a form, or PUT requests of an owner, is not audited', async (t) => {
  const { world, browser } = await openScene(t)
  const forms: readonly [path: string, fields: Record<string, string | string[]>][] = [
    ['/account/email', { email: 'ada@example.org', password: ada.password }],
    ['/bots/lantern/hosting', { hosting: 'off' }],
    ['/bots/lantern/location', { location: 'cloud' }],
    ['/bots/lantern/public-status', { public: 'yes' }],
    ['/bots/lantern/coworkers/ed', { role: 'editor', capability: ['keys', 'flows'] }],
    ['/bots/lantern/flows/orders/taking', { ordered: 'yes', dedupe_by: 'header', dedupe_header: 'x-request-id' }],
    [
      '/bots/lantern/flows/orders/signature',
      { preset: 'discord', public_key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a' },
    ],
    ['/bots/lantern/flows/orders/key-requirement', { required: 'yes' }],
    ['/account/subscriptions/hers', { url: 'https://client.example/new', types: ['bot.online'], enabled: 'yes' }],
  ]
  for (const [path, fields] of forms) {
    await assertSecondIsNotAudited(world, path, () => send(browser, world, path, fields))
  }

  const address = `${world.portalUrl}/apps/acme`
  const fields = { name: 'Acme 2', website_url: 'https://client.example', redirect_uris: callback }
  await browser.visit(address, world)
  await assertSecondIsNotAudited(world, address, async () =>
    browser.submitAt(address, { ...fields, environment: 'production' }, '/apps/acme'),
  )

  const token = await makeToken(browser, world)
  const calls: readonly [path: string, body: object][] = [
    ['bots/lantern/hosting', { enabled: true, location: 'cloud' }],
    ['bots/lantern/public-status', { enabled: false }],
    ['bots/lantern/flows/orders', { name: 'Orders of lamps' }],
    ['bots/lantern/flows/orders/webhook', { ordered: false }],
  ]
  for (const [path, body] of calls) {
    await assertSecondIsNotAudited(world, path, () => call(world, token, 'PUT', path, body))
  }
})

test('our choice: the second of two equal calls of the control API that set something is not audited', async (t) => {
  const { world } = await openScene(t)
  const { json } = await provision(world, 'GET', '/openapi.json')
  const paths = Object.entries(json.paths as Record<string, object>).filter(([, methods]) => 'put' in methods)
  assert.deepEqual(Object.keys(provisioned).sort(), paths.map(([path]) => path).sort())
  const names = { userId: 'ed', applicationId: 'acme', botId: 'lantern', flowId: 'orders', runtimeId: 'cellar' }
  const ids: Readonly<Record<string, string>> = { ...names, scope: 'lamps.manage', subscriptionId: 'hers' }
  for (const [path, body] of Object.entries(provisioned)) {
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
    await assertSecondIsNotAudited(world, path, () => provision(world, 'PUT', address, body))
  }
  for (const path of ['/v1/users/ed', '/v1/applications/acme']) {
    for (const act of ['disable', 'enable']) {
      await assertSecondIsNotAudited(world, `${path}/${act}`, () => provision(world, 'POST', `${path}/${act}`))
    }
  }
})

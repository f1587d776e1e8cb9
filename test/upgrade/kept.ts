import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { ada, allow, Browser, consentUrl, refresh, signedIn, userinfo } from '../support/people.ts'
import type { World } from '../support/world.ts'
import type { Filled } from './fill.ts'

/** Asserts that sessions, passwords, PINs and consents are valid, and that each token has its state. */
export async function assertPeopleKept(world: World, { client, tokens, cookies }: Filled): Promise<void> {
  const browser = new Browser(cookies)
  assert.equal((await browser.get(`${world.baseUrl}/account`)).status, 200)
  const again = await signedIn(world)
  const location = await allow(world, again, consentUrl(world, client, { scope: 'user.email' }))
  assert.ok(location.searchParams.has('code'), 'password and PIN are valid')
  const skipped = await browser.get(consentUrl(world, client, { consent: 'skip', scope: 'user.identify' }))
  assert.ok(skipped.location?.searchParams.has('code'), 'consents are kept')

  assert.equal((await userinfo(world, tokens.current.access_token)).json.sub, ada.id)
  assert.equal((await userinfo(world, tokens.revoked.access_token)).status, 401)
  assert.equal((await refresh(world, client, tokens.current.refresh_token)).status, 200)
  assert.equal((await refresh(world, client, tokens.revoked.refresh_token)).json.error, 'invalid_grant')
  assert.equal((await userinfo(world, tokens.successor.access_token)).status, 200)
  // Only the newest token’s digest is stored. An older token is recognised by its encrypted number, so its use is
  // still detected and revokes the family.
  assert.equal((await refresh(world, client, tokens.superseded.refresh_token)).json.error, 'invalid_grant')
  assert.equal((await userinfo(world, tokens.successor.access_token)).status, 401)
  assert.equal((await refresh(world, client, tokens.successor.refresh_token)).json.error, 'invalid_grant')
}

/** Asserts that waiting webhooks are delivered, finished ones are listed, and keys are valid. */
export async function assertWebhooksKept(t: TestContext, world: World, filled: Filled): Promise<void> {
  const { runtime } = await BotRuntime.ready(t, world, filled.runtimeKey)
  const [late = '', ...due] = filled.waiting
  const frames = await runtime.deliveries(due.length)
  assert.deepEqual(
    frames.map(({ body }) => Buffer.from(body, 'base64').toString()),
    due,
  )
  runtime.send({ type: 'ack', deliveries: frames.map(({ delivery }) => delivery) })
  await runtime.heartbeat()
  await runtime.crash()
  await world.clock.advance(61 * 60_000)
  const [again] = await (await BotRuntime.ready(t, world, filled.runtimeKey)).runtime.deliveries(1)
  assert.ok(again)
  assert.deepEqual([Buffer.from(again.body, 'base64').toString(), again.attempt], [late, 2])

  const headers = { 'svc-key': filled.flowKey }
  const address = `${world.apiUrl}/greeter/keyed`
  assert.equal((await fetch(address, { method: 'POST', headers })).status, 202)
  assert.equal((await fetch(address, { method: 'POST' })).status, 401)

  const browser = await signedIn(world)
  const dead = await browser.get(`${world.baseUrl}/bots/greeter/deliveries?state=dead`)
  assert.equal(dead.status, 200)
  assert.match(dead.text, /\/bots\/greeter\/deliveries\/ev[0-9a-z]+/)
  const status = await fetch(`${world.baseUrl}/botstatus/greeter/api`)
  assert.partialDeepStrictEqual(await status.json(), { name: 'Greeter', hostingLocation: 'cloud', online: false })
}

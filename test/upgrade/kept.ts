import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { BotRuntime, type Frame } from '../support/bot-runtime.ts'
import { ada, allow, Browser, consentUrl, provision, refresh, signedIn, userinfo } from '../support/people.ts'
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

/**
 * Asserts that webhooks are listed and, if they wait, delivered under the IDs that they had, that one can be replayed,
 * and that keys are valid.
 */
export async function assertWebhooksKept(t: TestContext, world: World, filled: Filled): Promise<void> {
  const idOf = (body: string) => filled.eventIds[body] as string
  const bodyAndId = ({ body, id }: Frame) => [Buffer.from(body, 'base64').toString(), id]
  const ids = Object.values(filled.eventIds)
  const listed = (await provision(world, 'GET', '/v1/bots/greeter/deliveries')).json.items as { id: string }[]
  assert.deepEqual(listed.map(({ id }) => id).sort(), ids.sort())
  assert.equal((await provision(world, 'GET', `/v1/bots/greeter/deliveries/${idOf('done')}`)).status, 200)
  const browser = await signedIn(world)
  const dead = await browser.get(`${world.baseUrl}/bots/greeter/deliveries?state=dead`)
  assert.ok(dead.text.includes(`"/bots/greeter/deliveries/${idOf('given up')}?`))

  const { runtime } = await BotRuntime.ready(t, world, filled.runtimeKey)
  const [late = '', ...due] = filled.waiting
  const frames = await runtime.deliveries(due.length)
  const expected = due.map((body) => [body, idOf(body)])
  assert.deepEqual(frames.map(bodyAndId), expected)
  runtime.send({ type: 'ack', deliveries: frames.map(({ delivery }) => delivery) })
  await runtime.heartbeat()
  await runtime.crash()
  await world.clock.advance(61 * 60_000)
  const { runtime: next } = await BotRuntime.ready(t, world, filled.runtimeKey)
  const again = await next.next('dispatch')
  assert.deepEqual([bodyAndId(again), again.attempt], [[late, idOf(late)], 2])

  const replay = await provision(world, 'POST', `/v1/bots/greeter/deliveries/${idOf('given up')}/replay`)
  assert.equal(replay.status, 202)
  const replayed = await next.next('dispatch')
  assert.deepEqual([bodyAndId(replayed)[0], replayed.replayOf], ['given up', idOf('given up')])
  assert.ok(!ids.includes(replayed.id), 'the replay is an event of its own')

  const headers = { 'svc-key': filled.flowKey }
  const address = `${world.apiUrl}/greeter/keyed`
  assert.equal((await fetch(address, { method: 'POST', headers })).status, 202)
  assert.equal((await fetch(address, { method: 'POST' })).status, 401)
  const status = await fetch(`${world.baseUrl}/botstatus/greeter/api`)
  assert.partialDeepStrictEqual(await status.json(), { name: 'Greeter', hostingLocation: 'cloud', online: false })
}

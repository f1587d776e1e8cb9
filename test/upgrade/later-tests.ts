import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { openEventReceiver } from '../support/event-receiver.ts'
import { PasskeyPage, signedInAt } from '../support/passkeys.ts'
import { ada, Browser, call, provision, redeem, refresh, signedIn, signIn, visibleWordsIn } from '../support/people.ts'
import { SoftwareAuthenticator } from '../support/software-authenticator.ts'
import type { World } from '../support/world.ts'
import { type Filled, type Later, signed } from './fill.ts'

type Open = (t: TestContext) => Promise<World>

/** Tests of data that releases didn't have at first. */
export function laterTests(open: Open, { client }: Filled, later: Later): void {
  test('after an upgrade, keys of operators and scripts, passkeys, second secrets, codes and links work', async (t) => {
    const world = await open(t)
    const asReader = await provision({ ...world, operatorKey: later.operatorKey }, 'GET', '/v1/users/ada')
    assert.equal(asReader.status, 200)
    const bots = await call(world, later.personalToken, 'GET', 'bots')
    assert.ok(bots.json.items.some(({ id }: { id: string }) => id === 'watcher'))

    const device = new SoftwareAuthenticator({ origin: world.baseUrl, kept: later.passkey })
    assert.deepEqual(await (await PasskeyPage.open(world)).signIn(device), signedInAt('/account'))

    const second = { ...client, clientSecret: later.clientSecret }
    assert.equal((await refresh(world, second, later.refreshToken)).status, 200)
    assert.equal((await redeem(world, client, later.code)).status, 200)

    const recovering = new Browser()
    const link = new URL(later.recoveryLink)
    const form = await recovering.get(`${world.baseUrl}${link.pathname}${link.search}`)
    assert.equal((await recovering.submit(form, { password: 'another long password' })).status, 303)
    const email = 'grace@example.com'
    await provision(world, 'PUT', '/v1/users/grace', { name: 'Grace', email })
    const grace = await signedIn(world, { email, password: 'another long password' })
    const invitation = new URL(later.invitationLink)
    const invited = await grace.get(`${world.baseUrl}${invitation.pathname}${invitation.search}`)
    assert.equal(invited.status, 200)
    assert.match(visibleWordsIn(invited), /Watcher/)
  })

  test('after an upgrade, disabled users and applications stay disabled', async (t) => {
    const world = await open(t)
    const refused = await signIn(world, { email: 'mallory@example.com', password: ada.password })
    assert.notEqual(refused.status, 303)
    assert.equal((await provision(world, 'GET', '/v1/applications/locked')).json.disabled, true)
  })

  test('after an upgrade, webhooks keep their order, marks and signatures, and pages keep what they showed', async (t) => {
    const world = await open(t)
    const ada = await signedIn(world)
    const words = async (path: string) => visibleWordsIn(await ada.visit(path, world))
    assert.match(await words(`${world.baseUrl}/bots/watcher/deliveries/refused`), /Signature mismatch/i)
    assert.match(await words(`${world.baseUrl}/bots/watcher/runtimes`), /Attic .* cellar fill\/1/)
    assert.match(await words(`${world.baseUrl}/botstatus/watcher`), /Moves on Sunday/)
    assert.match(await words(`${world.portalUrl}/apps/acme/logs`), /authorization code is not known|unknown code/i)

    const post = async (path: string, body: string, headers: Record<string, string>) =>
      (await fetch(`${world.apiUrl}/watcher/${path}`, { method: 'POST', body, headers })).status
    assert.equal(await post('signed', 'signed', signed('signed', later.signingSecret)), 202, 'a duplicate')
    assert.equal(await post('signed', 'forged', signed('forged', 'wrong')), 401)
    assert.equal(await post('keyed', 'keyed', { 'svc-key': later.previousFlowKey }), 202)
    await provision(world, 'PUT', '/v1/bots/watcher', {
      ...{ ownerId: 'ada', name: 'Watcher', chatPlatformId: '523456789012345678' },
      hostingEnabled: true,
    })
    const { runtime } = await BotRuntime.ready(t, world, later.runtimeKey)
    const seen: [body: string, test: boolean][] = []
    // Three of the line, one signed and one keyed.
    while (seen.length < 5) {
      const { body, test, delivery } = await runtime.next('dispatch')
      seen.push([Buffer.from(body, 'base64').toString(), test === true])
      runtime.send({ type: 'ack', deliveries: [delivery] })
    }
    const inLine = seen.filter(([body]) => !['signed', 'keyed'].includes(body))
    assert.deepEqual(inLine, [
      ['first', false],
      ['second', false],
      ['a test', true],
    ])
    assert.deepEqual(new Set(seen.map(([body]) => body)).size, 5)
  })

  test('after an upgrade, events of a subscription are signed with the secret that its owner has', async (t) => {
    const world = await open(t)
    const receiver = await openEventReceiver(t)
    const change = { url: `${receiver.url}/x`, types: ['delivery.dead'] }
    assert.equal((await provision(world, 'PUT', '/v1/subscriptions/hooks', change)).status, 200)
    const ada = await signedIn(world)
    assert.equal((await ada.submitAt(`${world.baseUrl}/account/subscriptions/hooks`, {}, '/test')).status, 303)
    const [event] = await receiver.on('/x')
    const text = `${event?.headers['webhook-id']}.${event?.headers['webhook-timestamp']}.${event?.body}`
    const key = Buffer.from(later.subscriptionSecret.replace('whsec_', ''), 'base64')
    const signature = createHmac('sha256', key).update(text).digest('base64')
    assert.equal(event?.headers['webhook-signature'], `v1,${signature}`)
  })
}

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { ended, startFailure, startGatehouse, startInProcess } from '../support/gatehouse-process.ts'
import {
  ada,
  adaWithClient,
  allow,
  Browser,
  codeFor,
  consentUrl,
  provision,
  redeem,
  refresh,
  signedIn,
  userinfo,
} from '../support/people.ts'
import { operatedEnvironment, surfaceUrls } from '../support/service-process-client.ts'

const oldKey = 'the secret key of before, 0123456789\n'
const newKey = 'the-secret-key-of-now-0123456789-ab'
const signingSecret = 'what-the-sender-signs-with'

describe('our choice: the secret key is rotated without signing anyone out (0053)', () => {
  test('a previous secret key still verifies sessions, tokens, secrets, keys, passwords, PINs, links and open forms', async (t) => {
    const { env, world, rotated, ...made } = await openRotated(t)
    assert.equal((await made.browser.get(`${world.baseUrl}/account`)).status, 200, 'the session')
    assert.equal((await made.browser.submit(made.openForm, { name: 'Ada L.' })).status, 303, 'the open form')
    assert.equal((await userinfo(world, made.tokens.access_token)).status, 200, 'the access token')
    const next = await refresh(world, made.client, made.tokens.refresh_token)
    assert.equal(next.status, 200, 'the refresh token, and the client secret')
    assert.equal((await refresh(world, made.client, next.json.refresh_token)).status, 200, 'their successors')
    assert.equal(await post(env, 'keyed', { 'svc-key': made.flowKey }), 202, 'the key of a flow')
    assert.equal(await post(env, 'signed', { 'x-hub-signature-256': signed }), 202, 'the signing secret')
    await BotRuntime.ready(t, world, made.runtimeKey)
    const again = await signedIn(world)
    assert.ok(await allow(world, again, consentUrl(world, made.client, { scope: 'user.email' })), 'password and PIN')
    const elsewhere = new Browser()
    const link = await elsewhere.get(made.link)
    assert.equal((await elsewhere.submit(link, { pin: '4712', pin_again: '4712' })).status, 303, 'the link')
    await rotated.stop()
  })

  test('without the previous secret key, data created with the new key works and older data doesn’t', async (t) => {
    const { env, world, rotated, ...made } = await openRotated(t)
    const renewed = (await refresh(world, made.client, made.tokens.refresh_token)).json
    const grace = { name: 'Grace', email: 'grace@example.com', password: 'correct horse battery' }
    const other = await provision(world, 'PUT', '/v1/users/grace', grace)
    assert.equal(other.status, 201)
    const { json: runtime } = await provision(world, 'POST', '/v1/runtimes', { name: 'new', botIds: '*' })
    // The same secret is encrypted with the new key.
    await made.sign('signed', signingSecret)
    await made.sign('replaced', 'another')
    await rotated.stop()

    await startInProcess(t, { ...env, SECRET_KEY: newKey })
    await signedIn(world, { email: 'grace@example.com', password: 'correct horse battery' })
    assert.equal((await userinfo(world, renewed.access_token)).status, 200)
    await BotRuntime.ready(t, world, runtime.key)

    assert.equal((await userinfo(world, made.tokens.access_token)).status, 401)
    assert.equal((await made.browser.get(`${world.baseUrl}/account`)).status, 302)
    assert.equal((await refresh(world, made.client, renewed.refresh_token)).json.error, 'invalid_client')
    assert.equal(await post(env, 'keyed', { 'svc-key': made.flowKey }), 401)
    assert.equal(await post(env, 'signed', { 'x-hub-signature-256': signed }), 202)
    assert.equal(await post(env, 'replaced', { 'x-hub-signature-256': signed }), 401)
    assert.equal((await new Browser().get(made.link)).status, 404)
    const elsewhere = new Browser()
    const page = await elsewhere.visit(`${world.baseUrl}/sign-in`, world)
    const refused = await elsewhere.submit(page, { email: ada.email, password: ada.password }, '/sign-in')
    assert.deepEqual([refused.status, /password is wrong|not match|wrong/i.test(refused.text)], [422, true])
  })

  test('gatehouse rotate-secret-key prepends a new key to the file while the service runs', async (t) => {
    const env = await operatedEnvironment(t)
    const path = join(env.DATA_DIR as string, 'secret.key')
    const early = await ended(startGatehouse(t, ['rotate-secret-key'], env), 1)
    const noKey = `gatehouse: there is no secret key to rotate yet; the first start creates it at ${path}\n`
    assert.equal(early.stderr, noKey)

    const before = await startInProcess(t, env)
    const [old] = readFileSync(path, 'utf8').split('\n')
    const client = await adaWithClient(surfaceUrls(env))
    const browser = await signedIn(surfaceUrls(env))
    const rotation = await ended(startGatehouse(t, ['rotate-secret-key'], env), 0)
    assert.equal(rotation.stdout, `Added a new key to ${path}. Restart the service, and back up the file.\n`)
    assert.match(readFileSync(path, 'utf8'), new RegExp(`^[A-Za-z0-9_-]{43}\n${old}\n$`))
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const code = await codeFor(surfaceUrls(env), browser, client)
    await before.stop()

    await startInProcess(t, env)
    assert.equal((await redeem(surfaceUrls(env), client, code)).status, 200)
    assert.equal((await browser.get(`${env.BASE_URL}/account`)).status, 200)
  })

  test('if the secret key is set in the environment, rotate-secret-key explains how to rotate it there', async (t) => {
    const env = await operatedEnvironment(t)
    const started = await ended(startGatehouse(t, ['rotate-secret-key'], { ...env, SECRET_KEY: oldKey }), 78)
    assert.equal(
      started.stderr,
      'gatehouse: SECRET_KEY is set in the environment, so rotate it there: put its value before those in ' +
        'SECRET_KEY_PREVIOUS, separated by a space, and set SECRET_KEY to a new one of at least 32 characters\n',
    )
    assert.deepEqual(await startFailure(t, { ...env, SECRET_KEY_PREVIOUS: `${newKey} short` }), [
      78,
      'gatehouse: SECRET_KEY_PREVIOUS must be keys of at least 32 characters, separated by spaces; got 41 characters\n',
    ])
  })
})

/** Creates at least one of everything that depends on the secret key, and rotates the key. */
async function openRotated(t: TestContext) {
  const env = await operatedEnvironment(t)
  const world = surfaceUrls(env)
  const before = await startInProcess(t, { ...env, SECRET_KEY: oldKey })
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  const tokens = (await redeem(world, client, await codeFor(world, browser, client))).json
  const openForm = await browser.get(`${world.baseUrl}/account/name`)
  const bot = { ownerId: ada.id, name: 'Greeter', chatPlatformId: '123456789012345678', hostingEnabled: true }
  await provision(world, 'PUT', '/v1/bots/greeter', bot)
  const flow = (id: string, webhook: object) =>
    provision(world, 'PUT', `/v1/bots/greeter/flows/${id}`, { kind: 'event', name: id, webhook })
  const keyed = await flow('keyed', { path: 'keyed', requiresKey: true })
  const sign = (id: string, secret: string) =>
    flow(id, { path: id, requiresKey: false, signature: { preset: 'github', secret } })
  for (const id of ['signed', 'replaced']) assert.equal((await sign(id, signingSecret)).status, 201)
  const runtime = await provision(world, 'POST', '/v1/runtimes', { name: 'one', botIds: '*' })
  const link = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, { pin: true })
  await before.stop()
  return {
    env,
    world,
    rotated: await startInProcess(t, { ...env, SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey }),
    client,
    browser,
    tokens,
    openForm,
    sign,
    flowKey: keyed.json.webhook.key as string,
    runtimeKey: runtime.json.key as string,
    link: link.json.url as string,
  }
}

const signed = `sha256=${createHmac('sha256', signingSecret).update('x').digest('hex')}`

async function post(env: Record<string, string>, flow: string, headers: Record<string, string>): Promise<number> {
  return (await fetch(`${env.API_URL}/greeter/${flow}`, { method: 'POST', headers, body: 'x' })).status
}

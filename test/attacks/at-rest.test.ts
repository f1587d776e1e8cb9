import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, codeFor, provision, redeem } from '../support/people.ts'
import { openWorld } from '../support/world.ts'
import { containsText, storedBytes } from '../support/world-database.ts'
import { provisionScene } from './valid-requests.ts'

test('our choice: passwords, PINs, tokens, cookies and the keys of clients, flows, runtimes, operators and senders of webhooks are never stored in plain text', async (t) => {
  const world = await openWorld(t)
  const { client, browser, runtimeKey, personalToken } = await provisionScene(world)
  const pin = '730918264553'
  await provision(world, 'PUT', '/v1/users/ada', { name: ada.name, password: ada.password, pin })
  await browser.visit(world.portalUrl, world)
  const kept = await codeFor(world, browser, client)
  const { json } = await redeem(world, client, await codeFor(world, browser, client))
  const link = (await provision(world, 'POST', '/v1/users/ada/recovery', {})).json
  const linkToken = /[?#&/](?:token=)?(svc_mt_\w+)/.exec(JSON.stringify(link))?.[1] ?? assert.fail(JSON.stringify(link))
  const signature = { preset: 'github', secret: 'signed-by-the-sender' }
  const flow = { kind: 'event', name: 'Signed', webhook: { path: 'signed', requiresKey: false, signature } }
  assert.equal((await provision(world, 'PUT', '/v1/bots/lantern/flows/signed', flow)).status, 201)
  const named = await provision(world, 'POST', '/v1/operator-keys', { name: 'deploy', access: 'full' })
  const secrets: Record<string, string> = {
    password: ada.password,
    pin,
    kept,
    linkToken,
    runtimeKey,
    operatorKey: named.json.key,
    personalToken,
    clientSecret: client.clientSecret,
    accessToken: json.access_token,
    refreshToken: json.refresh_token,
    signingSecret: signature.secret,
    flowKey: 'a-key-of-orders',
    ...Object.fromEntries(browser.cookieValues().map((value, at) => [`cookie ${at}`, value])),
  }
  const stored = await storedBytes(world)
  assert.ok(Object.values(stored).some((bytes) => bytes.includes(client.clientId)))
  for (const [place, bytes] of Object.entries(stored)) {
    for (const [name, secret] of Object.entries(secrets)) {
      // Drops the prefix, which is not secret.
      const opening = secret.replace(/^svc_[a-z]{2,3}_/, '')
      assert.ok(opening.length >= 10, name)
      assert.equal(containsText(bytes, opening), false, `${name} is in ${place}`)
    }
  }
})

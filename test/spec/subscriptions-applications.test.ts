import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseApplicationId, parseUserId } from '../../src/domain/ids.ts'
import { adaWithClient, codeFor, redeem, refresh, signedIn, testOrigin } from '../support/people.ts'
import { inDatabase } from '../support/world-database.ts'
import { openScene } from './subscriptions-scene.ts'

const types = ['refresh_token.reused', 'client_secret.revoked', 'authorization.revoked']

async function openApplication(t: Parameters<typeof openScene>[0]) {
  const scene = await openScene(t)
  const client = await adaWithClient(scene.world)
  const browser = await signedIn(scene.world)
  const about = { applicationId: 'acme', clientId: client.clientId, applicationName: 'Acme Dashboard' }
  const withdraw = async () => {
    const page = await browser.get(`${scene.world.baseUrl}/account/applications`)
    await browser.submit(page, {}, '/account/applications/withdrawal')
  }
  return { ...scene, client, browser, about, withdraw }
}

describe('our choice: events about applications', () => {
  test('refresh_token.reused, client_secret.revoked and authorization.revoked are sent to the application’s owner', async (t) => {
    const { world, receiver, client, browser, about, withdraw, subscribe, receivedInTime } = await openApplication(t)
    await codeFor(world, browser, client)
    await withdraw()
    await subscribe('ada', types, 'ada')
    await subscribe('bob', types, 'bob')
    const tokens = (await redeem(world, client, await codeFor(world, browser, client))).json
    await refresh(world, client, tokens.refresh_token)
    await world.clock.advance(60_000)
    await refresh(world, client, tokens.refresh_token)
    const [reused] = await receivedInTime('/ada')
    assert.equal(reused!.json.type, 'refresh_token.reused')
    assert.deepEqual(reused!.json.data, { ...about, userId: 'ada', probableCause: 'theft' })

    await withdraw()
    const [, revoked] = await receivedInTime('/ada', 2)
    assert.deepEqual([revoked!.json.type, revoked!.json.data], ['authorization.revoked', { ...about, userId: 'ada' }])

    await world.service.applications.clients.recordSecretUse()
    await world.service.applications.secrets.rotate(parseUserId('ada')!, parseApplicationId('acme')!, testOrigin)
    const [, , rotated] = await receivedInTime('/ada', 3)
    const { lastUsedAt, ...data } = rotated!.json.data
    assert.equal(rotated!.json.type, 'client_secret.revoked')
    assert.deepEqual(data, { ...about, lastFour: client.clientSecret.slice(-4) })
    assert.match(lastUsedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    assert.ok(lastUsedAt >= world.clock.iso() && Date.parse(lastUsedAt) <= world.clock.nowMs())
    assert.equal(receiver.received.filter(({ path }) => path === '/bob').length, 0)
    // Events from before the first subscription are not sent.
    assert.equal(receiver.received.length, 3)
  })

  test('an event stored just before the service stopped is sent after the restart; an event that is read again is not sent twice', async (t) => {
    const { world, receiver, client, browser, withdraw, subscribe, receivedInTime } = await openApplication(t)
    await subscribe('ada', types, 'ada')
    await codeFor(world, browser, client)
    await withdraw()
    await world.restart()
    await receivedInTime('/ada')
    await inDatabase(world, 'identity', 'UPDATE audit_reader SET number = 0')
    await codeFor(world, browser, client)
    await withdraw()
    await receivedInTime('/ada', 2)
    assert.equal(receiver.received.length, 2)
  })
})

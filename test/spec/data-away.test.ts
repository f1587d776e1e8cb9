import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { consentUrl, openClient, provision, push, redeem, refresh, revoke, userinfo } from '../support/people.ts'
import { assertHeaders } from '../support/status-bot.ts'
import { disconnectDatabase } from '../support/world-database.ts'

const unavailable = {
  error: 'temporarily_unavailable',
  error_description: 'The service can not reach its data right now. Try again in a moment.',
}

describe('When the database is unreachable', () => {
  test('the token, revoke and PAR endpoints return 503 temporarily_unavailable and spend nothing; all requests succeed once the database is back', async (t) => {
    const { world, client, code: newCode, tokens } = await openClient(t)
    const [code, issued, ended] = [await newCode(), await tokens(), await tokens()]

    const giveBack = await disconnectDatabase(world, 'identity')
    const answers = await Promise.all([
      redeem(world, client, code),
      refresh(world, client, issued.refresh_token),
      revoke(world, { token: ended.access_token }),
      push(world, client, consentUrl(world, client)),
    ])
    for (const answer of answers) {
      assert.deepEqual([answer.status, answer.json, answer.headers.get('retry-after')], [503, unavailable, '1'])
    }
    assert.match(world.logs(), /^\{"level":50,.*"cause":"unavailable".*OAuth request rejected/m)
    await giveBack()

    assert.equal((await userinfo(world, ended.access_token)).status, 200, 'a token that was not revoked still works')
    assert.equal((await redeem(world, client, code)).status, 200)
    assert.equal((await refresh(world, client, issued.refresh_token)).status, 200)
    await revoke(world, { token: ended.access_token })
    assert.equal((await userinfo(world, ended.access_token)).status, 401)
  })

  test('the OpenAPI description, which contains the operator’s scopes, returns the gateway’s 503; badge and shield say “unknown”, so that embedding pages show no broken image', async (t) => {
    const { world } = await openClient(t)
    const giveBack = await disconnectDatabase(world, 'identity')
    const answer = await fetch(`${world.apiUrl}/openapi.json`)
    // On SQLite only writes fail.
    if (world.databaseUrl !== undefined) {
      assert.deepEqual([answer.status, await answer.text()], [503, '{"error": "Webhook gateway unavailable."}'])
      assert.equal(answer.headers.get('retry-after'), '1')
    }
    for (const file of ['badge.svg', 'shield.json']) {
      const shown = await fetch(`${world.baseUrl}/botstatus/ghost/${file}`)
      assert.equal(shown.status, 200)
      assertHeaders(shown, { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' })
      assert.match(await shown.text(), /unknown/)
    }
    await giveBack()
    assert.equal((await fetch(`${world.apiUrl}/openapi.json`)).status, 200)
  })

  test('the control API returns 503, and so do pages, with a link to try again, which works once the database is back', async (t) => {
    const { world, client, browser } = await openClient(t)
    const asking = consentUrl(world, client)
    const consent = await browser.visit(asking, world)

    const giveBack = await disconnectDatabase(world, 'identity')
    const deciding = browser.submit(consent, { decision: 'allow' }, '/auth/consent')
    const [address, decision] = await Promise.all([browser.get(asking), deciding])
    assert.deepEqual([address.status, address.headers.get('retry-after')], [503, '5'])
    assert.match(address.headers.get('content-type') ?? '', /^text\/html/)
    assert.deepEqual([decision.status, decision.location], [503, undefined])
    const { status, json } = await provision(world, 'PUT', '/v1/users/newcomer', { name: 'Newcomer' })
    assert.deepEqual([status, json.detail], [503, 'The service can’t read or write its data. Try again in a moment.'])
    await giveBack()

    const again = await browser.openLink(address, 'Open page again')
    assert.equal((await browser.onward(again, world)).status, 200)
    const decided = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
    assert.match(String(decided.location), /\?code=svc_ac_/)
  })
})

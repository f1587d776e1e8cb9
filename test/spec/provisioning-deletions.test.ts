import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { outboxOf, parseBotId, parseSubscriptionId, parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { exported } from '../support/audit.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { openNodes } from '../support/nodes.ts'
import { adaWithClient, provision, testOrigin, userinfo } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { pluck } from '../support/together.ts'
import type { World } from '../support/world.ts'
import { inDatabase } from '../support/world-database.ts'
import { assertGrantEnded, assertProblem, botBody, holdTokens, openScene } from './provisioning-scene.ts'

const remove = (world: World, path: string) => provision(world, 'DELETE', `/v1/${path}`)

/** Returns each identity table whose rows contain such a text, with the rows. */
async function rowsThatName(world: World, text: RegExp) {
  const tables = await inDatabase(world, 'identity', {
    sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'queue_%'",
  })
  const found: Record<string, string[]> = {}
  for (const { name } of tables) {
    const rows = (await inDatabase(world, 'identity', `SELECT * FROM ${name}`)).map((row) =>
      JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
    )
    const naming = rows.filter((row) => text.test(row))
    if (naming.length > 0) found[String(name)] = naming
  }
  return found
}

describe('DELETE /v1/users/{userId}', () => {
  test('deleting a user deletes the user’s data, and ends sessions, tokens and codes at once', async (t) => {
    const { world, put, get } = await openScene(t)
    const held = await holdTokens(world)
    await provision(world, 'PUT', '/v1/applications/acme', {
      ...{ ownerId: 'bob', name: 'Acme', websiteUrl: 'https://client.example' },
      redirectUris: [held.client.redirectUri],
    })
    await put('bots/bot-1', { ...botBody, ownerId: 'bob' })
    await put('bots/bot-1/coworkers/ada', { role: 'editor', capabilities: [] })
    const answer = await remove(world, 'users/ada')
    assert.deepEqual([answer.status, answer.json], [204, undefined])

    await assertGrantEnded(world, held)
    const account = await held.browser.get(`${world.baseUrl}/account`)
    assert.deepEqual([account.status, account.location?.pathname], [302, '/sign-in'])
    assertProblem(await get('users/ada'), 404, /no user ada/)
    assertProblem(await get('bots/bot-1/coworkers/ada'), 404, /no coworker ada/)
    assertProblem(await remove(world, 'users/ada'), 404, /no user ada/)
  })

  test('deleting a user who owns applications or bots returns 409 with their IDs, and changes nothing', async (t) => {
    const { world, put, get } = await openScene(t)
    await adaWithClient(world)
    const refused = await remove(world, 'users/ada')
    const detail =
      'This user owns the application acme and the bot bot-1. Delete them or give them another owner first, ' +
      'or delete them too, with cascade=true (gatehouse user delete --cascade). Nothing was changed.'
    assert.deepEqual(refused.json, { type: 'about:blank', title: 'Conflict', status: 409, detail })
    await remove(world, 'applications/acme')
    for (let n = 2; n <= 12; n += 1) {
      await put(`bots/b-${n}`, { ...botBody, chatPlatformId: String(12345678901234567n + BigInt(n)) })
    }
    assertProblem(await remove(world, 'users/ada'), 409, /owns the bots b-10, .*, b-8 and 2 more\. Delete/)
    assert.equal((await get('users/ada')).status, 200)
    for (const query of ['cascade=yes', 'cascade=true&cascade=false', 'force=true']) {
      assertProblem(await remove(world, `users/ada?${query}`), 400, /parameter (cascade|force)/)
    }
    assert.equal((await get('users/ada')).status, 200)
  })

  test('with cascade=true, deleting a user also deletes the user’s applications, bots and runtimes, and only audit events still contain the user’s ID; a new user with that ID has none of the deleted user’s data and does not see the activity', async (t) => {
    const { world, browser, subscription } = await openPopulatedWorld(t)
    await browser.visit(`${world.baseUrl}/account`, world)
    await provision(world, 'PUT', '/v1/bots/earlier', { ...botBody, chatPlatformId: '12345678901234567' })
    await remove(world, 'bots/earlier')
    const before = await exported(world)
    assert.equal((await remove(world, 'users/ada?cascade=true')).status, 204)

    const found = await rowsThatName(world, /"ada"|Lovelace|ada@example|lantern|harbor|earlier|Night Shift/)
    assert.deepEqual(Object.keys(found).sort(), ['audit_events', 'deleted_bots'])
    assert.doesNotMatch(String(found.audit_events), /Lovelace|ada@example/)
    const deleted = await inDatabase(world, 'identity', 'SELECT id FROM deleted_bots ORDER BY id')
    assert.deepEqual(pluck(deleted, 'id'), ['earlier', 'harbor', 'lantern'])
    const [event] = (await exported(world)).slice(before.length)
    const { kind, actor, userId, detail } = event!
    assert.deepEqual([kind, actor, userId], ['provisioned', 'operator', 'ada'])
    assert.deepEqual(detail, { call: 'deleteUser', outcome: 'removed' })
    const { log } = world.service.queue
    const outbox = outboxOf(parseSubscriptionId(subscription.id)!)
    for (const botId of [parseBotId('lantern')!, outbox]) {
      const events = async () => (await log.page(botId, {}, { most: 10 })).events.length
      await eventually(async () => (await events()) === 0 || undefined)
    }

    const reused = { ownerId: 'grace', name: 'New', chatPlatformId: '215215215215215215' }
    assert.equal((await provision(world, 'PUT', '/v1/bots/lantern', reused)).status, 201)
    assert.deepEqual((await provision(world, 'GET', '/v1/bots/lantern/logs')).json.entries, [])

    await world.clock.advance(1_000)
    const newAda = { name: 'New Ada', email: 'new@example.com', password: 'a password of the new Ada' }
    assert.equal((await provision(world, 'PUT', '/v1/users/ada', newAda)).status, 201)
    const { applications, bots, sessions, activity } = (await provision(world, 'GET', '/v1/users/ada/export')).json
    assert.deepEqual([applications, bots, sessions], [[], [], []])
    const calls = activity.map(({ detail }: { detail: { call: string } }) => detail.call)
    assert.deepEqual(calls, ['exportUser', 'putUser'])
  })

  test('on several nodes, the other nodes reject a deleted user’s sessions and tokens and disconnect their runtimes', async (t) => {
    const [one, other] = await openNodes(t)
    const { browser, tokens } = await holdTokens(one)
    const bot = { ownerId: 'ada', name: 'Lantern', chatPlatformId: '215215215215215215' }
    assert.equal((await provision(one, 'PUT', '/v1/bots/lantern', bot)).status, 201)
    const by = { userId: parseUserId('ada')!, origin: testOrigin }
    const { clearTextKey } = await one.service.bots.runtimes.make({ name: 'Attic', botIds: null }, by)
    const { runtime } = await BotRuntime.ready(t, other, clearTextKey)
    assert.equal((await remove(one, 'users/ada?cascade=true')).status, 204)
    assert.equal((await userinfo(other, tokens.access_token)).status, 401)
    assert.equal((await browser.get(`${other.baseUrl}/account`)).location?.pathname, '/sign-in')
    assert.deepEqual(await runtime.closed, { code: 4001, reason: 'the runtime was removed' })
  })
})

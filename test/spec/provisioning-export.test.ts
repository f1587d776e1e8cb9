import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { exported } from '../support/audit.ts'
import { documentAt } from '../support/openapi.ts'
import { ada, provision } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { assertProblem, openScene } from './provisioning-scene.ts'

describe('GET /v1/users/{userId}/export', () => {
  test('the export of a new user has the account and empty lists, and is audited with the operator key', async (t) => {
    const { world, put, get, madeAt } = await openScene(t)
    await put('users/eve', { name: 'Eve', email: 'Eve@example.com', password: 'correct horse battery' })
    const { json: named } = await provision(world, 'POST', '/v1/operator-keys', { name: 'privacy', access: 'read' })
    const answer = await provision({ ...world, operatorKey: named.key }, 'GET', '/v1/users/eve/export')
    const { activity, ...others } = answer.json
    assert.equal(answer.headers.get('content-type'), 'application/json')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const account = { id: 'eve', name: 'Eve', email: 'Eve@example.com', hasPassword: true, hasPin: false }
    const times = {
      emailVerifiedAt: madeAt,
      createdAt: madeAt,
      changedAt: madeAt,
      pinLockedUntil: null,
      disabledAt: null,
    }
    const user = { ...account, ...times, pendingEmail: null, chatPlatformId: null, codeHostingId: null }
    const empty = Object.fromEntries(lists.map((name) => [name, []]))
    assert.deepEqual([answer.status, others], [200, { exportedAt: madeAt, user, ...empty }])
    const byKey = { operatorKeyId: named.id, operatorKeyName: 'privacy' }
    const exporting = { call: 'exportUser', outcome: 'exported', ...byKey }
    // The export contains its own audit event.
    const nobody = { applicationId: null, botId: null, address: null, userAgent: null }
    const event = { kind: 'provisioned', actor: 'operator', ...nobody }
    assert.deepEqual(activity, [
      { ...event, at: madeAt, detail: exporting },
      { ...event, at: madeAt, detail: { call: 'putUser', outcome: 'created', members: 'name, email, password' } },
    ])
    assertProblem(await get('users/nobody/export'), 404, /no user nobody/)
    const last = (await exported(world)).at(-1)
    assert.deepEqual([last?.userId, last?.detail], ['eve', exporting])
  })

  test('a user’s export has the data of both databases in the described form, and no secret, hash or webhook body', async (t) => {
    const { world, client, application, resetLink, browser, events, subscription, runtimeId } =
      await openPopulatedWorld(t)
    await fetch(`${world.apiUrl}/lantern/nowhere`, { method: 'POST' })
    await world.service.refusalLog.flush()
    await world.service.bots.connections.flush()
    const { json } = await provision(world, 'GET', '/v1/users/ada/export')
    const { components } = await documentAt(world.controlUrl)
    const schema = { ...components.schemas.PersonalData, components }
    const described = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
    const valid: boolean = described(json)
    assert.ok(valid, JSON.stringify(described.errors))
    const empty = Object.keys(json).filter((name) => name !== 'outgoingMail' && json[name].length === 0)
    assert.deepEqual(empty.sort(), ['acceptedInvitations', 'linkedAccounts', 'passkeys', 'roles', 'tryOutResults'])
    const deliveries = json.deliveries.map(({ botId, id, state }: Record<string, string>) => [botId, id, state])
    assert.deepEqual(deliveries, [
      ['lantern', events.dead, 'dead'],
      ['lantern', events.done, 'delivered'],
    ])
    assert.equal(json.logs.length, 4)
    assert.partialDeepStrictEqual(json.subscriptions, [{ id: subscription.id, disabledBecause: null }])
    const connection = { runtimeId, instance: 'one', agent: 'a test', endedAt: null }
    const at = world.clock.iso()
    assert.deepEqual(json.runtimeConnections, [{ ...connection, connectedAt: at, lastHeardAt: at }])
    assert.partialDeepStrictEqual(json.refusedWebhooks, [{ botId: 'lantern', flowId: null, cause: 'path-unknown' }])
    assert.equal(json.oneTimeLinks[0].purpose, 'reset-password')
    const grace = (await provision(world, 'GET', '/v1/users/grace/export')).json
    assert.deepEqual(grace.roles, [{ botId: 'lantern', role: 'editor', capabilities: ['keys', 'poetry'] }])
    const kurt = (await provision(world, 'GET', '/v1/users/kurt/export')).json
    assert.partialDeepStrictEqual(kurt.acceptedInvitations, [{ botId: 'lantern', label: 'Grace' }])

    const whole = JSON.stringify(json)
    const token = new URL(resetLink).search.slice(1)
    for (const secret of [ada.password, ada.pin, client.clientSecret, token, ...browser.cookieValues()]) {
      assert.ok(!whole.includes(`"${secret}"`) && (secret.length < 10 || !whole.includes(secret)), secret)
    }
    assert.doesNotMatch(whole, /argon2|svc_(?!ci_)|Version 8|It is out/)
    assert.ok(whole.includes(application.address.split('/').at(-1) ?? 'none'))
  })
})

const lists =
  `sessions passkeys personalTokens linkedAccounts oneTimeLinks outgoingMail tryOutResults consents authorizations roles
  acceptedInvitations applications clientSecrets failedRequests bots flows flowKeys guilds statusNotices collaborators
  invitations runtimes runtimeKeys runtimeConnections refusedWebhooks subscriptions logs deliveries
  subscriptionDeliveries`.split(/\s+/)

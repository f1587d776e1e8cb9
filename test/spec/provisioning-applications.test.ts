import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PortalApplication } from '../../src/domain/applications/portal-application.ts'
import { asClientId, parseApplicationId } from '../../src/domain/ids-and-secrets.ts'
import { authenticates } from '../support/portal-people.ts'
import { openWorld } from '../support/world.ts'
import { inDatabase } from '../support/world-database.ts'
import { assertProblem, openScene } from './provisioning-scene.ts'

describe('PUT /v1/applications/{applicationId}', () => {
  const redirectUris = ['https://client.example/callback']
  const body = { ownerId: 'ada', name: 'Acme', websiteUrl: 'https://client.example', redirectUris }

  test('an application with invalid URLs returns 400, with a pointer to each error and the reason', async (t) => {
    const { put } = await openScene(t)
    const websiteUrl = 'http://client.example'
    const faulty = await put('applications/acme', { ...body, websiteUrl, redirectUris: [websiteUrl] })
    assertProblem(faulty, 400, ['#/websiteUrl', '#/redirectUris/0'])
    for (const [uri, detail] of [
      ['https://a.example/cb,https://b.example/cb', /one URL per list item \(in the portal, one per line\)/],
      ['https://a.example/cb?error_uri=x', /without code, state, error, error_description, error_uri and iss/],
    ] as const) {
      const refused = await put('applications/acme', { ...body, redirectUris: [uri] })
      assertProblem(refused, 400, ['#/redirectUris/0'])
      assert.match(refused.json.errors[0].detail, detail)
    }
  })

  test('our choice: a new application’s secret is returned even if the application is deleted at once', async (t) => {
    const { put, world } = await openScene(t)
    const deletion = 'UPDATE applications SET deleted_at_ms = 1 WHERE id = NEW.application_id'
    await inDatabase(world, 'identity', {
      sqlite: `CREATE TRIGGER gone AFTER INSERT ON client_secrets BEGIN ${deletion}; END`,
      postgres: `CREATE RULE gone AS ON INSERT TO client_secrets DO ALSO ${deletion}`,
    })
    const { status, json } = await put('applications/brief', body)
    const on = { sqlite: 'DROP TRIGGER gone', postgres: 'DROP RULE gone ON client_secrets' }
    await inDatabase(world, 'identity', on)
    assert.deepEqual([status, json.clientSecret.slice(-4)], [201, json.clientSecretLastFour])
  })

  test('our choice: the portal’s own application can’t be changed or deleted, and none has the ID of a form', async (t) => {
    const { put, get, remove } = await openScene(t)
    const before = (await get('applications/portal')).json
    assert.equal(before.ownerId, null)
    assertProblem(await put('applications/portal', body), 409, /developer portal/)
    assertProblem(await remove('applications/portal'), 409, /own developer portal/)
    assert.deepEqual((await get('applications/portal')).json, before)
    assertProblem(await put('applications/new', body), 409, /^This ID is reserved/)
  })
})

const own: PortalApplication = {
  id: parseApplicationId('own')!,
  clientId: asClientId('svc_ci_own'),
  name: 'Own',
  websiteUrl: 'http://localhost:3002',
  redirectUris: ['http://localhost:3002/callback'],
}

test('our choice: registering the service’s own application again updates it to the current configuration, and it has no secret', async (t) => {
  const world = await openWorld(t)
  const { applications } = world.service
  // Nodes that start at the same time register it once.
  await Promise.all(Array.from({ length: 4 }, () => applications.provisioned.ensureFirstParty(own)))
  const moved: PortalApplication = { ...own, redirectUris: ['https://portal.example/callback'] }
  await applications.provisioned.ensureFirstParty(moved)
  const stored = await applications.clients.find(own.clientId)
  assert.partialDeepStrictEqual(stored, { ...moved, ownerId: null, environment: 'production', firstParty: true })
  assert.equal(await authenticates(world, { ...own, clientSecret: 'svc_cs_any' }), false)
})

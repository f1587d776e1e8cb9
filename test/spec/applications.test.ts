import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { ApplicationForm } from '../../src/domain/applications/application-form.ts'
import type { Applications } from '../../src/domain/applications/applications.ts'
import { asClientId, parseApplicationId, parseUserId } from '../../src/domain/ids.ts'
import { type JsonAnswer, postForm } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const ada = parseUserId('ada')!
const bob = parseUserId('bob')!
const form: ApplicationForm = {
  name: 'Acme',
  websiteUrl: 'https://acme.example',
  environment: 'production',
  redirectUris: ['https://acme.example/callback'],
}

async function openScene(t: TestContext): Promise<{ world: World; applications: Applications }> {
  const world = await openWorld(t)
  await world.service.accounts.users.put(ada, { name: 'Ada' })
  await world.service.accounts.users.put(bob, { name: 'Bob' })
  return { world, applications: world.service.applications }
}

/**
 * Sends the credentials with an unknown code to the token endpoint. The error is `invalid_grant` if the credentials are
 * right, else `invalid_client`.
 */
function tokenAnswer(world: World, clientId: string, clientSecret: string): Promise<JsonAnswer> {
  return postForm(`${world.baseUrl}/api/oauth/token`, {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    code: 'svc_ac_unknown',
    redirect_uri: 'https://acme.example/callback',
  })
}

async function authenticates(world: World, clientId: string, clientSecret: string): Promise<boolean> {
  const { status, json } = await tokenAnswer(world, clientId, clientSecret)
  if (status === 400 && json.error === 'invalid_grant') return true
  assert.deepEqual([status, json.error], [401, 'invalid_client'])
  return false
}

describe('Application (registered in the portal)', () => {
  const refused: [sentence: string, change: Partial<ApplicationForm>, faults: object[]][] = [
    ['a name is required', { name: ' \t ' }, [{ reason: 'name-missing' }]],
    ['our choice: a name has at most 100 characters', { name: 'x'.repeat(101) }, [{ reason: 'name-too-long' }]],
    ['the website URL must use https://', { websiteUrl: 'http://a.example' }, [{ reason: 'website-url-not-https' }]],
    ['the website URL must use https://', { websiteUrl: 'javascript:x' }, [{ reason: 'website-url-not-https' }]],
    ['a website URL is required', { websiteUrl: '' }, [{ reason: 'website-url-malformed' }]],
    ['the website URL must be well-formed', { websiteUrl: 'a.example' }, [{ reason: 'website-url-malformed' }]],
    ['the website URL must be well-formed', { websiteUrl: 'https://' }, [{ reason: 'website-url-malformed' }]],
    [
      'the website URL must not contain a user name',
      { websiteUrl: 'https://a@b.example' },
      [{ reason: 'website-url-malformed' }],
    ],
    ['at least one redirect URI is required', { redirectUris: ['', ' '] }, [{ reason: 'redirect-uris-missing' }]],
    [
      'our choice: an application has at most 50 redirect URIs',
      { redirectUris: Array.from({ length: 51 }, (_, index) => `https://a.example/${index}`) },
      [{ reason: 'redirect-uris-too-many' }],
    ],
    [
      'production redirect URIs must use https://',
      { redirectUris: ['https://a.example/', 'http://localhost:3000/', 'http://a.example/'] },
      [
        { reason: 'redirect-uri-not-https', redirectUri: 'http://localhost:3000/' },
        { reason: 'redirect-uri-not-https', redirectUri: 'http://a.example/' },
      ],
    ],
    [
      'development redirect URIs may use http:// for loopback hosts only',
      { environment: 'development', redirectUris: ['http://localhost:3000/', 'http://a.example/'] },
      [{ reason: 'redirect-uri-http-elsewhere', redirectUri: 'http://a.example/' }],
    ],
    [
      'all errors are reported at once',
      { name: '', websiteUrl: 'http://a.example', redirectUris: ['https://a.example/#x'] },
      [
        { reason: 'name-missing' },
        { reason: 'website-url-not-https' },
        { reason: 'redirect-uri-fragment', redirectUri: 'https://a.example/#x' },
      ],
    ],
  ]
  for (const [_sentence, _change, _faults] of refused) {
  }
})

const own = {
  id: parseApplicationId('own')!,
  clientId: asClientId('svc_ci_own'),
  name: 'Own',
  websiteUrl: 'http://localhost:3002',
  redirectUris: ['http://localhost:3002/callback'],
}

describe('Provisioning applications', () => {
  const acme = parseApplicationId('acme')!

  test('exactly one of several concurrent PUTs with the same ID creates the application', async (t) => {
    const { applications } = await openScene(t)
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => applications.provisioned.put(acme, { ...form, ownerId: ada })),
    )
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'created').length, 1)
  })

  test('registering the service’s own application again updates it to the current configuration, and it has no secret', async (t) => {
    const { world, applications } = await openScene(t)
    await applications.provisioned.ensureFirstParty(own)
    const moved = { ...own, redirectUris: ['https://portal.example/callback'] }
    await applications.provisioned.ensureFirstParty(moved)
    const { createdAtMs, ...stored } = (await applications.clients.find(own.clientId))!
    assert.deepEqual(stored, {
      ...moved,
      ownerId: null,
      environment: 'production',
      firstParty: true,
      requirePkce: false,
      verified: false,
      disabled: false,
    })
    assert.equal(createdAtMs, world.clock.nowMs())
    assert.equal(await authenticates(world, own.clientId, 'svc_cs_any'), false)
  })

  test('nodes that start at the same time register the service’s own application once', async (t) => {
    const { applications } = await openScene(t)
    await Promise.all(Array.from({ length: 4 }, () => applications.provisioned.ensureFirstParty(own)))
    assert.deepEqual((await applications.clients.find(own.clientId))?.redirectUris, own.redirectUris)
  })
})

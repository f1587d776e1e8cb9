import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { ApplicationForm } from '../../src/domain/applications/application-form.ts'
import type { Applications } from '../../src/domain/applications/applications.ts'
import { asClientId, parseApplicationId, parseUserId } from '../../src/domain/ids.ts'
import { type JsonAnswer, postForm, testOrigin } from '../support/people.ts'
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
  test('name, website URL and redirect URIs are stored as provided at registration, without extra spaces or duplicates', async (t) => {
    const { world, applications } = await openScene(t)
    const typed = {
      ...form,
      name: '  Acme \n Dashboard ',
      websiteUrl: ' https://acme.example ',
      redirectUris: ['', ' https://acme.example/b ', 'https://acme.example/a', 'https://acme.example/b'],
    }
    const registered = await applications.owned.register(ada, typed, testOrigin)
    const { id, clientId, secrets, ...rest } = registered.application
    assert.deepEqual(rest, {
      ownerId: 'ada',
      name: 'Acme Dashboard',
      websiteUrl: 'https://acme.example',
      environment: 'production',
      firstParty: false,
      requirePkce: false,
      verified: false,
      disabled: false,
      redirectUris: ['https://acme.example/b', 'https://acme.example/a'],
      createdAtMs: world.clock.nowMs(),
    })
    const lastFour = registered.clearTextSecret.slice(-4)
    const [{ number } = { number: 0 }] = secrets
    assert.deepEqual(secrets, [{ number, label: null, lastFour, createdAtMs: world.clock.nowMs(), lastUsedAtMs: null }])
    assert.deepEqual(await applications.owned.find(ada, id), registered.application)
    assert.match(clientId, /^svc_ci_[A-Za-z0-9_]{20,}$/)
    assert.match(registered.clearTextSecret, /^svc_cs_[A-Za-z0-9_]{43,}$/)
  })

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
  for (const [sentence, change, faults] of refused) {
    test(`${sentence}; ${JSON.stringify(change).slice(0, 60)} is refused`, async (t) => {
      const { applications } = await openScene(t)
      await assert.rejects(applications.owned.register(ada, { ...form, ...change }, testOrigin), { faults })
      assert.deepEqual(await applications.owned.list(ada), [])
      const { application } = await applications.owned.register(ada, form, testOrigin)
      await assert.rejects(applications.owned.change(ada, application.id, { ...form, ...change }, testOrigin), {
        faults,
      })
      assert.deepEqual(await applications.owned.find(ada, application.id), application)
    })
  }

  test('the client secret is shown once at creation; afterwards only its last four characters are known', async (t) => {
    const { world, applications } = await openScene(t)
    const { application, clearTextSecret } = await applications.owned.register(ada, form, testOrigin)
    assert.equal(await authenticates(world, application.clientId, clearTextSecret), true)
    for (const told of [await applications.owned.find(ada, application.id), await applications.owned.list(ada)]) {
      assert.ok(!JSON.stringify(told).includes(clearTextSecret.slice(0, -4)))
    }
  })

  test('rotation of the client secret invalidates the old secret immediately', async (t) => {
    const { world, applications } = await openScene(t)
    const { application, clearTextSecret } = await applications.owned.register(ada, form, testOrigin)
    await world.clock.advance(1_000)
    const rotated = await applications.secrets.rotate(ada, application.id, testOrigin)
    assert.equal(await authenticates(world, application.clientId, clearTextSecret), false)
    assert.equal(await authenticates(world, application.clientId, rotated.clearTextSecret), true)
    assert.deepEqual(rotated.application, {
      ...application,
      secrets: [
        {
          number: (application.secrets[0]?.number ?? 0) + 1,
          label: null,
          lastFour: rotated.clearTextSecret.slice(-4),
          createdAtMs: world.clock.nowMs(),
          lastUsedAtMs: null,
        },
      ],
    })
  })

  test('after concurrent rotations only the last client secret works', async (t) => {
    const { world, applications } = await openScene(t)
    const { application, clearTextSecret } = await applications.owned.register(ada, form, testOrigin)
    const rotations = await Promise.all(
      Array.from({ length: 10 }, () => applications.secrets.rotate(ada, application.id, testOrigin)),
    )
    const secrets = [clearTextSecret, ...rotations.map((rotated) => rotated.clearTextSecret)]
    const works = await Promise.all(secrets.map((secret) => authenticates(world, application.clientId, secret)))
    assert.equal(works.filter(Boolean).length, 1)
    const { secrets: held } = await applications.owned.find(ada, application.id)
    assert.deepEqual(
      [secrets[works.indexOf(true)]?.slice(-4)],
      held.map(({ lastFour }) => lastFour),
    )
  })

  test('changes to an application apply immediately and keep its client ID and secret', async (t) => {
    const { world, applications } = await openScene(t)
    const { application, clearTextSecret } = await applications.owned.register(ada, form, testOrigin)
    const changed: ApplicationForm = {
      name: 'Acme 2',
      websiteUrl: 'https://two.example',
      environment: 'development',
      redirectUris: ['http://127.0.0.1/callback'],
    }
    assert.deepEqual(await applications.owned.change(ada, application.id, changed, testOrigin), {
      ...application,
      ...changed,
    })
    assert.equal((await applications.clients.find(application.clientId))?.name, 'Acme 2')
    assert.equal(await authenticates(world, application.clientId, clearTextSecret), true)
  })

  test('a deleted application can no longer authenticate', async (t) => {
    const { world, applications } = await openScene(t)
    const { application, clearTextSecret } = await applications.owned.register(ada, form, testOrigin)
    await applications.owned.remove(ada, application.id, testOrigin)
    assert.equal(await authenticates(world, application.clientId, clearTextSecret), false)
    assert.equal(await applications.clients.find(application.clientId), undefined)
    assert.deepEqual(await applications.owned.list(ada), [])
    await assert.rejects(applications.owned.find(ada, application.id), { reason: 'application-unknown' })
  })

  test('our choice: another owner’s application gets the same refusal as an unknown application', async (t) => {
    const { world, applications } = await openScene(t)
    const { application, clearTextSecret } = await applications.owned.register(ada, form, testOrigin)
    for (const id of [application.id, parseApplicationId('none')!]) {
      for (const refusal of [
        () => applications.owned.find(bob, id),
        () => applications.owned.change(bob, id, form, testOrigin),
        () => applications.secrets.rotate(bob, id, testOrigin),
        () => applications.owned.remove(bob, id, testOrigin),
      ]) {
        await assert.rejects(refusal, { name: 'ApplicationRefusal', reason: 'application-unknown' })
      }
    }
    assert.deepEqual(await applications.owned.find(ada, application.id), application)
    assert.equal(await authenticates(world, application.clientId, clearTextSecret), true)
  })

  test('our choice: an unknown client and a wrong secret get the same response (RFC 6749 section 5.2)', async (t) => {
    const { world, applications } = await openScene(t)
    const { application } = await applications.owned.register(ada, form, testOrigin)
    const wrong = await tokenAnswer(world, application.clientId, 'svc_cs_wrong')
    const unknown = await tokenAnswer(world, asClientId('svc_ci_unknown'), 'svc_cs_wrong')
    assert.equal(wrong.status, 401)
    assert.deepEqual([unknown.status, unknown.json], [wrong.status, wrong.json])
  })
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

  test('the first PUT creates an application and later PUTs change it; the environment defaults to production and is kept when omitted', async (t) => {
    const { world, applications } = await openScene(t)
    const change = { ...form, ownerId: ada, environment: undefined }
    const created = await applications.provisioned.put(acme, change)
    assert.equal(created.outcome, 'created')
    assert.equal(await authenticates(world, created.clientId, created.clientSecret), true)
    assert.equal((await applications.clients.findById(acme))?.environment, 'production')
    await applications.provisioned.put(acme, { ...change, environment: 'development', ownerId: bob })
    assert.deepEqual(await applications.provisioned.put(acme, { ...change, ownerId: bob }), { outcome: 'changed' })
    const stored = await applications.clients.findById(acme)
    assert.deepEqual([stored?.environment, stored?.ownerId], ['development', 'bob'])
    assert.equal(await authenticates(world, created.clientId, created.clientSecret), true)
  })

  test('exactly one of several concurrent PUTs with the same ID creates the application', async (t) => {
    const { applications } = await openScene(t)
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => applications.provisioned.put(acme, { ...form, ownerId: ada })),
    )
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'created').length, 1)
  })

  test('an application with an unknown owner is refused', async (t) => {
    const { applications } = await openScene(t)
    const change = { ...form, ownerId: parseUserId('nobody')! }
    await assert.rejects(applications.provisioned.put(acme, change), { reason: 'owner-unknown' })
    await applications.provisioned.put(acme, { ...form, ownerId: ada })
    await assert.rejects(applications.provisioned.put(acme, change), { reason: 'owner-unknown' })
  })

  test('our choice: the ID of a deleted application is never reused, so its tokens stay revoked', async (t) => {
    const { applications } = await openScene(t)
    await applications.provisioned.put(acme, { ...form, ownerId: ada })
    await applications.owned.remove(ada, acme, testOrigin)
    const again = applications.provisioned.put(acme, { ...form, ownerId: ada })
    await assert.rejects(again, { reason: 'application-removed' })
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

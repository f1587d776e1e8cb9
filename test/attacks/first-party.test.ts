import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentUrl, openAda, provision, signedIn } from '../support/people.ts'
import type { World } from '../support/world.ts'

const settings = {
  name: 'Acme Dashboard',
  website_url: 'https://client.example',
  environment: 'production',
  redirect_uris: 'https://client.example/callback',
  require_pkce: 'no',
}

async function marks(world: World): Promise<object> {
  const { verified, firstParty } = (await provision(world, 'GET', '/v1/applications/acme')).json
  return { verified, firstParty }
}

const changes: [what: string, change: Partial<typeof settings>][] = [
  ['name', { name: 'Your Bank' }],
  ['website', { website_url: 'https://evil.example' }],
  ['redirect URIs', { redirect_uris: 'https://client.example/callback\nhttps://evil.example/callback' }],
  ['environment', { environment: 'development' }],
]
for (const [what, change] of changes) {
  test(`an owner’s change to the ${what} removes the first-party mark, and consent that was only implied no longer counts`, async (t) => {
    const { world, client } = await openAda(t, {}, { firstParty: true, verified: true })
    const account = { email: 'bob@example.com', password: 'a bridge of stone' }
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', ...account })
    const bob = await signedIn(world, account)
    const implied = await bob.visit(consentUrl(world, client), world)
    assert.match(implied.location?.search ?? '', /^\?code=svc_ac_/)

    const owner = await signedIn(world)
    await owner.visit(world.portalUrl, world)
    const page = await owner.get(`${world.portalUrl}/apps/acme`)
    assert.equal((await owner.submit(page, { ...settings, require_pkce: 'yes' }, '/apps/acme')).status, 303)
    assert.deepEqual(await marks(world), { verified: true, firstParty: true })
    assert.equal((await owner.submit(page, { ...settings, ...change }, '/apps/acme')).status, 303)
    assert.deepEqual(await marks(world), { verified: false, firstParty: false })

    const skipped = await bob.get(consentUrl(world, client, { consent: 'skip' }))
    assert.equal(skipped.location?.searchParams.get('error'), 'consent_required')
    const asked = await bob.visit(consentUrl(world, client), world)
    assert.match(asked.text, /name="decision"/)
  })
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from '../people.ts'
import { acme, atPortal, registered } from '../portal-people.ts'
import { openWorld, type World } from '../world.ts'

/** Starts a sign-in without PKCE and tells the error at the redirect URI, if it comes to one. */
async function errorWithoutPkce(world: World, clientId: string): Promise<string | null | undefined> {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: acme.redirect_uris,
    response_type: 'code',
    scope: 'user.identify',
  })
  const answer = await new Browser().get(`${world.baseUrl}/auth/consent?${query}`)
  return answer.location?.searchParams.get('error')
}

describe('An application can require PKCE', () => {
  test('our choice: the settings hold it as one of two choices, and the next request is held to it', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId } = await registered(world, browser)
    const page = await browser.get(address)
    assert.match(page.text, /<input type="radio" name="require_pkce"[^>]* value="no"[^>]* checked>/)
    assert.equal(await errorWithoutPkce(world, clientId), null)

    const saved = await browser.submit(page, { ...acme, require_pkce: 'yes' }, new URL(address).pathname)
    assert.equal(saved.status, 303)
    assert.match(
      (await browser.get(address)).text,
      /<input type="radio" name="require_pkce"[^>]* value="yes"[^>]* checked>/,
    )
    assert.equal(await errorWithoutPkce(world, clientId), 'invalid_request')
  })

  test('our choice: a post of the contract’s fields alone keeps what is stored', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId } = await registered(world, browser, { ...acme, require_pkce: 'yes' })
    const { environment, ...fields } = acme
    const saved = await browser.submit(await browser.get(address), fields, new URL(address).pathname)
    assert.equal(saved.status, 303)
    assert.equal(await errorWithoutPkce(world, clientId), 'invalid_request')
    await browser.submit(await browser.get(address), { ...fields, require_pkce: 'no' }, new URL(address).pathname)
    assert.equal(await errorWithoutPkce(world, clientId), null)
  })
})

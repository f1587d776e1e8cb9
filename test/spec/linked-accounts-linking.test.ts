import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type Answer, adaWithClient, Browser, formTokenOf, provision, signedIn } from '../support/people.ts'
import type { StandInProvider } from '../support/stand-in-provider.ts'
import type { World } from '../support/world.ts'
import { openChat, redirectTargetOf, signInWith } from './linked-accounts-scene.ts'

const minutesMs = 60_000

describe('our choice: linking and unlinking at /account/linked (decision 0015)', () => {
  const profile = { id: '223456789012345678', username: 'ada_l' }

  test('a user links an account, signs in with it, sees it listed and unlinks it', async (t) => {
    const { world, provider, browser } = await openWithAda(t)
    provider.profile = profile
    const arrived = await link(world, browser, 'chat-platform', provider)
    assert.equal(arrived.status, 200)
    const listed = await browser.visit(redirectTargetOf(arrived), world)
    assert.match(listed.text, /Account linked\./)
    assert.match(listed.text, /<dt>Name at the provider<\/dt><dd>ada_l<\/dd>/)
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, profile.id)

    const other = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await other.browser.visit(`${world.baseUrl}/account`, world)).text, /<code>ada<\/code>/)

    const removed = await browser.submit(listed, {}, '/account/linked/chat-platform/removal')
    assert.equal(removed.status, 303)
    assert.match((await browser.onward(removed, world)).text, /Account unlinked/)
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, null)
    const gone = await browser.submit(listed, {}, '/account/linked/chat-platform/removal')
    assert.equal(gone.status, 404)
  })

  test('an account that is the only way to sign in can’t be unlinked', async (t) => {
    const { world, provider } = await openWithAda(t)
    provider.profile = { id: '323456789012345678', username: 'new' }
    const { browser } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    const listed = await browser.visit(`${world.baseUrl}/account/linked`, world)
    const refused = await browser.submit(listed, {}, '/account/linked/chat-platform/removal')
    assert.equal(refused.status, 409)
    assert.match(refused.text, /<h1>You would lock yourself out<\/h1>/)
    assert.match((await browser.visit(`${world.baseUrl}/account/linked`, world)).text, /<dd>new<\/dd>/)
  })

  test('an account linked to another user can’t be linked, nor can a second account at the same provider', async (t) => {
    const { world, provider, browser } = await openWithAda(t)
    await provision(world, 'PUT', '/v1/users/grace', { name: 'Grace', chatPlatformId: profile.id })
    provider.profile = profile
    const taken = await link(world, browser, 'chat-platform', provider)
    assert.equal(taken.status, 409)
    assert.match(taken.text, /is linked to another user of this service/)

    const page = await browser.visit(`${world.baseUrl}/account/linked`, world)
    provider.profile = { id: '323456789012345678' }
    const callback = await provider.allow(
      redirectTargetOf(await browser.submit(page, {}, '/account/linked/chat-platform')),
    )
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', chatPlatformId: '423456789012345678' })
    const second = await browser.get(callback)
    assert.equal(second.status, 409)
    assert.match(second.text, /Unlink that account first\./)
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, '423456789012345678')
  })

  test('a provider’s callback after the user signed out links nothing', async (t) => {
    const { world, provider, browser } = await openWithAda(t)
    provider.profile = profile
    const page = await browser.visit(`${world.baseUrl}/account/linked`, world)
    const callback = await provider.allow(
      redirectTargetOf(await browser.submit(page, {}, '/account/linked/chat-platform')),
    )
    await browser.submit(page, {}, '/sign-out')
    const answer = await browser.get(callback)
    assert.equal(answer.status, 403)
    assert.match(answer.text, /<h1>The account was not linked<\/h1>/)
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, null)
  })

  test('a sign-in older than 15 minutes must be repeated before linking or unlinking', async (t) => {
    const { world, provider, browser } = await openWithAda(t)
    provider.profile = profile
    await link(world, browser, 'chat-platform', provider)
    const page = await browser.visit(`${world.baseUrl}/account/linked`, world)
    await world.clock.advance(15 * minutesMs)
    const old = await browser.visit(`${world.baseUrl}/account/linked`, world)
    assert.match(old.text, /Sign in again to make changes/)
    assert.doesNotMatch(old.text, /action="\/account\/linked/)
    for (const path of ['/account/linked/chat-platform', '/account/linked/chat-platform/removal']) {
      const refused = await browser.post(
        `${world.baseUrl}${path}`,
        new URLSearchParams({ form_token: formTokenOf(page) }),
      )
      assert.equal(refused.status, 403)
      assert.match(refused.text, /<h1>Sign in again first<\/h1>/)
    }
    const left = await browser.submit(old, {}, '/sign-in/with/chat-platform')
    const back = await browser.get(await provider.allow(redirectTargetOf(left)))
    assert.equal(back.headers.get('refresh'), '0; url=/account/linked')
  })
})

async function openWithAda(t: TestContext) {
  const opened = await openChat(t)
  await adaWithClient(opened.world)
  return { ...opened, browser: await signedIn(opened.world) }
}

async function link(world: World, browser: Browser, key: string, provider: StandInProvider): Promise<Answer> {
  const page = await browser.visit(`${world.baseUrl}/account/linked`, world)
  return browser.get(await provider.allow(redirectTargetOf(await browser.submit(page, {}, `/account/linked/${key}`))))
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { isSignedIn } from '../support/account-page.ts'
import { titleOf } from '../support/page-words.ts'
import { adaWithClient, Browser, signedIn } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

describe('Account pages', () => {
  test('each account page marks Account as current in the header, and its breadcrumbs link to the account', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    const tabOf = {
      ...{ name: '', email: '', password: '/security', pin: '/security', passkeys: '/security', linked: '/security' },
      ...{ tokens: '/security', subscriptions: '/applications' },
    }
    for (const [page, tab] of Object.entries(tabOf)) {
      const { status, text } = await browser.get(`${world.baseUrl}/account/${page}`)
      assert.equal(status, 200)
      assert.match(text, /<nav class="places"[^>]*><a href="\/account" aria-current="true">/, page)
      assert.match(text, /<nav class="trail"[^>]*><ol><li><a href="\/account">Account<\/a>/, page)
      if (tab !== '') assert.ok(text.includes(`<li><a href="/account${tab}">`), page)
    }
  })

  test('the account has five tabs; the page of each tab links to all five and marks its own', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    const tabs = ['', '/security', '/sessions', '/applications', '/activity'].map((tab) => `/account${tab}`)
    for (const tab of tabs) {
      const { status, text } = await browser.get(`${world.baseUrl}${tab}`)
      assert.equal(status, 200)
      assert.match(text, /<h1>Your account<\/h1>/, tab)
      const [, links = ''] = /<nav class="tabs"[^>]*>([\s\S]*?)<\/nav>/.exec(text) ?? []
      assert.deepEqual(
        [...links.matchAll(/href="([^"]*)"/g)].map(([, href]) => href),
        tabs,
      )
      assert.deepEqual(
        [...links.matchAll(/href="([^"]*)" aria-current/g)].map(([, href]) => href),
        [tab],
      )
    }
  })

  test('the Security tab has a row for the password, passkeys, the PIN and personal access tokens', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const { text } = await (await signedIn(world)).get(`${world.baseUrl}/account/security`)
    const rows = [
      ...text.matchAll(/<th scope="row"[^>]*>([^<]*)<[\s\S]*?<a class="button[^>]*href="([^"]*)">([^<]*)</g),
    ]
    assert.deepEqual(
      rows.map(([, ...cells]) => cells),
      [
        ['Password', '/account/password', 'Change password'],
        ['Passkeys', '/account/passkeys', 'Set up a passkey'],
        ['PIN', '/account/pin', 'Change PIN'],
        ['Personal access tokens', '/account/tokens', 'Manage tokens'],
      ],
    )
  })

  test('signed-out users are sent to sign-in, and a post without a form token changes nothing', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    for (const path of ['', '/name', '/email', '/password', '/security', '/sessions', '/applications', '/activity']) {
      const answer = await new Browser().get(`${world.baseUrl}/account${path}`)
      assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'], path)
    }
    const browser = await signedIn(world)
    const other = await signedIn(world)
    const paths = ['name', 'email', 'email/link', 'email/keep', 'password', 'sessions/end', 'sessions/others/end']
    for (const path of [...paths, 'applications/withdrawal']) {
      const answer = await browser.post(`${world.baseUrl}/account/${path}`, new URLSearchParams({ name: 'Mallory' }))
      assert.equal(answer.status, 403, path)
      assert.equal(titleOf(answer), 'This form is out of date · Gatehouse')
    }
    assert.equal(await isSignedIn(world, other), true)
    assert.equal((await world.service.accounts.users.find(parseUserId('ada')!))?.name, 'Ada')
  })
})

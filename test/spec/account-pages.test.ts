import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { isSignedIn } from '../support/account-page.ts'
import { titleOf } from '../support/page-words.ts'
import { adaWithClient, Browser, signedIn } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

describe('Account pages', () => {
  test('each account page is marked as part of the account, and its breadcrumbs lead back there', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    for (const page of ['name', 'email', 'password', 'pin', 'activity', 'passkeys', 'linked']) {
      const { status, text } = await browser.get(`${world.baseUrl}/account/${page}`)
      assert.equal(status, 200)
      assert.match(text, /<nav class="places"[^>]*><a href="\/account" aria-current="true">/, page)
      assert.match(text, /<nav class="trail"[^>]*><ol><li><a href="\/account">Account<\/a>/, page)
    }
  })

  test('signed-out users are sent to sign-in, and a post without a form token changes nothing', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    for (const path of ['/account', '/account/name', '/account/email', '/account/password']) {
      const answer = await new Browser().get(`${world.baseUrl}${path}`)
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

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from '../support/people.ts'
import { ada, isSignedIn, sessionCookie, signedUp, signIn, withCookie } from '../support/sign-in-forms.ts'
import { openWorld } from '../support/world.ts'

describe('Sign-out', () => {
  test('sign-out is a POST that ends the session and clears the cookie', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const before = sessionCookie(browser)
    assert.equal((await browser.get(`${world.baseUrl}/sign-out`)).status, 404)
    assert.equal(await isSignedIn(world, browser), true)
    const page = await browser.get(`${world.baseUrl}/account`)
    const answer = await browser.submit(page, {}, '/sign-out')
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/sign-in'])
    assert.match(answer.headers.getSetCookie().join('\n'), /^gatehouse-session=; .*Expires=Thu, 01 Jan 1970/m)
    assert.equal(await isSignedIn(world, browser), false)
    assert.equal((await withCookie(world, before)).status, 302)
  })

  test('sign-out ends only this browser’s session', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const other = new Browser()
    await signIn(world, ada, other)
    await browser.submit(await browser.get(`${world.baseUrl}/account`), {}, '/sign-out')
    assert.equal(await isSignedIn(world, other), true)
  })
})

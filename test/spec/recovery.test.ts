import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { follow, newPassword, send } from '../support/mail-sink.ts'
import { ada, assertShows, Browser, fieldErrorOf, openAda, openClient, provision, signedIn } from '../support/people.ts'
import { signedUp } from '../support/sign-in-forms.ts'
import { openWorld } from '../support/world.ts'

describe('POST /v1/users/{userId}/recovery', () => {
  test('the operator creates a one-time link with which the user sets a new password', async (t) => {
    const { world } = await openAda(t)
    const made = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, {})
    assert.deepEqual([made.status, Object.keys(made.json)], [201, ['url', 'expiresAt']])
    assert.equal(made.json.expiresAt, world.clock.iso(24 * 3_600_000))
    assert.equal(made.headers.get('cache-control'), 'no-store')
    assert.ok(made.json.url.startsWith(`${world.baseUrl}/reset-password?token=svc_mt_`))
    const newer = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`)
    assert.equal((await new Browser().get(made.json.url)).status, 404, 'a newer link replaces it')
    const browser = await signedIn(world)
    const ofAnotherUser = await signedUp(world, { ...ada, email: 'ed@example.com' })
    assert.equal((await follow(newer.json.url, { password: newPassword }, ofAnotherUser)).location?.search, '')
    assert.equal((await new Browser().get(newer.json.url)).status, 404)
    assert.equal((await browser.get(`${world.baseUrl}/account`)).status, 302)
    assert.equal((await ofAnotherUser.get(`${world.baseUrl}/sign-in`)).status, 200)
    await signedIn(world, { ...ada, password: newPassword })
  })

  test('with {"pin": true}, the operator creates a one-time link with which the user sets a new PIN; sessions stay locked', async (t) => {
    const { world, browser } = await openClient(t)
    const unlock = (pin: string) => send(world, browser, '/unlock', { pin })
    for (let guesses = 0; guesses < 5; guesses += 1) await unlock('0000')
    assert.equal((await unlock(ada.pin)).status, 429)

    const { json } = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, { pin: true })
    assert.ok(json.url.startsWith(`${world.baseUrl}/recover-pin?token=svc_mt_`))
    const differ = await follow(json.url, { pin: '12345', pin_again: '54321' })
    assert.equal(differ.status, 422)
    assert.equal(fieldErrorOf(differ, 'pin_again'), 'The PINs don’t match. Enter the same one twice.')
    assert.equal((await follow(json.url, { pin: '12', pin_again: '12' })).status, 422)
    assert.equal((await follow(json.url, { pin: '12345', pin_again: '12345' })).location?.search, '')
    assert.equal((await browser.get(`${world.baseUrl}/unlock`)).status, 200, 'the session is still locked')
    assert.equal((await unlock('12345')).status, 303, 'the 15-minute lock is lifted')
    assert.equal((await new Browser().get(json.url)).status, 404)
  })

  test('a link for a new PIN can’t reset a password or verify an email; an unknown link or user returns 404, and an unknown member 400', async (t) => {
    const { world } = await openAda(t)
    const { json } = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, { pin: true })
    const token = new URL(json.url).searchParams.get('token')
    for (const address of [
      `/reset-password?token=${token}`,
      `/verify-email?token=${token}`,
      '/recover-pin?token=svc_mt_x',
    ]) {
      assert.equal((await new Browser().get(`${world.baseUrl}${address}`)).status, 404, address)
    }
    assert.equal((await new Browser().get(json.url)).status, 200)

    assert.equal((await provision(world, 'POST', '/v1/users/nobody/recovery', {})).status, 404)
    assert.equal((await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, { sms: true })).status, 400)
  })

  test('without a mail server the forgotten-password page tells users to ask the operator', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.baseUrl}/forgot-password`)
    assertShows(page, 200, /This service sends no email\. Ask the operator for a link/)
    assert.doesNotMatch(page.text, /<input/)
  })
})

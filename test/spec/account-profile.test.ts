import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { isSignedIn } from '../support/account-page.ts'
import { openScene } from '../support/client-scene.ts'
import { send } from '../support/mail-links.ts'
import { fieldErrorOf } from '../support/page-words.ts'
import { ada, adaWithClient, Browser, provision, signedIn, testOrigin, userinfo } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

describe('Account: profile', () => {
  test('an empty name is refused, and userinfo returns a changed name', async (t) => {
    const { world, browser, tokens } = await openScene(t)
    const { access_token } = await tokens()
    const empty = await send(world, browser, '/account/name', { name: ' ' })
    assert.deepEqual([empty.status, fieldErrorOf(empty, 'name')], [422, 'Enter your name.'])
    const answer = await send(world, browser, '/account/name', { name: 'Ada  Lovelace' })
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
    assert.equal((await userinfo(world, access_token)).json.name, 'Ada Lovelace')
  })

  test('our choice: without a mail server, an email change needs the password and applies immediately', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', email: 'bob@example.com' })
    const browser = await signedIn(world)
    const wrong = await send(world, browser, '/account/email', { email: 'new@example.com', password: 'wrong-wrong' })
    assert.deepEqual([wrong.status, fieldErrorOf(wrong, 'password')], [422, 'Wrong password. Check it and try again.'])
    const taken = await send(world, browser, '/account/email', { email: 'BOB@example.com', password: ada.password })
    assert.deepEqual(
      [taken.status, fieldErrorOf(taken, 'email')],
      [422, 'An account with this email address already exists. Sign in, or use another address.'],
    )
    const answer = await send(world, browser, '/account/email', { email: 'new@example.com', password: ada.password })
    assert.equal(answer.location?.search, '')
    await signedIn(world, { ...ada, email: 'new@example.com' })
    const old = await send(world, new Browser(), '/sign-in', { email: ada.email, password: ada.password })
    assert.equal(old.status, 422)
  })

  test('our choice: changing the password needs the current one and ends all other sessions', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    const password = 'another fine horse'
    const wrong = await send(world, browser, '/account/password', { current_password: 'not this', password })
    assert.deepEqual(
      [wrong.status, fieldErrorOf(wrong, 'current_password')],
      [422, 'The current password is wrong. Check it and try again.'],
    )
    const short = await send(world, browser, '/account/password', { current_password: ada.password, password: 'short' })
    assert.equal(short.status, 422)
    assert.match(fieldErrorOf(short, 'password'), /at least 8 characters/)
    assert.equal(await isSignedIn(world, other), true)

    const answer = await send(world, browser, '/account/password', { current_password: ada.password, password })
    assert.deepEqual([answer.status, answer.location?.search], [303, ''])
    assert.deepEqual([await isSignedIn(world, browser), await isSignedIn(world, other)], [true, false])
    await signedIn(world, { ...ada, password })
  })

  test('our choice: a user without a password can set one; if the user has a PIN, the session must be unlocked first', async (t) => {
    const world = await openWorld(t)
    await provision(world, 'PUT', '/v1/users/eve', { name: 'Eve', pin: '4711' })
    const eve = parseUserId('eve')!
    const started = await world.service.accounts.sessions.start(eve, 'identity', testOrigin, 'passkey')
    const form = { clearTextCurrentPassword: '', clearTextPassword: 'another fine horse' }
    const { settings } = world.service.accounts
    await assert.rejects(settings.changePassword(started.session, form), { reason: 'unlock-first' })
    await settings.changePassword({ ...started.session, pinUnlocked: true }, form)
    assert.equal((await world.service.accounts.users.find(eve))?.hasPassword, true)
  })
})

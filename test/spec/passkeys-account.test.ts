import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import {
  adaOnPasskeysPage,
  notKnown,
  notVerified,
  openScene,
  optionsFor,
  post,
  register,
  signIn,
  statusAndJson,
  usedUp,
  type Visitor,
  visitor,
} from '../support/passkeys.ts'
import { type Answer, ada, fieldErrorOf, noticeOf, provision, signedIn } from '../support/people.ts'
import type { World } from '../support/world.ts'

const minute = 60_000

async function bobOnPasskeysPage(world: World): Promise<Visitor> {
  const bob = { name: 'Bob', email: 'bob@example.com', password: 'a battery of horses' }
  await provision(world, 'PUT', '/v1/users/bob', bob)
  return visitor(world, await signedIn(world, bob), '/account/passkeys')
}

describe('our choice: adding a passkey', () => {
  test('registration asks for a discoverable passkey with user verification, and excludes devices that already have a passkey; a passkey that any user has registered can’t be added again', async (t) => {
    const world = await openScene(t)
    const home = await adaOnPasskeysPage(world)
    const { device } = await register(world, home)
    const options = await optionsFor(world, home, '/account/passkeys/challenge')
    assert.deepEqual(options.rp, { name: 'Gatehouse', id: 'localhost' })
    assert.deepEqual(options.user, {
      id: Buffer.from(ada.id).toString('base64url'),
      name: ada.email,
      displayName: ada.name,
    })
    assert.equal(options.authenticatorSelection.residentKey, 'required')
    assert.equal(options.authenticatorSelection.userVerification, 'required')
    assert.equal(options.attestation, 'none')
    assert.deepEqual(
      options.excludeCredentials.map(({ id }: { id: string }) => id),
      [device.credentialId],
    )
    const bob = await bobOnPasskeysPage(world)
    assert.deepEqual(statusAndJson((await register(world, bob, device)).answer), [
      422,
      { error: 'passkey-taken', message: 'This passkey is already registered.' },
    ])
  })

  test('a passkey created at another origin, for another host or without user verification is refused', async (t) => {
    const world = await openScene(t)
    const home = await adaOnPasskeysPage(world)
    for (const lies of [{ origin: 'http://localhost:1' }, { rpId: 'evil.example' }, { unverified: true }]) {
      assert.deepEqual(statusAndJson((await register(world, home, undefined, { lies })).answer), notVerified)
    }
  })

  test('a user who is signed out, or whose last sign-in was 15 minutes ago, is asked to sign in before adding a passkey', async (t) => {
    const world = await openScene(t)
    assert.deepEqual(statusAndJson(await post(world, await visitor(world), '/account/passkeys/challenge')), [
      401,
      { error: 'signed-out', message: 'You are signed out. Sign in and try again.' },
    ])
    const home = await adaOnPasskeysPage(world)
    await world.clock.advance(15 * minute)
    assert.deepEqual(statusAndJson(await post(world, home, '/account/passkeys/challenge')), [
      403,
      {
        error: 'sign-in-again',
        message: 'You signed in more than 15 minutes ago. Sign in again to add or remove passkeys.',
      },
    ])
  })

  test('a passkey name of more than 60 characters and a 21st passkey are refused', async (t) => {
    const world = await openScene(t)
    const home = await adaOnPasskeysPage(world)
    const { answer } = await register(world, home, undefined, { name: 'x'.repeat(61) })
    assert.deepEqual(statusAndJson(answer), [
      422,
      { error: 'name-too-long', message: 'Use a name of at most 60 characters.' },
    ])
    for (let count = 0; count < 20; count += 1) assert.equal((await register(world, home)).answer.status, 200)
    assert.deepEqual(statusAndJson(await post(world, home, '/account/passkeys/challenge')), [
      422,
      {
        error: 'too-many-passkeys',
        message: 'You have the maximum of 20 passkeys. Remove one that you no longer use.',
      },
    ])
  })
})

describe('our choice: {base_url}/account/passkeys', () => {
  test('a passkey can be renamed and removed without scripts; a removed passkey can’t sign in', async (t) => {
    useOwnWorld(t)
    const world = await openScene(t)
    const home = await adaOnPasskeysPage(world)
    const { device } = await register(world, home, undefined, { name: 'Phone' })
    const one = `${world.baseUrl}/account/passkeys/1`
    const renamed = await home.browser.submitAt(one, { name: ' The  desk ' }, '/account/passkeys/1')
    assert.deepEqual([renamed.status, renamed.location?.href], [303, `${world.baseUrl}/account/passkeys`])
    assert.match((await home.browser.get(String(renamed.location))).text, />The desk<\/a>/)
    const long = await home.browser.submitAt(one, { name: 'x'.repeat(61) }, '/account/passkeys/1')
    assert.deepEqual([long.status, noticeOf(long)], [422, 'Use a name of at most 60 characters.'])
    const removed = await home.browser.submitAt(one, {}, '/removal')
    assert.deepEqual([removed.status, removed.location?.href], [303, `${world.baseUrl}/account/passkeys`])
    assert.equal((await home.browser.get(one)).status, 404)
    assert.deepEqual(statusAndJson(await signIn(world, await visitor(world), device)), notKnown)
  })

  test('a user can’t see, rename or remove another user’s passkey', async (t) => {
    useOwnWorld(t)
    const world = await openScene(t)
    const home = await adaOnPasskeysPage(world)
    const { device } = await register(world, home)
    const bob = await bobOnPasskeysPage(world)
    assert.equal((await bob.browser.get(`${world.baseUrl}/account/passkeys/1`)).status, 404)
    assert.equal((await post(world, bob, '/account/passkeys/1', { name: 'Mine' })).status, 404)
    assert.equal((await post(world, bob, '/account/passkeys/1/removal')).status, 404)
    assert.equal((await signIn(world, await visitor(world), device)).status, 200)
  })

  test('a passkey that is the only way to sign in can’t be removed', async (t) => {
    useOwnWorld(t)
    const world = await openScene(t)
    const { device } = await register(world, await adaOnPasskeysPage(world))
    await world.service.accounts.users.put(parseUserId(ada.id)!, { name: ada.name, clearTextPassword: null })
    const who = await visitor(world)
    await signIn(world, who, device)
    const refused = await who.browser.submitAt(`${world.baseUrl}/account/passkeys/1`, {}, '/removal')
    assert.deepEqual(
      [refused.status, noticeOf(refused)],
      [
        422,
        'You can’t remove your only way to sign in. First add another passkey, set a password, or link an account.',
      ],
    )
    assert.equal((await signIn(world, await visitor(world), device)).status, 200)
  })

  test('removing a passkey needs a sign-in within the last 15 minutes', async (t) => {
    useOwnWorld(t)
    const world = await openScene(t)
    const home = await adaOnPasskeysPage(world)
    await register(world, home)
    await world.clock.advance(15 * minute)
    const refused = await post(world, home, '/account/passkeys/1/removal')
    assert.deepEqual([refused.status, refused.location?.pathname], [303, '/account/passkeys'])
    const page = await home.browser.get(String(refused.location))
    assert.doesNotMatch(page.text, /Add a passkey/)
    const wrong = await home.browser.submit(page, { password: 'not mine at all' }, '/account/passkeys/sign-in')
    assert.deepEqual([wrong.status, fieldErrorOf(wrong, 'password')], [422, 'Wrong password. Check it and try again.'])
    await home.browser.submit(page, { password: ada.password }, '/account/passkeys/sign-in')
    assert.equal((await post(world, home, '/account/passkeys/1/removal')).location?.search, '')
  })
})

describe('our choice: setting a PIN with a passkey', () => {
  async function setPin(world: World, who: Visitor, passkey: string, password = ''): Promise<Answer> {
    return who.browser.submitAt(`${world.baseUrl}/account/pin`, { pin: '1618', pin_again: '1618', passkey, password })
  }

  test('a user can set a PIN with a passkey signature instead of the password; each signature works once; without a passkey the error is no-passkey', async (t) => {
    const world = await openScene(t)
    const home = await adaOnPasskeysPage(world)
    assert.deepEqual(statusAndJson(await post(world, home, '/account/pin/challenge')), [
      422,
      { error: 'no-passkey', message: 'You don’t have a passkey. Add one on your account page first.' },
    ])
    const { device } = await register(world, home)
    const signature = device.get(await optionsFor(world, home, '/account/pin/challenge'))
    const set = await setPin(world, home, signature)
    assert.deepEqual([set.status, set.location?.pathname], [303, '/account/security'])
    const again = await setPin(world, home, signature)
    assert.deepEqual(
      [again.status, noticeOf(again)],
      [422, 'This took longer than 5 minutes, or was already submitted. Try again.'],
    )
    assert.equal((await setPin(world, home, signature, ada.password)).status, 303, 'with the password')
  })

  test('setting a PIN refuses another user’s passkey, and a signature made for sign-in', async (t) => {
    const world = await openScene(t)
    const home = await adaOnPasskeysPage(world)
    const { device } = await register(world, home)
    const bob = await bobOnPasskeysPage(world)
    await register(world, bob)
    const foreign = await setPin(world, bob, device.get(await optionsFor(world, bob, '/account/pin/challenge')))
    assert.deepEqual([foreign.status, noticeOf(foreign)], [422, (notKnown[1] as { message: string }).message])
    const forSignIn = await setPin(world, home, device.get(await optionsFor(world, home, '/sign-in/passkey/challenge')))
    assert.deepEqual([forSignIn.status, noticeOf(forSignIn)], [422, (usedUp[1] as { message: string }).message])
  })
})

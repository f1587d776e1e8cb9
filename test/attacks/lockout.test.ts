import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newPassword, openAdaWithMail, requestResetLink, send } from '../support/mail-sink.ts'
import { ada, Browser, formTokenOf } from '../support/people.ts'
import type { World } from '../support/world.ts'

const minutes = 60_000
const behindProxy = { TRUST_PROXY: '1' }

describe('our choice: a stranger’s failed sign-ins don’t lock the account’s owner out (decision 0052)', () => {
  test('a browser known to the account can sign in from any address while strangers are slowed down, and has a limit of ten attempts of its own', async (t) => {
    const { world } = await openAdaWithMail(t, behindProxy)
    const own = await visitor(world, '192.0.2.1')
    await own.submitAt(`${world.baseUrl}/account`, {}, '/sign-out')
    for (let guesses = 0; guesses < 10; guesses += 1) {
      assert.equal((await signIn(world, own, `guess ${guesses}`)).status, 422)
    }
    const slowed = await signIn(world, own, ada.password)
    assert.deepEqual([slowed.status, slowed.headers.get('retry-after')], [429, '900'])
    assert.equal((await signIn(world, visitorFrom('198.51.100.7'), ada.password)).status, 303)

    await world.clock.advance(15 * minutes)
    const stranger = visitorFrom('192.0.2.1')
    for (let guesses = 0; guesses < 50; guesses += 1) {
      assert.equal((await signIn(world, stranger, 'a guess', `user-${guesses}@example.com`)).status, 422)
    }
    assert.equal((await signIn(world, visitorFrom('192.0.2.1'), ada.password)).status, 429)
    assert.equal((await signIn(world, visitorFrom('198.51.100.7'), ada.password)).status, 303)
    await guessAsStranger(world)
    const strangersWait = async () => {
      for (const address of ['192.0.2.1', '198.51.100.7']) {
        assert.equal((await signIn(world, visitorFrom(address), ada.password)).status, 429, address)
      }
    }
    await strangersWait()
    assert.equal((await signIn(world, own, ada.password)).status, 303)
    await strangersWait()
  })

  test('a signed-in user can sign in again and change the password while others’ wrong passwords are being slowed down', async (t) => {
    const { world } = await openAdaWithMail(t, behindProxy)
    const own = await visitor(world)
    await world.clock.advance(15 * minutes)
    await guessAsStranger(world)
    const again = await own.submitAt(`${world.baseUrl}/account/passkeys`, { password: ada.password }, '/sign-in')
    assert.deepEqual([again.status, again.location?.pathname], [303, '/account/passkeys'])
    const form = { current_password: ada.password, password: newPassword }
    const changed = await send(world, own, '/account/password', form)
    assert.deepEqual([changed.status, changed.location?.pathname], [303, '/account/security'])
    await own.submitAt(`${world.baseUrl}/account`, {}, '/sign-out')
    await guessAsStranger(world)
    assert.equal((await signIn(world, own, newPassword)).status, 303, 'the browser that set the password is known')
  })

  test('a browser with a live session but no device cookie has its own limit too', async (t) => {
    const { world } = await openAdaWithMail(t, behindProxy)
    const own = await visitor(world)
    const sessionAlone = Object.entries(own.cookies()).filter(([name]) => !name.endsWith('-device'))
    const other = new Browser(Object.fromEntries(sessionAlone), { 'x-forwarded-for': '192.0.2.9' })
    const page = await visitorFrom('192.0.2.9').get(`${world.baseUrl}/sign-in`)
    await guessAsStranger(world)
    const form_token = formTokenOf(await other.get(`${world.baseUrl}/account`))
    const form = new URLSearchParams({ form_token, email: ada.email, password: ada.password })
    const answer = await other.post(page.url, form)
    assert.equal(answer.status, 303)
  })
})

describe('our choice: a stranger’s requests for reset emails don’t use up the owner’s limit (decision 0052)', () => {
  test('strangers at many IP addresses can request twelve reset emails an hour in total; a known browser has its own limit', async (t) => {
    const { world } = await openAdaWithMail(t, behindProxy)
    const own = await visitor(world, '192.0.2.1')
    await own.submitAt(`${world.baseUrl}/account`, {}, '/sign-out')
    let sent = 0
    for (let number = 1; number <= 10; number += 1) {
      for (let mails = 0; mails < 3; mails += 1) {
        sent += (await askForLink(world, visitorFrom(`203.0.113.${number}`))).status === 303 ? 1 : 0
      }
    }
    assert.equal(sent, 12)
    assert.equal((await askForLink(world, visitorFrom('192.0.2.1'))).status, 429)
    for (let mails = 0; mails < 3; mails += 1) assert.equal((await askForLink(world, own)).status, 303)
    assert.equal((await askForLink(world, own)).status, 429, 'three an hour')
    await world.clock.advance(60 * minutes)
    assert.equal((await askForLink(world, visitorFrom('192.0.2.1'))).status, 303)
  })

  test('strangers’ requests don’t use up a signed-in user’s limit for confirmation emails', async (t) => {
    const { world, sink } = await openAdaWithMail(t, behindProxy)
    const vera = { name: 'Vera', email: 'vera@example.com', password: 'vera likes velvet' }
    const browser = visitorFrom('192.0.2.1')
    assert.equal((await send(world, browser, '/sign-up', vera)).status, 303)
    await sink.next()
    for (let number = 1; number <= 5; number += 1) {
      for (let mails = 0; mails < 3; mails += 1) {
        await askForLink(world, visitorFrom(`203.0.113.${number}`), vera.email)
      }
    }
    const account = await browser.get(`${world.baseUrl}/account`)
    assert.equal((await browser.submit(account, {}, '/account/email/link')).status, 303)
  })
})

async function visitor(world: World, address = '192.0.2.1'): Promise<Browser> {
  const browser = visitorFrom(address)
  assert.equal((await signIn(world, browser, ada.password)).status, 303)
  return browser
}

function visitorFrom(address: string): Browser {
  return new Browser({}, { 'x-forwarded-for': address })
}

function signIn(world: World, browser: Browser, password: string, email = ada.email) {
  return send(world, browser, '/sign-in', { email, password })
}

/**
 * Makes ten sign-ins fail from different addresses. From then on, unknown visitors must wait before trying this
 * account.
 */
async function guessAsStranger(world: World): Promise<void> {
  for (let guesses = 0; guesses < 10; guesses += 1) {
    const { status } = await signIn(world, visitorFrom(`203.0.113.${guesses}`), `guess ${guesses}`)
    assert.ok(status === 422 || status === 429)
  }
}

/** Requests a reset link and opens the page that confirms the request. */
async function askForLink(world: World, browser: Browser, email = ada.email) {
  const answer = await requestResetLink(world, email, browser)
  if (answer.location !== undefined) await browser.get(answer.location)
  return answer
}

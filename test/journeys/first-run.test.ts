import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { assertUsable } from '../support/browser/chromium.ts'
import { openPageUser, ways } from '../support/browser/page-user.ts'
import { ada, Browser, consentUrl, provision, signedIn, visibleWordsIn } from '../support/people.ts'
import { bob } from '../support/sign-in-forms.ts'
import { openWorld } from '../support/world.ts'

describe('our choice: the first run (decision 0035)', () => {
  for (const way of ways) {
    test(`the home page guides a new user through the first account, bot, application and PIN, ${way}`, async (t) => {
      const world = await openWorld(t)
      const hand = await openPageUser(t, way)
      await hand.open(world.baseUrl)
      await hand.isAt('Welcome to Gatehouse')
      if (way === 'with the mouse') await assertUsable(hand.page)
      await hand.press('Create account', { Name: ada.name, 'Email address': ada.email, Password: ada.password })
      await hand.isAt('Welcome, Ada')
      if (way === 'with the mouse') await assertUsable(hand.page)

      // Runs the commands shown on the page, with the operator key in place of the command that prints it.
      for (const made of ['make-bot', 'make-flow']) {
        const line = (await hand.page.getByTestId(made).textContent()) ?? ''
        assert.ok(!line.includes(world.operatorKey) && !line.includes(world.dataDir))
        const runnable = line.replace('$(node bin/gatehouse.mjs operator-key)', world.operatorKey)
        await promisify(execFile)('sh', ['-c', `${runnable} --fail --silent`])
      }
      await hand.follow('View your bots')
      await hand.follow('My first bot')
      await hand.follow('Flows')
      await hand.follow('Hello')
      await hand.follow('Send a test webhook')
      await hand.press('Send test')
      await hand.sees('Test webhook accepted.')

      // Until all steps are done, an empty list leads back to them.
      await hand.open(world.portalUrl)
      await hand.follow('First steps')
      await hand.sees('Done My first bot')
      await hand.follow('Register an application')
      await hand.press('Register application', { Name: 'Acme Dashboard', 'Website URL': 'https://acme.example' })
      const clientSecret = (await hand.page.getByTestId('client-secret').textContent()) ?? ''
      assert.match(clientSecret, /^svc_cs_/)
      const clientId = (await hand.page.getByTestId('client-id').textContent()) ?? ''

      // The redirect URI of the preset shows the code, and the command that redeems it.
      await hand.open(
        consentUrl(world, { clientId, clientSecret, redirectUri: `${world.portalUrl}/show-code` }, { state: 'now' }),
      )
      await hand.press('Allow')
      await hand.isAt('Authorization code')
      if (way === 'with the mouse') await assertUsable(hand.page)
      if (hand.scripts) assert.equal(hand.page.url(), `${world.portalUrl}/show-code`)
      const redeem = (await hand.page.getByTestId('redeem').textContent()) ?? ''
      const env = { ...process.env, CLIENT_SECRET: clientSecret }
      const { stdout } = await promisify(execFile)('sh', ['-c', `${redeem} --fail --silent`], { env })
      assert.match(JSON.parse(stdout).access_token, /^svc_at_/)

      await hand.open(`${world.baseUrl}/welcome`)
      await hand.sees('Done Acme Dashboard')
      await hand.follow('Set a PIN')
      await hand.press('Save PIN', { 'New PIN': '4711', 'Repeat new PIN': '4711', Password: ada.password })
      await hand.sees('PIN saved. This browser is unlocked.')
      await hand.open(`${world.baseUrl}/welcome`)
      assert.equal(hand.page.url(), `${world.baseUrl}/account`)
    })
  }

  test('a user who starts at the portal creates the first account and returns to the portal', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    const signIn = await browser.visit(world.portalUrl, world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const [, begin = ''] = /<a href="(\/welcome[^"]*)">Create the first account<\/a>/.exec(signIn.text) ?? []
    const welcome = await browser.get(new URL(begin, world.baseUrl))
    const { name, email, password } = ada
    const answer = await browser.submit(welcome, { name, email, password }, '/welcome')
    const front = await browser.onward(answer, world)
    assert.equal(new URL(front.url).origin, new URL(world.portalUrl).origin)
  })

  test('later users see their first steps too, without the operator’s commands', async (t) => {
    const world = await openWorld(t)
    for (const [id, { name, email, password }] of Object.entries({ ada, bob })) {
      await provision(world, 'PUT', `/v1/users/${id}`, { name, email, password })
    }
    const browser = await signedIn(world, bob)
    const bots = await browser.get(`${world.baseUrl}/bots`)
    assert.match(bots.text, /href="\/welcome">First steps</)
    const steps = visibleWordsIn(await browser.get(`${world.baseUrl}/welcome`))
    assert.match(steps, /create a bot, or ask the operator/)
    assert.doesNotMatch(steps, /operator-key|curl -X/)
  })

  test('once there are users, the home page is the account page, or the sign-in page if signed out', async (t) => {
    const world = await openWorld(t)
    await provision(world, 'PUT', '/v1/users/ada', { name: ada.name, email: ada.email, password: ada.password })
    const stranger = new Browser()
    for (const address of [world.baseUrl, `${world.baseUrl}/welcome`]) {
      const page = await stranger.visit(address, world)
      assert.equal(new URL(page.url).pathname, '/sign-in')
      assert.doesNotMatch(visibleWordsIn(page), /new: nobody|operator-key|curl/)
    }
  })

  test('with sign-up closed, the home page says how to create accounts and doesn’t show the operator key', async (t) => {
    const world = await openWorld(t, {
      SIGN_UP: 'closed',
      CONTROL_URL: 'http://gatehouse-control.internal:3003',
      LISTEN_HOST: '127.0.0.1',
      CONTROL_PORT: '0',
    })
    const said = visibleWordsIn(await new Browser().visit(world.baseUrl, world))
    assert.match(said, /Sign-up is closed/)
    assert.match(said, /curl -X PUT "\$CONTROL_URL\/v1\/users\/ada"/)
    assert.ok(!said.includes(world.operatorKey) && !said.includes('gatehouse-control.internal'))
  })
})

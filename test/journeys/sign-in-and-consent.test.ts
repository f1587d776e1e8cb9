import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openPageUser, type PageUser, ways } from '../support/browser/page-user.ts'
import { provision } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'
import { type ClientApplication, startClientApplication } from './client-application.ts'

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'the engine weaves', pin: '4711' }
const grace = { name: 'Grace Hopper', email: 'grace@example.com', password: 'nanoseconds of wire', pin: '1906' }

for (const way of ways) {
  describe(`A user signs in to an application, ${way}`, () => {
    test('a new user signs up, registers an application and signs in to the application with openid-client', async (t) => {
      const world = await openWorld(t)
      const application = await startClientApplication(t)
      const hand = await openPageUser(t, way)
      await signUpOnTheWayToThePortal(hand, world)
      await registerApplication(hand, world, application)

      // The application requests the email address, which is protected by a PIN. So the user must first set one.
      await hand.open(application.address)
      await hand.press('Save PIN', { 'New PIN': ada.pin, 'Repeat new PIN': ada.pin, Password: ada.password })
      await hand.isAt('Allow Acme Dashboard to use your account?')
      await hand.sees('See your email address')
      await hand.press('Allow')
      const person = await signedInPerson(hand)
      assert.deepEqual([person.name, person.email], [ada.name, ada.email])
    })

    test('consent asks for the PIN, and again after a wrong one; the user switches accounts and denies access', async (t) => {
      const world = await openWorld(t)
      const application = await startClientApplication(t)
      for (const [id, { pin, ...person }] of Object.entries({ ada, grace })) {
        await provision(world, 'PUT', `/v1/users/${id}`, { ...person, pin })
      }
      const { json } = await provision(world, 'PUT', '/v1/applications/acme', {
        ownerId: 'ada',
        name: 'Acme Dashboard',
        websiteUrl: 'https://acme.example',
        environment: 'development',
        redirectUris: [application.redirectUri],
      })
      await application.configure({ gatehouse: world.baseUrl, ...json, scope: 'user.identify user.email' })
      const hand = await openPageUser(t, way)
      await hand.open(application.address)
      await signIn(hand, ada)
      await hand.isAt('Unlock with your PIN')
      await hand.press('Unlock', { PIN: '0000' })
      await hand.sees('Wrong PIN')
      await hand.press('Unlock', { PIN: ada.pin })
      await hand.isAt('Allow Acme Dashboard to use your account?')
      await hand.sees(ada.email)

      await hand.press('Use another account')
      await signIn(hand, grace)
      await hand.press('Unlock', { PIN: grace.pin })
      await hand.isAt('Allow Acme Dashboard to use your account?')
      await hand.sees(grace.email)
      await hand.press('Deny')
      await hand.sees('Not signed in: access_denied')
    })
  })
}

async function signUpOnTheWayToThePortal(hand: PageUser, world: World): Promise<void> {
  await hand.open(`${world.portalUrl}/apps/new`)
  await hand.isAt('Sign in')
  await hand.follow('Create one')
  await hand.press('Create account', { Name: ada.name, 'Email address': ada.email, Password: ada.password })
  await hand.isAt('Register an application')
  assert.equal(hand.page.url(), `${world.portalUrl}/apps/new`)
}

async function registerApplication(hand: PageUser, world: World, application: ClientApplication): Promise<void> {
  await hand.fill('Name', 'Acme Dashboard')
  await hand.fill('Website URL', 'https://acme.example')
  await hand.choose('Development')
  await hand.fill(hand.scripts ? 'Redirect URI 1' : 'Redirect URIs', application.redirectUri)
  await hand.press('Register application')
  const clientSecret = (await hand.page.getByTestId('client-secret').textContent()) ?? ''
  const clientId = (await hand.page.getByTestId('client-id').textContent()) ?? ''
  assert.match(clientSecret, /^svc_cs_\w+$/)
  const scope = 'user.identify user.email offline_access'
  await application.configure({ gatehouse: world.baseUrl, clientId, clientSecret, scope })
}

async function signIn(hand: PageUser, person: { email: string; password: string }): Promise<void> {
  await hand.press('Sign in', { 'Email address': person.email, Password: person.password })
}

/** Returns the user data that the application shows. */
async function signedInPerson({ page }: PageUser): Promise<Record<string, unknown>> {
  const text = (await page.getByText('Signed in: ').textContent()) ?? ''
  return JSON.parse(text.replace('Signed in: ', ''))
}

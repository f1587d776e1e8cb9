import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openPageUser, ways } from '../support/browser/page-user.ts'
import { openAda, signedIn } from '../support/people.ts'

for (const way of ways) {
  describe(`A user manages their account, ${way}`, () => {
    test('a user signs up and changes name, email address, password and PIN', async (t) => {
      const { world } = await openAda(t)
      const hand = await openPageUser(t, way)
      await hand.open(`${world.baseUrl}/sign-up`)
      await hand.press('Create account', { Name: 'Grace', 'Email address': 'grace@example.com', Password: 'short' })
      await hand.sees('Use at least 8 characters.')
      await hand.press('Create account', { Password: 'nanoseconds of wire' })
      await hand.isAt('Your account')

      await hand.follow('Change name')
      await hand.press('Save name', { Name: 'Grace Hopper' })
      await hand.sees('Name changed.')
      await hand.follow('Change email address')
      await hand.fill('New email address', 'hopper@example.com')
      await hand.press('Save email address', { Password: 'nanoseconds of wire' })
      await hand.sees('Email address changed.')
      await hand.follow('Security')
      await hand.follow('Change password')
      await hand.fill('Current password', 'nanoseconds of wire')
      await hand.press('Save password', { 'New password': 'microseconds of wire' })
      await hand.sees('Password saved')
      await hand.follow('Set a PIN')
      await hand.press('Save PIN', { 'New PIN': '1906', 'Repeat new PIN': '1906', Password: 'microseconds of wire' })
      await hand.sees('PIN saved. This browser is unlocked.')
      await hand.follow('Activity')
      await hand.sees('You set your PIN')
      await hand.unfold('Menu for')
      await hand.press('Sign out')
      await hand.press('Sign in', { 'Email address': 'hopper@example.com', Password: 'microseconds of wire' })
      await hand.isAt('Your account')
    })

    test('a user signs out other browsers', async (t) => {
      const { world } = await openAda(t)
      const hand = await openPageUser(t, way)
      const phone = await signedIn(world)
      await hand.signIn(world)
      await hand.isAt('Your account')
      await hand.follow('Sessions')
      await hand.press(/^Sign out Unknown browser at /)
      await hand.sees('Browser signed out.')
      const [tablet, laptop] = [await signedIn(world), await signedIn(world)]
      await hand.open(`${world.baseUrl}/account/sessions`)
      await hand.press('Sign out everywhere else')
      await hand.sees('You’re signed out everywhere else.')
      for (const browser of [phone, tablet, laptop]) {
        assert.equal((await browser.get(`${world.baseUrl}/account`)).status, 302)
      }
    })
  })
}

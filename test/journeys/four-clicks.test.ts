import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { signInEverywhere } from '../support/browser/chromium.ts'
import { openPageUser, type PageUser, type Way, ways } from '../support/browser/page-user.ts'
import { openPopulatedWorld, type PopulatedWorld } from '../support/populated-world.ts'

type Clicks = Pick<PageUser, 'follow' | 'press'>

/** Frequent tasks. Each begins at the account page, which opens after the sign-in. */
const tasks: Record<string, (click: Clicks, user: PageUser, furnished: PopulatedWorld) => Promise<void>> = {
  async 'find why a webhook failed, and replay it'(click, user) {
    await click.follow('Bots')
    await click.follow('Lantern')
    await click.follow('Last error')
    await user.sees('No such channel')
    await click.press('Replay')
    await user.sees('Webhook replayed. This is the replay.')
  },

  async 'add a redirect URI that was refused'(click, user, { client }) {
    await click.follow('Applications')
    // The number of failed requests, beside the application.
    await click.follow('2')
    await click.press('Add this redirect URI')
    await user.sees('Redirect URI added')
    assert.match(await user.page.locator('main').innerText(), new RegExp(`${client.redirectUri}/`))
  },

  async 'create a second secret, so that the first can be revoked without downtime'(click, user) {
    await click.follow('Applications')
    await click.follow('Acme Dashboard')
    await click.follow('New secret')
    await user.fill('Label', 'Second server')
    await click.press('Create secret')
    await user.sees(/svc_cs_/)
  },

  async 'see whether the runtime is connected'(click, user) {
    await click.follow('Bots')
    await click.follow('Lantern')
    await user.sees('Connected')
  },

  async 'end an application’s access'(click, user) {
    await click.follow('Connected applications')
    await click.press('Revoke access for Acme Dashboard')
    await user.sees('Access revoked')
  },
}

describe('our choice: frequent tasks take at most four clicks', () => {
  for (const way of ways) {
    for (const [task, run] of Object.entries(tasks)) {
      test(`${task}, ${way}`, async (t) => {
        const { user, furnished } = await signedIn(t, way)
        let clicks = 0
        const counted = (step: (name: string | RegExp) => Promise<void>) => (name: string | RegExp) => {
          clicks += 1
          return step(name)
        }
        await run({ follow: counted(user.follow), press: counted(user.press) }, user, furnished)
        assert.ok(clicks <= 4, `${clicks} clicks`)
      })
    }
  }
})

async function signedIn(t: TestContext, way: Way): Promise<{ user: PageUser; furnished: PopulatedWorld }> {
  const furnished = await openPopulatedWorld(t)
  const user = await openPageUser(t, way)
  await signInEverywhere(user.page, furnished.world)
  return { user, furnished }
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openScene } from '../bot-people.ts'
import { BotRuntime } from '../bot-runtime.ts'
import { assertUsable, openPage } from '../browser/chromium.ts'
import { ada, provision } from '../people.ts'
import type { World } from '../world.ts'

const evil = '"><script>document.title = "caught"</script><img src=x onerror=alert(1)>'

async function signIn(page: Page, world: World): Promise<void> {
  await page.goto(`${world.baseUrl}/sign-in`)
  await page.getByLabel('E-mail address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${world.baseUrl}/account`)
}

describe('The owner’s bot pages in a browser', () => {
  for (const scripts of [true, false]) {
    test(`from the account to a dead letter and its replay, ${scripts ? 'with' : 'without'} scripts`, async (t) => {
      const { world } = await openScene(t)
      await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', {
        kind: 'event',
        name: `Orders ${evil}`,
        webhook: { path: 'orders', requiresKey: true },
      })
      await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries: [{ level: 'warn', message: evil }] })
      const page = await openPage(t, { javaScriptEnabled: scripts })
      const usable = () => (scripts ? assertUsable(page) : undefined)
      await signIn(page, world)
      await page.getByRole('link', { name: 'Bots' }).click()
      await usable()
      await page.getByRole('link', { name: 'Weather' }).click()
      await page.getByText('Offline').first().waitFor()
      await page.getByRole('button', { name: 'Make the status public' }).click()
      await page.getByText('Everybody can see the bot’s status now.').waitFor()
      await usable()

      const parts = page.getByRole('navigation', { name: 'Parts of this bot' })
      await parts.getByRole('link', { name: 'Runtimes' }).click()
      await page.getByLabel('Name').fill('Attic')
      await page.getByRole('button', { name: 'Add runtime' }).click()
      const key = (await page.getByTestId('runtime-key').textContent()) ?? ''
      await usable()
      const { runtime } = await BotRuntime.ready(t, world, key)

      await parts.getByRole('link', { name: 'Flows' }).click()
      await usable()
      await page.getByRole('link', { name: 'Orders' }).click()
      await usable()
      await page.getByRole('button', { name: 'Replace the key' }).click()
      await usable()
      await page.getByLabel('Stops working now').check()
      await page.getByRole('button', { name: 'Replace the key' }).click()
      assert.match((await page.getByTestId('flow-key').textContent()) ?? '', /^svc_fk_/)
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('The test is accepted.').waitFor()
      const { delivery } = await runtime.next('dispatch')
      runtime.send({ type: 'nack', delivery, error: evil, dead: true })
      await runtime.beat()

      await parts.getByRole('link', { name: 'Deliveries' }).click()
      await page.getByLabel('State').selectOption('Dead letters')
      await page.getByRole('button', { name: 'Show' }).click()
      await usable()
      await page.getByRole('rowheader').getByRole('link').click()
      await page.getByText('"test": true').waitFor()
      await usable()
      await page.getByRole('button', { name: 'Replay' }).click()
      await page.getByText('This is the new one').waitFor()
      assert.equal((await runtime.next('dispatch')).replayOf !== undefined, true)

      await parts.getByRole('link', { name: 'Logs' }).click()
      await usable()
      await parts.getByRole('link', { name: 'Coworkers' }).click()
      await usable()
      await page.getByLabel('E-mail address or user id').fill('nobody@example.com')
      await page.getByRole('button', { name: 'Add coworker' }).click()
      await page.getByText('Nobody here has this address').waitFor()
      await usable()
      await page.getByRole('link', { name: 'Remove Vi' }).click()
      await usable()
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('The person has no access to the bot any more.').waitFor()
      assert.doesNotMatch(await page.title(), /caught/)
    })
  }
  test('our choice: in German they can be used by everybody too, and of a signature only the chosen way’s fields are shown', async (t) => {
    const { world } = await openScene(t)
    await provision(world, 'PUT', '/v1/bots/bot-1', { publicStatus: true })
    const flow = { kind: 'event', name: 'Orders', webhook: { path: 'orders', requiresKey: true } }
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', flow)
    const page = await openPage(t, { locale: 'de-DE' })
    await page.goto(`${world.baseUrl}/sign-in`)
    await page.getByLabel('E-Mail-Adresse').fill(ada.email)
    await page.getByLabel('Passwort').fill(ada.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.waitForURL(`${world.baseUrl}/account`)
    for (const path of ['/bots/bot-1', '/bots/bot-1/deliveries', '/botstatus/bot-1', '/bots/bot-1/flows/orders']) {
      await page.goto(world.baseUrl + path)
      await assertUsable(page)
    }
    const fields = ['Signaturgeheimnis', 'Öffentlicher Schlüssel, für Discord', 'Präfix, für HMAC']
    const shown = () => Promise.all(fields.map((label) => page.getByLabel(label).isVisible()))
    assert.deepEqual(await shown(), [false, false, false])
    for (const [preset, expected] of [
      ['GitHub', [true, false, false]],
      ['Discord', [false, true, false]],
      ['Ein anderer, durch HMAC des Inhalts', [true, false, true]],
    ] as const) {
      await page.getByLabel('Absender').selectOption(preset)
      assert.deepEqual(await shown(), expected, preset)
    }
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { assertUsable, openPage, signInAsAda } from '../support/browser/chromium.ts'
import { openPageUser, ways } from '../support/browser/page-user.ts'
import { openBot, provision } from '../support/people.ts'

for (const way of ways) {
  test(`an owner navigates from the account page to a dead letter and replays it, ${way}`, async (t) => {
    const { world } = await openBot(t)
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', {
      kind: 'event',
      name: 'Orders',
      webhook: { path: 'orders', requiresKey: true },
    })
    await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries: [{ level: 'warn', message: 'Slow answer' }] })
    const hand = await openPageUser(t, way)
    const { page } = hand
    await hand.signIn(world)
    await hand.follow('Bots')
    await hand.follow('Weather')
    await hand.sees('Not connected yet')
    await hand.press('Turn hosting off')
    await hand.sees('Hosting is off.')
    await hand.press('Turn hosting on')
    await hand.sees('Hosting is on.')
    await hand.follow('Settings')
    await hand.choose('Cloud')
    await hand.press('Save location')
    await hand.sees('Hosting location saved.')
    await hand.press('Make status public')
    await hand.sees('The bot’s status is public.')
    await hand.press('Save notice', { 'Notice on the status page': 'We move on Sunday' })
    await hand.follow('Open status page')
    await hand.sees('We move on Sunday')
    await hand.open(`${world.baseUrl}/bots/bot-1`)

    await hand.follow('Runtimes')
    await hand.fill('Name', 'Attic')
    await hand.choose('All your bots, including future ones')
    await hand.press('Add runtime')
    const key = (await page.getByTestId('runtime-key').textContent()) ?? ''
    const { runtime } = await BotRuntime.ready(t, world, key)

    await hand.follow('Flows')
    await hand.follow('Orders')
    await hand.press('Replace key')
    await hand.choose('Revoke it now')
    await hand.press('Replace key')
    assert.match((await page.getByTestId('flow-key').textContent()) ?? '', /^svc_fk_/)
    await hand.unfold('Signatures aren’t verified.')
    await hand.select('Sender', 'GitHub')
    await hand.press('Save signature', { 'Signing secret': 'between us two' })
    await hand.sees('Flow settings saved.')
    await hand.follow('Send a test webhook')
    await hand.press('Send test')
    await hand.sees('Test webhook accepted.')
    const { delivery } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, error: 'No such channel', dead: true })
    await runtime.heartbeat()

    await hand.follow('Deliveries')
    await hand.unfold('Show as table')
    await hand.follow(/^Dead letters/)
    await hand.follow(/^ev/)
    await hand.sees('No such channel')
    await hand.press('Replay')
    await hand.sees('This is the replay')
    assert.equal((await runtime.next('dispatch')).replayOf !== undefined, true)
    await hand.follow('Deliveries')
    await world.clock.advance(1_000)
    await hand.follow('Discard all 1')
    await hand.press('Discard 1')
    await hand.sees('1 dead letter discarded.')

    await hand.follow('View deliveries')
    await hand.follow('Logs')
    await hand.sees('Slow answer')
    await hand.select('Level', 'Errors')
    await hand.press('Apply filter')
    await hand.sees('No log entries match this filter')
  })
}

test('our choice: the signature form shows only the fields of the chosen sender', async (t) => {
  const { world } = await openBot(t)
  const flow = { kind: 'event', name: 'Orders', webhook: { path: 'orders', requiresKey: true } }
  await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', flow)
  const page = await openPage(t, { locale: 'de-DE' })
  await signInAsAda(page, world)
  await page.goto(`${world.baseUrl}/bots/bot-1/flows/orders`)
  await assertUsable(page)
  await page.getByText('Signaturen werden nicht geprüft.').click()
  const fields = ['Signatur-Secret', 'Öffentlicher Schlüssel (Discord)', 'Präfix der Signatur (HMAC)']
  const shown = () => Promise.all(fields.map((label) => page.getByLabel(label).isVisible()))
  assert.deepEqual(await shown(), [false, false, false])
  for (const [preset, expected] of [
    ['GitHub', [true, false, false]],
    ['Discord', [false, true, false]],
    ['Anderer HMAC (Zoom, Paddle, Zendesk, Typeform und andere)', [true, false, true]],
  ] as const) {
    await page.getByLabel('Absender').selectOption(preset)
    assert.deepEqual(await shown(), expected, preset)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adaWithClient, type Browser, fieldErrorOf, formTokenOf, noticeOf, shown, signedIn } from '../support/people.ts'
import { bob } from '../support/sign-in-forms.ts'
import { openScene } from './subscriptions-scene.ts'

async function openPages(...options: Parameters<typeof openScene>) {
  const scene = await openScene(...options)
  await adaWithClient(scene.world)
  await scene.call('PUT', 'users/bob', bob)
  const list = `${scene.world.baseUrl}/account/subscriptions`
  /** Adds a subscription through the form. Returns its page's URL and its secret. */
  const add = async (browser: Browser, url: string, types: string) => {
    const made = await browser.submitAt(`${list}/new`, { url, types }, '/account/subscriptions')
    assert.equal(made.status, 201, made.text)
    assert.equal(made.headers.get('cache-control'), 'no-store')
    return { address: String(made.location), secret: shown(made, 'signing-secret') }
  }
  return { ...scene, list, add, browser: await signedIn(scene.world) }
}

test('our choice: a user adds a subscription, tests it, and sees the response in its log; the secret is shown once', async (t) => {
  const { world, receiver, browser, list, add, delivery } = await openPages(t)
  assert.match((await browser.get(`${world.baseUrl}/account/applications`)).text, /href="\/account\/subscriptions"/)
  assert.match((await browser.get(list)).text, /No subscriptions yet/)
  receiver.responses.set('/ada', { status: 503, body: '<b>later</b>' })
  const { address, secret } = await add(browser, `${receiver.url}/ada`, 'bot.offline')
  assert.match(secret, /^whsec_/)
  const page = await browser.get(address)
  assert.ok(!page.text.includes(secret))
  assert.match(page.text, /Bot went offline/)
  assert.match(page.text, /No events yet/)

  const tested = await browser.submit(page, {}, '/test')
  assert.equal(tested.status, 303)
  await receiver.on('/ada')
  await delivery(address.split('/').at(-1)!, 'waiting')
  const log = await browser.get(address)
  assert.match(log.text, /Test event queued\./)
  assert.match(log.text, /status 503/)
  const [, event = ''] = /href="([^"]*\/events\/[^"]*)"/.exec(log.text) ?? []
  const shown = await browser.get(`${world.baseUrl}${event}`)
  assert.match(shown.text, /status 503\n&lt;b&gt;later&lt;\/b&gt;/)
  assert.match(shown.text, /subscription\.test/)
  assert.ok(!world.logs().includes(secret))

  for (const types of ['bot.online', 'bot.offline']) await add(browser, `${receiver.url}/${types}`, types)
  assert.equal((await browser.get(list)).text.match(/href="\/account\/subscriptions\/(?!new")/g)?.length, 3)
})

test('our choice: a user adds a webhook of Slack: messages are in the user’s language, have a preview, and show no token', async (t) => {
  const { world, receiver, browser, list, receivedInTime } = await openPages(t)
  const token = 'aVeryLongAndSecretTokenOfAnIncomingWebhook-4711'
  await browser.get(`${world.baseUrl}/appearance/language/de`)
  const url = `${receiver.url}/services/${token}`
  const input = { url, format: 'slack', types: 'bot.offline' }
  const made = await browser.submitAt(`${list}/new`, input, '/account/subscriptions')
  assert.equal(made.status, 201, made.text)
  const address = String(made.location)
  const page = await browser.get(address)
  assert.match(page.text, /🔴 Lantern ist offline\. Letzter Heartbeat/)
  assert.match(page.text, /<dd>Slack<\/dd>/)
  assert.doesNotMatch(page.text, /\/secret"/)
  const edit = await browser.get(`${address}/edit`)
  const shown = `${receiver.url}/…4711`
  for (const { text } of [made, page, edit, await browser.get(list)]) {
    assert.ok(text.includes(shown) && !text.includes(token) && !text.includes('whsec_'))
  }
  const id = address.split('/').at(-1)
  const changed = { url: shown, format: 'discord', types: 'bot.online', enabled: 'yes' }
  assert.equal((await browser.submit(edit, changed, `/account/subscriptions/${id}`)).status, 303)
  assert.equal((await browser.submitAt(address, {}, '/test')).status, 303)
  const [message] = await receivedInTime(`/services/${token}`)
  const content = '✅ Test: Hier erscheinen Nachrichten über Ihre Bots und Anwendungen.'
  assert.deepEqual(JSON.parse(message!.body), { content, allowed_mentions: { parse: [] } })
  assert.ok(!world.logs().includes(token))
})

test('our choice: the form refuses hosts that are internal, and the edit form does, too', async (t) => {
  const { call, browser, list } = await openPages(t, { EVENTS_ALLOW_PRIVATE: 'false' })
  await call('PUT', 'subscriptions/kept', { url: 'https://example.com/x', types: ['bot.online'], ownerId: 'ada' })
  const internal =
    'Events can’t be sent to this host, because it is internal. Enter one that is reachable from the internet.'
  for (const host of ['localhost:9000', 'api.localhost', '10.1.2.3', '0x7f000001', '[::1]:8443']) {
    for (const [page, action] of [
      [`${list}/new`, '/account/subscriptions'],
      [`${list}/kept/edit`, '/account/subscriptions/kept'],
    ] as const) {
      const answer = await browser.submitAt(page, { url: `https://${host}/x`, types: 'bot.online' }, action)
      assert.deepEqual([answer.status, fieldErrorOf(answer, 'url')], [422, internal], host)
    }
  }
  const outside = { url: 'https://[2606:4700::1111]/x', types: 'bot.online' }
  const made = await browser.submitAt(`${list}/new`, outside, '/account/subscriptions')
  assert.equal(made.status, 201)
})

test('our choice: a user sends a delivered event again from its page, and edits, switches off, rotates and removes a subscription', async (t) => {
  const { world, receiver, call, browser, add, delivery } = await openPages(t)
  const { address, secret } = await add(browser, `${receiver.url}/ada`, 'bot.offline')
  const id = address.split('/').at(-1)!
  await browser.submitAt(address, {}, '/test')
  const path = `${new URL(address).pathname}/events/${(await delivery(id, 'delivered')).id}`
  const replayed = await browser.submitAt(`${world.baseUrl}${path}`, {}, '/replay')
  assert.equal(replayed.status, 303)
  const [first, again] = await receiver.on('/ada', 2)
  assert.equal(first!.headers['webhook-id'], again!.headers['webhook-id'])
  assert.match((await browser.get(replayed.location!)).text, new RegExp(`Replay of</dt><dd><a href="${path}"`))

  const form = { url: `${receiver.url}/new`, types: 'bot.online' }
  const saved = await browser.submitAt(`${address}/edit`, form, id)
  assert.equal(saved.status, 303)
  const { url, types, enabled, disabledBecause } = (await call('GET', `subscriptions/${id}`)).json
  assert.deepEqual([url, types, enabled, disabledBecause], [form.url, ['bot.online'], false, 'switched-off'])
  assert.match((await browser.get(address)).text, /Subscription saved\.[\s\S]*Turned off/)

  const rotated = await browser.submitAt(`${address}/secret`, {}, '/secret')
  const second = shown(rotated, 'signing-secret')
  assert.notEqual(second, secret)
  assert.match(rotated.text, /Previous secret/)
  assert.match((await browser.get(address)).text, /Previous secret/)

  const removed = await browser.submitAt(`${address}/removal`, {}, '/removal')
  assert.equal(removed.status, 303)
  assert.equal((await browser.get(address)).status, 404)
  assert.equal((await call('GET', `subscriptions/${id}`)).status, 404)
})

test('our choice: an invalid subscription form shows every error at its field and keeps the input', async (t) => {
  const { browser, list } = await openPages(t)
  const malformed = 'Enter a complete URL, such as https://example.com/events.'
  const noEvent = 'Choose at least one event.'
  const credentials = 'Remove the user name and password from the URL. Your server checks the signature instead.'
  for (const [url, types, error, ofTypes = ''] of [
    ['example', '', malformed, noEvent],
    ['https://a.example', 'bot.unknown', '', noEvent],
    ['https://a b', 'bot.online', malformed],
    ['ftp://a.example', 'bot.online', malformed],
    ['https://u:p@a.example', 'bot.online', credentials],
    ['https://a.example/#x', 'bot.online', 'Remove the part after #. It is never sent.'],
    [`https://a.example/${'x'.repeat(2_048)}`, 'bot.online', 'The URL can have at most 2048 characters.'],
  ] as const) {
    // Without a checked box, browsers send no `types`.
    const fields = { url, ...(types !== '' && { types }) }
    const refused = await browser.submitAt(`${list}/new`, fields, '/account/subscriptions')
    const errors = [fieldErrorOf(refused, 'url'), fieldErrorOf(refused, 'types')]
    assert.deepEqual([refused.status, ...errors], [422, error, ofTypes], url)
    assert.ok(refused.text.includes(`value="${url}"`), url)
  }
  assert.match((await browser.get(list)).text, /No subscriptions yet/)
})

test('our choice: a user has at most 20 subscriptions and sends at most ten test events a minute to each', async (t) => {
  const { world, receiver, subscribe, browser, list } = await openPages(t)
  for (let at = 0; at < 20; at += 1) await subscribe(`s${at}`, ['bot.online'], 'ada')
  const page = await browser.get(`${list}/new`)
  const form = { url: 'https://a.example', types: 'bot.online' }
  const refused = await browser.submit(page, form, '/account/subscriptions')
  assert.deepEqual([refused.status, noticeOf(refused)], [422, 'You have 20 subscriptions already. Remove one first.'])

  const own = await browser.get(`${list}/s0`)
  for (let at = 0; at < 10; at += 1) assert.equal((await browser.submit(own, {}, '/test')).status, 303)
  const tested = await browser.submit(own, {}, '/test')
  assert.deepEqual([tested.status, noticeOf(tested)], [422, 'Too many test events. Try again in a minute.'])
  await receiver.on('/s0', 10)
  await world.clock.advance(60_000)
  assert.equal((await browser.submit(own, {}, '/test')).status, 303)
})

test('our choice: another user’s subscription and the platform’s are not found', async (t) => {
  const { world, subscribe, browser, list, call } = await openPages(t)
  await subscribe('his', ['bot.online'], 'bob')
  await subscribe('platform', ['bot.online'])
  const own = await browser.get(`${list}/new`)
  for (const id of ['his', 'platform', 'none', 'a:b']) {
    for (const path of ['', '/edit', '/secret', '/removal', '/events/ev1']) {
      assert.equal((await browser.get(`${list}/${id}${path}`)).status, 404, path)
    }
    for (const path of ['', '/test', '/secret', '/removal', '/events/ev1/replay']) {
      const body = new URLSearchParams({ form_token: formTokenOf(own), url: 'https://a.example', types: 'bot.online' })
      assert.equal((await browser.post(`${list}/${id}${path}`, body)).status, 404, path)
    }
  }
  assert.equal((await (await signedIn(world, bob)).get(`${list}/his`)).status, 200)
  assert.equal((await call('GET', 'subscriptions/his')).json.previousSecretEndsAt, null)
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { containsText, storedBytes } from '../support/world-database.ts'
import { openScene } from './subscriptions-scene.ts'

const token = 'aVeryLongAndSecretTokenOfAnIncomingWebhook-4711'

/** Opens a scene with a subscription of this format, whose URL contains a token as those of chats do. */
async function openChat(t: TestContext, format: string, types = ['bot.offline', 'bot.online']) {
  const scene = await openScene(t)
  const { world, receiver, call } = scene
  const path = `/api/webhooks/1/${token}`
  const put = (change: object = {}) =>
    call('PUT', 'subscriptions/chat', { url: `${receiver.url}${path}`, types, format, ...change })
  assert.equal((await put()).status, 201)
  const bodies = () => receiver.at(path).map(({ body }) => JSON.parse(body))
  const messages = (count: number) => advanceUntil(world.clock, () => bodies().length >= count && bodies())
  const rename = (name: string) =>
    call('PUT', 'bots/bot-1', { ownerId: 'ada', name, chatPlatformId: '12345678901234567', hostingEnabled: true })
  const test = () => call('POST', 'subscriptions/chat/test')
  return { ...scene, path, put, bodies, messages, rename, test }
}

test('our choice: a subscription in format discord posts an unsigned message in which no name mentions, links or formats', async (t) => {
  const { receiver, messages, rename, report, world } = await openChat(t, 'discord')
  await rename('@everyone <@1> [a](https://evil.example) **b**')
  const reportedAtMs = world.clock.nowMs()
  report(true)
  const [online] = await messages(1)
  const name = '**\\@everyone \\<\\@1\\> \\[a\\]\\(https\\://evil.example\\) \\*\\*b\\*\\***'
  assert.match(online.content, /^🟢 .* is online\.$/)
  assert.ok(online.content.includes(name), online.content)
  assert.deepEqual(online, { content: online.content, allowed_mentions: { parse: [] } })
  const [{ headers } = { headers: {} as Record<string, string> }] = receiver.received
  assert.equal(headers['content-type'], 'application/json')
  assert.ok(!Object.keys(headers).some((header) => header.startsWith('webhook-')))
  await world.clock.advance(90_000)
  const [, offline] = await messages(2)
  assert.match(offline.content, /^🔴 .* is offline\. Last heartbeat: \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/)
  await world.clock.advance(reportedAtMs + 690_000 - world.clock.nowMs())
  report(true)
  const [, , again] = await messages(3)
  assert.match(again.content, /is online again after 10 minutes/)
})

test('our choice: events that come at once are merged into the next message, which follows two seconds after the first', async (t) => {
  const { world, receiver, path, bodies, messages, test } = await openChat(t, 'discord')
  await test()
  // Without advancing the clock, as the two seconds have begun.
  await receiver.on(path)
  for (let n = 0; n < 4; n += 1) assert.equal((await test()).status, 202)
  await world.clock.advance(1_000)
  assert.equal(bodies().length, 1)
  const [, merged] = await messages(2)
  assert.equal(merged.content, '✅ Test: messages about your bots and applications arrive here. (4×)')
  await world.clock.advance(20_000)
  assert.equal(bodies().length, 2)
})

test('our choice: after 429 with Retry-After, nothing is sent to the chat before that time, and then everything in one message', async (t) => {
  const { world, receiver, path, bodies, messages, test, call, delivery } = await openChat(t, 'discord')
  receiver.responses.set(path, { status: 429, headers: { 'retry-after': '1800' } })
  await test()
  await messages(1)
  assert.equal((await delivery('chat', 'waiting')).lastError, 'status 429')
  receiver.responses.delete(path)
  await test()
  await world.clock.advance(1_790_000)
  assert.equal(bodies().length, 1)
  const [, merged] = await messages(2)
  assert.match(merged.content, /\(2×\)$/)
  await eventually(async () => {
    const { items } = (await call('GET', 'subscriptions/chat/deliveries')).json
    return items.every(({ state }: { state: string }) => state === 'delivered') || undefined
  })
})

test('our choice: a chat that responds with 404 has deleted the webhook, so the subscription ends', async (t) => {
  const { receiver, path, test, call, messages, delivery } = await openChat(t, 'slack')
  receiver.responses.set(path, { status: 404, body: 'no_service' })
  await test()
  await messages(1)
  assert.equal((await delivery('chat', 'dead')).lastError, 'status 404\nno_service')
  assert.equal((await call('GET', 'subscriptions/chat')).json.disabledBecause, 'gone')
})

test('our choice: the URL of a chat is stored encrypted, shown shortened and never logged; sent shortened, it is kept', async (t) => {
  const { world, receiver, call, put, bodies, messages, test, path } = await openChat(t, 'slack')
  const { json } = await call('GET', 'subscriptions/chat')
  assert.deepEqual([json.format, json.url], ['slack', `${receiver.url}/…4711`])
  assert.deepEqual((await put()).json, json)
  assert.deepEqual((await put({ url: json.url, format: 'discord' })).json, { ...json, format: 'discord' })
  await test()
  await messages(1)
  assert.deepEqual(Object.keys(bodies()[0]), ['content', 'allowed_mentions'])
  for (const [place, bytes] of Object.entries(await storedBytes(world))) {
    assert.equal(containsText(bytes, token), false, place)
  }
  assert.ok(!world.logs().includes(token))
  assert.equal((await put({ url: `${receiver.url}/…0000` })).status, 400)
  assert.deepEqual((await put({ url: json.url, format: 'standard' })).json.url, `${receiver.url}${path}`)
})

// Last, because in format standard the URL, with its token, is stored as it is.
test('our choice: events that wait while the format is edited are sent as the new format demands: messages two seconds apart, and four signed requests at once', async (t) => {
  const { world, receiver, path, bodies, messages, put, test, call } = await openChat(t, 'standard')
  const send = () => Promise.all(Array.from({ length: 6 }, test))
  const all = (state: string, attempts: number) => async () => {
    const { items } = (await call('GET', 'subscriptions/chat/deliveries?limit=6')).json
    return items.every((event: typeof items) => event.state === state && event.attempts === attempts) || undefined
  }
  receiver.responses.set(path, { status: 500 })
  await send()
  await eventually(all('waiting', 1))
  receiver.responses.delete(path)
  await put({ format: 'discord' })
  await messages(7)
  await advanceUntil(world.clock, all('delivered', 2))
  // Events that are released after the first message was sent go into the second.
  assert.ok(bodies().length <= 8, `${bodies().length} requests`)

  const before = bodies().length
  // Tests are limited per minute.
  await world.clock.advance(60_000)
  await test()
  await messages(before + 1)
  receiver.responses.set(path, { status: 500 })
  await send()
  await messages(before + 2)
  await eventually(all('waiting', 1))
  const { promise, resolve } = Promise.withResolvers<{ status: number }>()
  receiver.responses.set(path, promise)
  await put({ format: 'standard' })
  await messages(before + 6)
  await call('GET', 'subscriptions/chat')
  assert.equal(bodies().length, before + 6)
  resolve({ status: 204 })
  await eventually(all('delivered', 2))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audited } from '../support/audit.ts'
import { fieldErrorOf, openBot, provision, send, titleOf, userIdOf } from '../support/people.ts'
import { signedUp } from '../support/sign-in-forms.ts'
import { pluck } from '../support/together.ts'
import type { World } from '../support/world.ts'

const coworker = async (world: World, userId: string) =>
  (await provision(world, 'GET', `/v1/bots/bot-1/coworkers/${userId}`)).json

test('our choice: the owner adds a collaborator by email or user ID, changes the collaborator’s role and capabilities, and removes the collaborator', async (t) => {
  const { world, ada, as, at } = await openBot(t)
  const page = await ada.get(at('/bots/bot-1/coworkers'))
  const invited = { who: ' STAN@example.com ', role: 'viewer', capability: 'keys' }
  const added = await ada.submit(page, invited, '/coworkers')
  assert.deepEqual([added.status, added.location?.search], [303, ''])
  const stan = { botId: 'bot-1', userId: 'stan', role: 'viewer', capabilities: ['keys'] }
  assert.deepEqual(await coworker(world, 'stan'), stan)
  assert.equal((await (await as('stan')).get(at('/bots/bot-1'))).status, 200, 'Stan sees the bot immediately')

  const change = { role: 'editor', capability: ['hosting', 'keys', 'everything'] }
  assert.equal((await send(ada, world, '/bots/bot-1/coworkers/stan', change)).location?.search, '')
  assert.deepEqual(await coworker(world, 'stan'), { ...stan, role: 'editor', capabilities: ['hosting', 'keys'] })

  const asked = await ada.get(at('/bots/bot-1/coworkers/stan/removal'))
  assert.match(asked.text, /Stan loses access immediately/)
  assert.equal((await ada.submit(asked, {}, '/removal')).location?.search, '')
  assert.equal((await (await as('stan')).get(at('/bots/bot-1'))).status, 404, 'Stan no longer sees the bot')

  await ada.submit(page, { who: 'stan', role: 'editor' }, '/coworkers')
  assert.deepEqual(await coworker(world, 'stan'), { ...stan, role: 'editor', capabilities: [] })
  const kinds = ['coworker-put', 'coworker-put', 'coworker-removed', 'coworker-put']
  assert.deepEqual(pluck(await audited(world, /^coworker/), 'kind'), kinds)
})

test('our choice: an invalid entry for a collaborator shows an error at its field, keeps the input and offers an invitation; an unconfirmed email can’t be used until provisioning confirms it', async (t) => {
  const { world, ada, at } = await openBot(t)
  const page = await ada.get(at('/bots/bot-1/coworkers'))
  const alice = { name: 'Alice', email: 'alice@corp.example', password: 'a bridge of stone' }
  await signedUp(world, alice)
  const unknown = /No user has this user ID or confirmed email address/
  for (const [who, words] of [
    ['', /Enter an email address or a user ID/],
    ['no.body@example.com', unknown],
    ['no body', unknown],
    [alice.email, unknown],
    ['ada', /You own this bot/],
    ['ed@example.com', /already a collaborator/],
  ] as const) {
    const answer = await ada.submit(page, { who, role: 'editor', capability: 'hosting' }, '/coworkers')
    assert.equal(answer.status, 422, who)
    assert.match(fieldErrorOf(answer, 'who'), words)
    assert.match(answer.text, new RegExp(`name="who"[^>]*value="${who}"`))
    assert.match(answer.text, /value="editor" aria-describedby="[^"]*" checked/)
    assert.match(answer.text, /value="hosting" checked/)
    const invitation = `/bots/bot-1/invitations/new${who === '' ? '' : `?label=${encodeURIComponent(who)}`}`
    assert.ok(answer.text.includes(`href="${invitation}"`), who)
    assert.match((await ada.get(at(invitation))).text, new RegExp(`name="label"[^>]* value="${who}"`))
  }
  assert.deepEqual((await provision(world, 'GET', '/v1/bots/bot-1/coworkers')).json.items, [
    { botId: 'bot-1', userId: 'ed', role: 'editor', capabilities: ['poetry'] },
    { botId: 'bot-1', userId: 'vi', role: 'viewer', capabilities: [] },
  ])
  const id = await userIdOf(world, alice.email)
  await provision(world, 'PUT', `/v1/users/${id}`, { name: 'Alice', email: alice.email })
  assert.equal((await ada.submit(page, { who: alice.email, role: 'viewer' }, '/coworkers')).status, 303)
  assert.equal((await coworker(world, id)).role, 'viewer')
})

test('our choice: changed permissions keep provisioned capabilities that the form does not offer; the page of a user who is no collaborator returns 404', async (t) => {
  const { world, ada, at } = await openBot(t)
  const none = await ada.get(at('/bots/bot-1/coworkers/stan'))
  assert.deepEqual([none.status, titleOf(none)], [404, 'Weather has no page at this URL · Gatehouse'])
  await send(ada, world, '/bots/bot-1/coworkers/ed', { role: 'viewer', capability: 'status' })
  assert.deepEqual((await coworker(world, 'ed')).capabilities, ['status', 'poetry'])
})

test('our choice: after naming 20 unknown users the owner must wait, so that no owner can probe many emails', async (t) => {
  const { world, ada, at } = await openBot(t)
  const page = await ada.get(at('/bots/bot-1/coworkers'))
  for (let guess = 0; guess < 20; guess += 1) {
    await ada.submit(page, { who: `nobody-${guess}@example.com`, role: 'viewer' }, '/coworkers')
  }
  const add = () => ada.submit(page, { who: 'stan@example.com', role: 'viewer' }, '/coworkers')
  const refused = await add()
  const tooMany = 'You entered too many unknown IDs or addresses. Try again in 60 minutes.'
  assert.deepEqual([refused.status, fieldErrorOf(refused, 'who')], [429, tooMany])
  await world.clock.advance(3_600_001)
  assert.equal((await add()).status, 303)
})

test('our choice: collaborators see each other, without email addresses, and can leave', async (t) => {
  const { world, as, at } = await openBot(t)
  for (const name of ['ed', 'vi'] as const) {
    const page = await (await as(name)).get(at('/bots/bot-1/coworkers'))
    assert.match(page.text, /Ed<br>/)
    assert.doesNotMatch(page.text, /Add a collaborator|ed@example\.com/)
  }
  const ed = await as('ed')
  const asked = await ed.get(at('/bots/bot-1/coworkers/ed/removal'))
  assert.match(asked.text, /Leave Weather\?/)
  const left = await ed.submit(asked, {}, '/removal')
  assert.equal(left.location?.pathname, '/bots')
  assert.match((await ed.onward(left, world)).text, /You left the bot/)
  assert.equal((await ed.get(at('/bots/bot-1'))).status, 404)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withQueue } from '../support/bot-deliveries.ts'
import { provision, send, titleOf } from '../support/people.ts'

/** Pages and forms below `/bots/bot-1`, by who may use them. `EVENT` and `INVITATION` stand for the IDs of an event and an invitation. */
const pages = {
  all: `? /settings /logs /coworkers /flows /flows/orders /deliveries /deliveries/export.csv`,
  editors: `/deliveries/refused /deliveries/EVENT /deliveries/EVENT/body /deliveries/EVENT/discard /dead-letters/replay
    /dead-letters/discard`,
  owner: `/coworkers/ed /coworkers/vi /invitations/new /flows/orders/key /flows/orders/key-requirement
    /flows/orders/test /flows/orders/removal /runtimes`,
}
const forms = {
  editors: `/hosting /location /public-status /notice /flows/orders/taking /deliveries/EVENT/replay
    /deliveries/EVENT/discard /deliveries/EVENT/try-now /deliveries/selection /dead-letters/replay /dead-letters/discard`,
  owner: `/coworkers /coworkers/ed /coworkers/vi /invitations /invitations/INVITATION/confirmation
    /invitations/INVITATION/revocation /flows /flows/orders/key /flows/orders/keys/1/end /flows/orders/key-requirement
    /flows/orders/test /flows/orders/signature /flows/orders/removal /runtimes`,
}

test('our choice: each page and form of a bot is for the roles that may use it, and offers them no other; to other users the bot is unknown', async (t) => {
  const { world, ada, as, at, putFlow, connect, deadLetter } = await withQueue(t, { OWNER_FLOWS: 'on' })
  const event = await deadLetter(await connect(), 'dead')
  await putFlow({ requiresKey: true })
  await send(ada, world, '/bots/bot-1/invitations', { label: 'Alice', role: 'viewer' })
  const invitations = () => world.service.bots.invitations.list('bot-1' as never)
  const [{ number } = assert.fail()] = await invitations()
  const paths = (list: string) =>
    list.split(/\s+/).map((path) => path.replace('EVENT', event).replace('INVITATION', String(number)))
  const stored = async () => {
    const parts = ['', '/flows', '/coworkers', '/deliveries', '/logs']
    const answers = await Promise.all(parts.map((part) => provision(world, 'GET', `/v1/bots/bot-1${part}`)))
    return [answers.map(({ json }) => json), await invitations()]
  }
  const before = await stored()
  const fields = { hosting: 'off', public: 'yes', who: 'stan', label: 'x', user: 'ed', name: 'x' }
  for (const [name, other] of [
    ['ed', 'vi'],
    ['vi', 'ed'],
  ] as const) {
    const browser = await as(name)
    const notFor = (of: { editors: string; owner: string }) =>
      paths(`${of.owner} /coworkers/${other}/removal${name === 'vi' ? ` ${of.editors}` : ''}`)
    const opened = paths(name === 'vi' ? pages.all : `${pages.all} ${pages.editors}`)
    for (const path of opened) {
      const { status, text } = await browser.get(at(`/bots/bot-1${path}`))
      assert.equal(status, 200, `${name} opens ${path}`)
      for (const hidden of notFor(pages)) assert.ok(!text.includes(`href="/bots/bot-1${hidden}"`), `${path}: ${hidden}`)
      for (const hidden of notFor(forms))
        assert.ok(!text.includes(`action="/bots/bot-1${hidden}"`), `${path}: ${hidden}`)
    }
    for (const path of notFor(pages)) {
      assert.equal((await browser.get(at(`/bots/bot-1${path}`))).status, 403, `${name} opens ${path}`)
    }
    for (const path of notFor(forms)) {
      const { status, text } = await send(browser, world, `/bots/bot-1${path}`, fields)
      assert.equal(status, 403, `${name} sends ${path}`)
      assert.match(text, /Ask the owner to do it, or to change your permissions/)
    }
  }

  const stan = await as('stan')
  const without = (text: string) => text.replace(/value="[^"]*"/g, '')
  for (const path of paths(`${Object.values(pages).join(' ')} /coworkers/ed/removal /deliveries/1`)) {
    const [theirs, unknown] = [await stan.get(at(`/bots/bot-1${path}`)), await stan.get(at(`/bots/nothing${path}`))]
    assert.deepEqual([theirs.status, without(theirs.text)], [404, without(unknown.text)], path)
    assert.equal(titleOf(theirs), 'Bot not found · Gatehouse', path)
  }
  for (const path of paths(`${Object.values(forms).join(' ')} /coworkers/ed/removal`)) {
    const theirs = await send(stan, world, `/bots/bot-1${path}`, fields)
    const unknown = await send(stan, world, `/bots/nothing${path}`, fields)
    assert.deepEqual([theirs.status, without(theirs.text)], [404, without(unknown.text)], path)
  }
  assert.equal((await stan.get(at('/bots/%00'))).status, 404)
  assert.deepEqual(await stored(), before)
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene, send } from '../support/bot-people.ts'
import { fieldErrorOf, titleOf } from '../support/page-words.ts'
import { Browser, provision } from '../support/people.ts'
import type { World } from '../support/world.ts'

async function botOf(world: World) {
  return (await provision(world, 'GET', '/v1/bots/bot-1')).json
}

describe('our choice: {base_url}/bots (decision 0024)', () => {
  test('whoever is signed out signs in first, also with a form', async (t) => {
    const { world, at } = await openScene(t)
    const nobody = new Browser()
    for (const path of ['/bots', '/bots/bot-1', '/bots/bot-1/logs', '/bots/bot-1/coworkers', '/bots/nothing']) {
      const answer = await nobody.get(at(path))
      assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'], path)
    }
    const answer = await send(nobody, world, '/bots/bot-1/hosting', { hosting: 'off' })
    assert.equal(answer.status, 403, 'without the cookie no form is taken')
    assert.equal((await botOf(world)).hostingEnabled, true)
  })

  test('lists the bots that one owns or works on with their state; without any it tells how one comes by a bot', async (t) => {
    const { world, as, at } = await openScene(t)
    const own = await (await as('ada')).get(at('/bots'))
    assert.match(own.text, /<a href="\/bots\/bot-1">Weather<\/a>/)
    assert.match(own.text, /Offline/)
    assert.match(own.text, /Never/)
    await world.service.bots.recordHeartbeat([
      { botId: 'bot-1' as never, ready: true, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 },
    ])
    assert.match((await (await as('ada')).get(at('/bots'))).text, /Online/)
    assert.match((await (await as('vi')).get(at('/bots'))).text, /Weather<\/a> <span class="tag">Viewer/)
    const none = await (await as('stan')).get(at('/bots'))
    assert.match(none.text, /You have no bot yet/)
    assert.doesNotMatch(none.text, /Weather/)
  })

  test('many bots are listed page by page', async (t) => {
    const { world, as, at } = await openScene(t)
    for (let number = 0; number < 30; number += 1) {
      const chatPlatformId = `2345678901234567${String(number).padStart(2, '0')}`
      await provision(world, 'PUT', `/v1/bots/b-${number}`, { ownerId: 'stan', name: `B ${number}`, chatPlatformId })
    }
    const stan = await as('stan')
    const count = (text: string) => text.match(/href="\/bots\/b-\d+"/g)?.length
    assert.equal(count((await stan.get(at('/bots'))).text), 25)
    assert.equal(count((await stan.get(at('/bots?page=2'))).text), 5)
    assert.equal(count((await stan.get(at('/bots?page=99'))).text), 5)
    assert.equal(count((await stan.get(at('/bots?page=-1x'))).text), 25)
  })

  test('a stranger gets the same 404 as for an unknown bot, on every page and for every form', async (t) => {
    const { world, as, at } = await openScene(t)
    const stan = await as('stan')
    const without = (text: string) => text.replace(/value="[^"]*"/g, '')
    const pages = ['', '/logs', '/coworkers', '/coworkers/ed', '/coworkers/ed/removal']
    for (const path of pages) {
      const theirs = await stan.get(at(`/bots/bot-1${path}`))
      const unknown = await stan.get(at(`/bots/nothing${path}`))
      assert.equal(theirs.status, 404, path)
      assert.equal(without(theirs.text), without(unknown.text), path)
      assert.equal(titleOf(theirs), 'There is no such bot · Gatehouse')
    }
    const forms = ['/hosting', '/public-status', '/coworkers', '/coworkers/ed', '/coworkers/ed/removal']
    for (const path of forms) {
      const theirs = await send(stan, world, `/bots/bot-1${path}`, { hosting: 'off', public: 'yes' })
      const unknown = await send(stan, world, `/bots/nothing${path}`, { hosting: 'off', public: 'yes' })
      assert.equal(theirs.status, 404, path)
      assert.equal(without(theirs.text), without(unknown.text), path)
    }
    assert.deepEqual([(await botOf(world)).hostingEnabled, (await botOf(world)).publicStatus], [true, false])
    assert.equal((await stan.get(at('/bots/%00'))).status, 404)
  })

  test('a form without its anti-forgery field is refused and changes nothing', async (t) => {
    const { world, as, at } = await openScene(t)
    const browser = await as('ada')
    await browser.get(at('/bots/bot-1'))
    for (const path of ['hosting', 'public-status', 'coworkers', 'coworkers/ed', 'coworkers/ed/removal']) {
      const answer = await browser.post(
        at(`/bots/bot-1/${path}`),
        new URLSearchParams({ hosting: 'off', public: 'yes' }),
      )
      assert.equal(answer.status, 403, path)
    }
    assert.deepEqual([(await botOf(world)).hostingEnabled, (await botOf(world)).publicStatus], [true, false])
    assert.equal((await provision(world, 'GET', '/v1/bots/bot-1/coworkers/ed')).status, 200)
  })
})

describe('our choice: hosting and public status on a bot’s page', () => {
  test('owner and editor switch them, and it holds at once; a viewer is refused and told by whom to be let', async (t) => {
    const { world, as, at } = await openScene(t)
    const status = async () => (await fetch(`${world.baseUrl}/botstatus/bot-1/api`)).status
    for (const name of ['ada', 'ed'] as const) {
      const browser = await as(name)
      const page = await browser.get(at('/bots/bot-1'))
      const off = await browser.submit(page, { hosting: 'off', location: 'cloud' }, '/hosting')
      assert.deepEqual([off.status, off.location?.search], [303, ''])
      assert.match((await browser.onward(off, world)).text, /Hosting is off\. Webhooks that come meanwhile are kept/)
      assert.deepEqual([(await botOf(world)).hostingEnabled, (await botOf(world)).hostingLocation], [false, 'cloud'])
      await browser.submit(page, { hosting: 'on', location: '' }, '/hosting')
      assert.deepEqual([(await botOf(world)).hostingEnabled, (await botOf(world)).hostingLocation], [true, null])
      await browser.submit(page, { public: 'yes' }, '/public-status')
      assert.equal(await status(), 200)
      await browser.submit(await browser.get(at('/bots/bot-1')), { public: 'no' }, '/public-status')
      assert.equal(await status(), 404)
    }
    const vi = await as('vi')
    const page = await vi.get(at('/bots/bot-1'))
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /Save hosting|Make the status public/)
    for (const path of ['hosting', 'public-status']) {
      const answer = await send(vi, world, `/bots/bot-1/${path}`, { hosting: 'off', public: 'yes' })
      assert.equal(answer.status, 403)
      assert.match(answer.text, /Ask the owner to do it, or to let you/)
    }
    assert.deepEqual([(await botOf(world)).hostingEnabled, (await botOf(world)).publicStatus], [true, false])
  })

  test('a capability adds what it names', async (t) => {
    const { world, as, at } = await openScene(t)
    await provision(world, 'PUT', '/v1/bots/bot-1/coworkers/vi', { role: 'viewer', capabilities: ['hosting'] })
    const vi = await as('vi')
    await vi.submit(await vi.get(at('/bots/bot-1')), { hosting: 'off', location: 'local' }, '/hosting')
    assert.equal((await botOf(world)).hostingEnabled, false)
    assert.equal((await send(vi, world, '/bots/bot-1/public-status', { public: 'yes' })).status, 403)
  })

  test('what is no answer to the form changes nothing', async (t) => {
    const { world, as } = await openScene(t)
    const before = await botOf(world)
    const answer = await send(await as('ada'), world, '/bots/bot-1/hosting', { hosting: 'maybe', location: 'moon' })
    assert.equal(answer.status, 303)
    assert.deepEqual(await botOf(world), before)
  })

  test('each change is recorded, with who made it', async (t) => {
    const { world, as, at } = await openScene(t)
    const ed = await as('ed')
    const page = await ed.get(at('/bots/bot-1'))
    await ed.submit(page, { hosting: 'off', location: 'cloud' }, '/hosting')
    await ed.submit(page, { public: 'yes' }, '/public-status')
    const events = (await world.service.audit.after(0, 1_000)).filter(({ kind }) => kind === 'bot-changed')
    assert.deepEqual(
      events.map(({ userId, botId, actor, detail }) => [userId, botId, actor, detail]),
      [
        ['ed', 'bot-1', 'user', { hosting: 'off, cloud' }],
        ['ed', 'bot-1', 'user', { status: 'public' }],
      ],
    )
    assert.match((await ed.get(at('/account/activity'))).text, /You switched the hosting of bot bot-1 off, cloud/)
  })
})

describe('our choice: coworkers on a bot’s page', () => {
  const coworker = async (world: World, userId: string) =>
    (await provision(world, 'GET', `/v1/bots/bot-1/coworkers/${userId}`)).json

  test('the owner adds one by e-mail address or by user id, changes and removes', async (t) => {
    const { world, as, at } = await openScene(t)
    const browser = await as('ada')
    const page = await browser.get(at('/bots/bot-1/coworkers'))
    const added = await browser.submit(
      page,
      { who: ' STAN@example.com ', role: 'viewer', capability: 'keys' },
      '/coworkers',
    )
    assert.deepEqual([added.status, added.location?.search], [303, ''])
    const stan = { botId: 'bot-1', userId: 'stan', role: 'viewer', capabilities: ['keys'] }
    assert.deepEqual(await coworker(world, 'stan'), stan)
    assert.equal((await (await as('stan')).get(at('/bots/bot-1'))).status, 200, 'Stan sees the bot at once')

    const change = { role: 'editor', capability: ['hosting', 'keys', 'everything'] }
    const changed = await send(browser, world, '/bots/bot-1/coworkers/stan', change)
    assert.equal(changed.location?.search, '')
    assert.deepEqual(await coworker(world, 'stan'), { ...stan, role: 'editor', capabilities: ['hosting', 'keys'] })

    const asked = await browser.get(at('/bots/bot-1/coworkers/stan/removal'))
    assert.match(asked.text, /Stan does not see the bot any more, from now on/)
    const removed = await browser.submit(asked, {}, '/removal')
    assert.equal(removed.location?.search, '')
    assert.equal((await (await as('stan')).get(at('/bots/bot-1'))).status, 404, 'and does not any more')

    await browser.submit(page, { who: 'stan', role: 'editor' }, '/coworkers')
    assert.deepEqual(await coworker(world, 'stan'), { ...stan, role: 'editor', capabilities: [] })
    const kinds = (await world.service.audit.after(0, 1_000)).map(({ kind }) => kind)
    assert.deepEqual(
      kinds.filter((kind) => kind.startsWith('coworker')),
      ['coworker-put', 'coworker-put', 'coworker-removed', 'coworker-put'],
    )
  })

  test('capabilities that are the platform’s own stay when the others are changed', async (t) => {
    const { world, as } = await openScene(t)
    await send(await as('ada'), world, '/bots/bot-1/coworkers/ed', { role: 'viewer', capability: 'status' })
    assert.deepEqual((await coworker(world, 'ed')).capabilities, ['status', 'poetry'])
  })

  test('what can not be taken is told beside its field, and what was typed is kept', async (t) => {
    const { world, as, at } = await openScene(t)
    const browser = await as('ada')
    const page = await browser.get(at('/bots/bot-1/coworkers'))
    const faults: [string, RegExp][] = [
      ['', /Enter the e-mail address or the user id/],
      ['no.body@example.com', /No user has this user ID or confirmed email address/],
      ['no body', /No user has this user ID or confirmed email address/],
      ['ada', /You own the bot/],
      ['ed@example.com', /works on the bot already/],
    ]
    for (const [who, words] of faults) {
      const answer = await browser.submit(page, { who, role: 'editor', capability: 'hosting' }, '/coworkers')
      assert.equal(answer.status, 422, who)
      assert.match(fieldErrorOf(answer, 'who'), words)
      assert.match(answer.text, new RegExp(`name="who"[^>]*value="${who}"`))
      assert.match(answer.text, /value="editor" aria-describedby="[^"]*" checked/)
      assert.match(answer.text, /value="hosting" checked/)
    }
    assert.deepEqual(await coworker(world, 'ed'), {
      botId: 'bot-1',
      userId: 'ed',
      role: 'editor',
      capabilities: ['poetry'],
    })
  })

  test('nobody can try out many addresses', async (t) => {
    const { world, as, at } = await openScene(t)
    const browser = await as('ada')
    const page = await browser.get(at('/bots/bot-1/coworkers'))
    for (let guess = 0; guess < 20; guess += 1) {
      await browser.submit(page, { who: `nobody-${guess}@example.com`, role: 'viewer' }, '/coworkers')
    }
    const refused = await browser.submit(page, { who: 'stan@example.com', role: 'viewer' }, '/coworkers')
    assert.equal(refused.status, 429)
    assert.match(fieldErrorOf(refused, 'who'), /Too many were not found\. Try again in 60 minutes\./)
    await world.clock.advance(3_600_001)
    const added = await browser.submit(page, { who: 'stan@example.com', role: 'viewer' }, '/coworkers')
    assert.equal(added.status, 303)
  })

  test('coworkers see each other, change nobody, and may leave', async (t) => {
    const { world, as, at } = await openScene(t)
    for (const name of ['ed', 'vi'] as const) {
      const browser = await as(name)
      const page = await browser.get(at('/bots/bot-1/coworkers'))
      assert.match(page.text, /Ed<br>/)
      assert.doesNotMatch(page.text, /Add a coworker|ed@example\.com/)
      const other = name === 'ed' ? 'vi' : 'ed'
      for (const path of ['coworkers', `coworkers/${other}`, `coworkers/${other}/removal`]) {
        assert.equal(
          (await send(browser, world, `/bots/bot-1/${path}`, { who: 'stan', role: 'editor' })).status,
          403,
          path,
        )
      }
      assert.equal((await browser.get(at(`/bots/bot-1/coworkers/${other}/removal`))).status, 403)
    }
    const ed = await as('ed')
    const asked = await ed.get(at('/bots/bot-1/coworkers/ed/removal'))
    assert.match(asked.text, /Leave Weather\?/)
    const left = await ed.submit(asked, {}, '/removal')
    assert.equal(left.location?.pathname, '/bots')
    assert.match((await ed.onward(left, world)).text, /You do not work on that bot any more/)
    assert.equal((await ed.get(at('/bots/bot-1'))).status, 404)
  })

  test('a coworker who is not there is a 404 of the bot', async (t) => {
    const { as, at } = await openScene(t)
    const answer = await (await as('ada')).get(at('/bots/bot-1/coworkers/stan'))
    assert.equal(answer.status, 404)
    assert.match(titleOf(answer), /Weather has nothing at this address/)
  })
})

describe('our choice: a bot’s logs on its page', () => {
  test('newest first, by level, page by page; viewers read them too', async (t) => {
    const { world, as, at } = await openScene(t)
    const levels = ['debug', 'info', 'warn', 'error'] as const
    const entries = Array.from({ length: 120 }, (_, index) => ({
      at: new Date(world.clock.nowMs() + index * 1_000).toISOString(),
      level: levels[index % 4],
      message: `line ${index}.`,
    }))
    await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
    const vi = await as('vi')
    const lines = (text: string) => [...text.matchAll(/line (\d+)\./g)].map(([, number]) => Number(number))
    const seen: number[] = []
    let address: string | undefined = at('/bots/bot-1/logs')
    for (let pages = 0; address !== undefined; pages += 1) {
      assert.ok(pages < 5)
      const { text } = await vi.get(address)
      seen.push(...lines(text))
      const [, earlier] = /href="([^"]*after=[^"]*)"/.exec(text) ?? []
      address = earlier && at(earlier.replaceAll('&amp;', '&'))
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 120 }, (_, index) => 119 - index),
    )
    assert.equal(lines((await vi.get(at('/bots/bot-1/logs?level=error'))).text).length, 30)
    assert.equal(lines((await vi.get(at('/bots/bot-1/logs?level=debug&after=nonsense'))).text).length, 50)
  })

  test('a bot that logged nothing says what will stand there', async (t) => {
    const { as, at } = await openScene(t)
    assert.match((await (await as('ada')).get(at('/bots/bot-1/logs'))).text, /The bot has logged nothing yet/)
  })

  test('what a bot logs, is called or has for coworkers is text, whatever stands in it', async (t) => {
    const { world, as, at } = await openScene(t)
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
    const bot = { ownerId: 'ada', name: evil, chatPlatformId: '123456789012345678', plan: 'free' }
    await provision(world, 'PUT', '/v1/bots/bot-1', bot)
    await provision(world, 'PUT', '/v1/users/ed', { name: evil })
    await provision(world, 'PUT', '/v1/bots/bot-1/coworkers/ed', { role: 'editor', capabilities: [evil] })
    await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries: [{ level: 'error', message: evil }] })
    const browser = await as('ada')
    for (const path of [
      '',
      '/bot-1',
      '/bot-1/logs',
      '/bot-1/coworkers',
      '/bot-1/coworkers/ed',
      '/bot-1/coworkers/ed/removal',
    ]) {
      const { text, status } = await browser.get(at(`/bots${path}`))
      assert.equal(status, 200)
      assert.doesNotMatch(text, /<script>alert|<img src=x/, path)
      assert.match(text, /&lt;script&gt;alert/, path)
    }
    const echoed = await send(browser, world, '/bots/bot-1/coworkers', { who: evil })
    assert.doesNotMatch(echoed.text, /<script>alert|<img src=x/)
  })

  test('no page is over 60 kB on the wire, whatever a bot has', async (t) => {
    const { world, as, at } = await openScene(t)
    const entries = Array.from({ length: 100 }, () => ({ level: 'error', message: '"&<>'.repeat(1_000) }))
    await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
    for (let number = 0; number < 40; number += 1) {
      const path = `${number}-`.padEnd(100, 'x')
      const flow = { kind: 'event', name: '&'.repeat(100), webhook: { path, requiresKey: true } }
      await provision(world, 'PUT', `/v1/bots/bot-1/flows/flow-${number}`, flow)
    }
    const browser = await as('ada')
    for (let number = 0; number < 30; number += 1) {
      await send(browser, world, `/bots/bot-1/flows/flow-${number}/test`, {})
    }
    for (const path of [
      '',
      '/bot-1',
      '/bot-1/logs',
      '/bot-1/coworkers',
      '/bot-1/flows',
      '/bot-1/flows/flow-1',
      '/bot-1/deliveries',
      '/bot-1/runtimes',
    ]) {
      const { text } = await browser.get(at(`/bots${path}`))
      const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]*)"/g)].map(([, address]) => address as string)
      const sizes = await Promise.all(
        // What fetch hands over is unpacked.
        [...new Set(assets)].map(async (address) => Number((await fetch(at(address))).headers.get('content-length'))),
      )
      const bytes = Buffer.byteLength(text) + sizes.reduce((sum, size) => sum + size, 0)
      assert.ok(bytes > 0 && bytes <= 60_000, `${path} has ${bytes} bytes`)
    }
  })
})

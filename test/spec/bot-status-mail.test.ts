import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { advanceUntil } from '../support/eventually.ts'
import { follow } from '../support/mail-links.ts'
import { type MailSink, openMailSink, type ReceivedMail } from '../support/mail-sink.ts'
import { Browser, provision } from '../support/people.ts'
import { heartbeat, id, openScene as openStatus, putBot, runFor, untilState } from '../support/status-bot.ts'
import type { World } from '../support/world.ts'
import { containsText, inDatabase, storedBytes } from '../support/world-database.ts'

const minute = 60_000
const hour = 60 * minute

describe('our choice: emails about the status of a bot', () => {
  test('a visitor subscribes, confirms, is notified of an outage and of the recovery, and unsubscribes', async (t) => {
    const { world, sink, subscribe } = await openScene(t)
    const requested = await subscribe('eve@example.com')
    assert.match(requested.text, /<h1>Check your inbox<\/h1>/)
    const { subject, text } = await sink.next()
    assert.equal(subject, 'Confirm status emails about “Lantern”')
    const link = linkIn(text)
    const confirmed = await follow(link)
    assert.deepEqual([confirmed.status, headingOf(confirmed)], [200, 'Subscribed'])
    assert.equal(headingOf(await new Browser().get(link)), 'Subscribed')

    await outage(world)
    const down = await sink.next()
    assert.equal(down.to, 'eve@example.com')
    assert.equal(down.subject, 'Lantern is down')
    assert.match(down.text, /Lantern has been down since \d{4}-\d\d-\d\d \d\d:\d\d UTC\./)
    assert.match(down.text, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
    await recovery(world)
    const back = await sink.next()
    assert.equal(back.subject, 'Lantern is back online')
    assert.match(
      back.text,
      /Lantern has been online again since \d{4}-\d\d-\d\d \d\d:\d\d UTC\. It was down for \d+ minutes?, since/,
    )
    assert.match(back.text, new RegExp(`^${world.baseUrl}/botstatus/12345678901234567$`, 'm'))

    const unsubscribe = /Unsubscribe: (\S+)/.exec(back.text)?.[1] ?? ''
    const page = await new Browser().get(unsubscribe)
    assert.equal(headingOf(page), 'Stop emails about Lantern?')
    assert.equal(headingOf(await follow(unsubscribe)), 'Unsubscribed')
    assert.equal(headingOf(await new Browser().get(unsubscribe)), 'Unsubscribed')
    assert.deepEqual(await inDatabase(world, 'identity', 'SELECT * FROM status_subscribers'), [])
    await outage(world)
    await world.clock.advance(hour)
    assert.equal(sink.mails.length, 3)
  })

  test('a mail program unsubscribes with one POST, without form token and with any body (RFC 8058)', async (t) => {
    const { world, sink, confirmedSubscriber } = await openScene(t)
    await confirmedSubscriber('eve@example.com')
    await outage(world)
    const { text } = await sink.next()
    const [, url = ''] = /^List-Unsubscribe: <(\S+)>$/m.exec(text.replace(/\n\s+/g, ' ')) ?? []
    assert.equal(new URL(url).pathname, '/status-mail/one-click')
    const opened = await new Browser().visit(url, world)
    assert.equal(headingOf(opened), 'Stop emails about Lantern?')
    const body = new FormData()
    body.set('List-Unsubscribe', 'One-Click')
    assert.equal((await fetch(url, { method: 'POST', body })).status, 200)
    assert.equal(
      (await fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })).status,
      200,
    )
    assert.deepEqual(await inDatabase(world, 'identity', 'SELECT * FROM status_subscribers'), [])
    assert.equal((await fetch(`${url}0`, { method: 'POST' })).status, 404)
  })

  test('the response to a request is the same whether or not the address is subscribed', async (t) => {
    const { sink, subscribe, confirmedSubscriber } = await openScene(t)
    await confirmedSubscriber('eve@example.com')
    const seen = new Set<string>()
    for (const email of ['eve@example.com', 'new@example.com', 'new@example.com'])
      seen.add((await subscribe(email)).text)
    assert.equal(seen.size, 1)
    await sink.next()
    assert.equal(sink.mails.length, 2)
  })

  test('the form says what is wrong with an address, and limits how many one client enters', async (t) => {
    const { world, subscribe } = await openScene(t)
    for (const [email, said] of [
      ['', 'Enter your email address.'],
      ['nowhere', /email address/],
    ] as const) {
      const { status, text } = await subscribe(email)
      assert.equal(status, 422)
      assert.match(text, new RegExp(said))
    }
    for (let at = 0; at < 20; at += 1) {
      // The pages have a limit per minute.
      if (at === 10) await world.clock.advance(minute)
      assert.equal((await subscribe(`n${at}@example.com`)).status, 200)
    }
    const refused = await subscribe('last@example.com')
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '3540')
    await world.clock.advance(hour)
    assert.equal((await subscribe('last@example.com')).status, 200)
  })

  test('a confirmation link is invalid after 24 hours, after a newer one, and if it was changed', async (t) => {
    const { world, sink, subscribe } = await openScene(t)
    await subscribe('eve@example.com')
    const first = linkIn((await sink.next()).text)
    await world.clock.advance(hour)
    await subscribe('eve@example.com')
    const second = linkIn((await sink.next()).text)
    const token = new URL(second).searchParams.get('token') ?? ''
    const changed = second.replace(token, `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`)
    const asUnsubscribe = second.replace('/confirm', '/unsubscribe')
    for (const invalid of [first, changed, asUnsubscribe, `${world.baseUrl}/status-mail/confirm`]) {
      assert.equal((await new Browser().get(invalid)).status, 404, invalid)
    }
    const browser = new Browser()
    const page = await browser.get(second)
    await world.clock.advance(24 * hour)
    assert.equal((await browser.submit(page, {})).status, 404)
    assert.equal((await browser.get(second)).status, 404)
    const kept = () => inDatabase(world, 'identity', 'SELECT * FROM status_subscribers')
    await advanceUntil(world.clock, async () => (await kept()).length === 0, minute)
  })

  test('brief outages are not mailed, and of many changes at most six in an hour', async (t) => {
    const { world, sink, confirmedSubscriber } = await openScene(t)
    await confirmedSubscriber('eve@example.com')
    for (const state of ['online', 'offline', 'online'] as const) await untilState(world, state)
    await runFor(world, 5 * minute)
    assert.equal(sink.mails.length, 1)
    const subjects: string[] = []
    for (let times = 0; times < 3; times += 1) {
      await outage(world)
      subjects.push((await sink.next()).subject)
      await recovery(world)
      const { subject, text } = await sink.next()
      subjects.push(subject)
      assert.equal(/The next email comes at .* at the earliest/.test(text), times === 2)
    }
    assert.deepEqual(new Set(subjects), new Set(['Lantern is down', 'Lantern is back online']))
    await outage(world)
    await recovery(world)
    await outage(world)
    assert.equal(sink.mails.length, 7)
    await world.clock.advance(hour)
    assert.equal((await sink.next()).subject, 'Lantern is down')
    assert.equal(sink.mails.length, 8)
  })

  test('an address that the mail server refuses stops no other, and mail survives a restart', async (t) => {
    const { world, sink, confirmedSubscriber } = await openScene(t)
    for (const email of ['a@bad.example', 'b@example.com', 'c@example.com']) await confirmedSubscriber(email)
    sink.answer = { code: 550, words: 'no such mailbox' }
    sink.answeredDomain = 'bad.example'
    await outage(world)
    const reached = [(await sink.next()).to, (await sink.next()).to]
    assert.deepEqual(reached.toSorted(), ['b@example.com', 'c@example.com'])
    sink.answer = { code: 451, words: 'not now' }
    sink.answeredDomain = undefined
    await untilState(world, 'online')
    const failed = /\(bot-online\) failed, retrying/
    await advanceUntil(world.clock, () => heartbeat(world) ?? failed.test(world.logs()), 30_000)
    sink.answer = undefined
    await world.restart()
    await world.clock.advance(2 * minute)
    const notified = [await sink.next(), await sink.next(), await sink.next()]
    assert.deepEqual(notified.map(({ to }) => to).toSorted(), ['a@bad.example', 'b@example.com', 'c@example.com'])
  })

  test('subscribers of a bot whose status is no longer public get no mail', async (t) => {
    const { world, sink, ask, confirmedSubscriber } = await openScene(t)
    await confirmedSubscriber('eve@example.com')
    await runFor(world, minute)
    await putBot(world, { publicStatus: false })
    assert.equal((await ask(`${id}/subscribe`)).status, 404)
    await outage(world)
    await world.clock.advance(minute)
    assert.deepEqual(await inDatabase(world, 'identity', 'SELECT kind FROM outgoing_mail'), [])
    assert.equal(sink.mails.length, 1)
  })

  test('mail and pages are in the subscriber’s language', async (t) => {
    const { world, sink, subscribe } = await openScene(t)
    const german = new Browser({}, { 'accept-language': 'de' })
    const requested = await subscribe('eve@example.com', german)
    assert.match(requested.text, /<h1>Sehen Sie in Ihrem Posteingang nach<\/h1>/)
    const { subject, text } = await sink.next()
    assert.equal(subject, 'Bestätigen Sie Status-E-Mails zu „Lantern“')
    await follow(linkIn(text))
    await outage(world)
    const down = await sink.next()
    assert.equal(down.subject, 'Lantern ist ausgefallen')
    assert.match(down.text, /Lantern ist seit \d{4}-\d\d-\d\d \d\d:\d\d UTC ausgefallen\./)
  })

  test('a bot’s name that mail programs would show as a link is not in the confirmation', async (t) => {
    const { world, sink, subscribe } = await openScene(t)
    await putBot(world, { name: 'You won! evil.example/prize' })
    await subscribe('eve@example.com')
    const { subject, text } = await sink.next()
    assert.equal(subject, 'Confirm status emails about 12345678901234567')
    assert.doesNotMatch(text, /evil/)
  })

  test('a bot’s name that mail programs may turn into a link or phone number is replaced by the bot’s ID, other names are not', async (t) => {
    const linkable = [
      'evil.example',
      'evil。example',
      'evil．example',
      'evil｡example',
      '💩.la',
      'evil.💩',
      'evil\u200b.\u200bexample',
      'ev\u200dil',
      '⒈example',
      'mallory@evil',
      'mallory＠evil',
      'tel:110',
      'https://evil',
      'Call +49 30 1234567',
      'Call 030-1234-567',
      'Call ０３０１２３４',
    ]
    const harmless = ['Lantern', 'Dr. Weather', 'Café-Bot (2026)', '🎉 Party & Music!', '天気ボット', 'R2D2, the bot']
    for (const names of [linkable, harmless]) {
      const { world, sink, subscribe } = await openScene(t)
      for (const [n, name] of names.entries()) {
        await putBot(world, { name })
        await subscribe(`eve-${n}@example.com`)
        const { subject, text } = await sink.next()
        const shown = names === linkable ? '12345678901234567' : `“${name}”`
        assert.equal(subject, `Confirm status emails about ${shown}`)
        assert.equal(text.includes(name), names === harmless, name)
      }
    }
  })

  test('mails about outages and recoveries replace such a name too', async (t) => {
    for (const [language, down] of [
      ['en', '12345678901234567 is down'],
      ['de', '12345678901234567 ist ausgefallen'],
    ] as const) {
      const { world, sink, subscribe } = await openScene(t)
      await subscribe('eve@example.com', new Browser({}, { 'accept-language': language }))
      await follow(linkIn((await sink.next()).text))
      await putBot(world, { name: 'evil。example' })
      await outage(world)
      const { subject, text } = await sink.next()
      assert.equal(subject, down)
      assert.doesNotMatch(text, /evil/)
    }
  })

  test('the export of a person has their subscriptions, and deleting the person ends them', async (t) => {
    const { world, confirmedSubscriber } = await openScene(t)
    await provision(world, 'PUT', '/v1/users/eve', { name: 'Eve', email: 'eve@example.com' })
    const requestedAt = isoNow(world)
    await confirmedSubscriber('Eve@example.com')
    const confirmedAt = isoNow(world)
    const { json } = await provision(world, 'GET', '/v1/users/eve/export')
    const { statusSubscriptions } = json as { statusSubscriptions: unknown[] }
    assert.deepEqual(statusSubscriptions, [
      { botId: id, address: 'Eve@example.com', language: 'en', requestedAt, confirmedAt },
    ])
    await provision(world, 'DELETE', '/v1/users/eve')
    assert.deepEqual(await inDatabase(world, 'identity', 'SELECT * FROM status_subscribers'), [])
  })

  test('neither address nor link is logged, and no link is stored', async (t) => {
    const { world, sink, subscribe } = await openScene(t)
    await subscribe('eve@example.com')
    const link = linkIn((await sink.next()).text)
    await follow(link)
    await outage(world)
    const { text } = await sink.next()
    const tokens = [link, /Unsubscribe: (\S+)/.exec(text)?.[1] ?? ''].map(
      (url) => new URL(url).searchParams.get('token') ?? '',
    )
    for (const token of tokens) {
      assert.match(token, /^svc_mt_\w{60,}$/)
      for (const [place, bytes] of Object.entries(await storedBytes(world))) {
        assert.equal(containsText(bytes, token.slice(-64)), false, place)
      }
    }
    for (const secret of [...tokens.map((token) => token.slice(-64)), 'eve@example.com']) {
      assert.equal(world.logs().includes(secret), false, secret)
    }
  })

  test('without a mail server, the status page offers the feed only', async (t) => {
    const { ask } = await openStatus(t)
    assert.doesNotMatch(await (await ask(id)).text(), /subscribe"|Get emails/)
    assert.equal((await ask(`${id}/subscribe`)).status, 404)
  })
})

async function openScene(t: TestContext) {
  const sink = await openMailSink(t)
  const scene = await openStatus(t, {}, { SMTP_URL: sink.url, MAIL_FROM: 'Gatehouse <gate@example.com>' })
  const { world } = scene
  const { next } = sink
  let read = 0
  sink.next = async () => {
    await advanceUntil(world.clock, () => sink.mails.length > read)
    read += 1
    return next()
  }
  const subscribe = async (email: string, browser = new Browser()) => {
    const address = `${world.baseUrl}/botstatus/${id}/subscribe`
    const answer = await browser.submit(await browser.get(address), { email }, '/subscribe')
    return answer.status === 303 ? browser.get(address) : answer
  }
  const confirmedSubscriber = async (email: string) => {
    await subscribe(email)
    await follow(linkIn((await nextTo(sink, email)).text))
  }
  return { ...scene, sink, subscribe, confirmedSubscriber }
}

async function nextTo(sink: MailSink, email: string): Promise<ReceivedMail> {
  const mail = await sink.next()
  assert.equal(mail.to, email)
  return mail
}

/** The bot runs for a moment, then stays silent until its subscribers are notified. */
async function outage(world: World) {
  await untilState(world, 'online')
  await untilState(world, 'offline')
  await world.clock.advance(2 * minute)
}

async function recovery(world: World) {
  await untilState(world, 'online')
  await runFor(world, 2 * minute)
}

const isoNow = ({ clock }: World) => new Date(clock.nowMs()).toISOString()

function linkIn(text: string): string {
  return /^https?:\/\/\S+$/m.exec(text)?.[0] ?? assert.fail(text)
}

function headingOf({ text }: { text: string }): string | undefined {
  return /<h1>(.*?)<\/h1>/.exec(text)?.[1]
}

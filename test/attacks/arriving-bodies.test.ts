import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { rawResponse, writeResponse } from '../../src/http/raw-exchange.ts'
import { ArrivingBodies, RequestBody, ShareFull } from '../../src/http/request-body.ts'
import { Turns } from '../../src/http/turns.ts'
import { type ListeningBot, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { ada, makeToken, provision, signedIn } from '../support/people.ts'
import { type RawAnswer, RawConnection } from '../support/raw-http.ts'
import { openWorld, type World } from '../support/world.ts'

const behindProxy = { TRUST_PROXY: '1', QUEUE_MAX_BYTES_PER_BOT: '10000000000' }
const large = Buffer.alloc(limits.webhookBodyMaxBytes, 'x')
const parties = { address: '203.0.113.7', bot: undefined }
const unavailable = /^\{"error": "Webhook gateway unavailable\."\}$/

const formType = 'application/x-www-form-urlencoded'
const targetOf = ({ botId, path }: ListeningBot) => `/${botId}/${path}`

/** Sends all of the body but its last byte. */
async function begin(t: TestContext, url: string, target: string, address: string, body = large) {
  const sender = await RawConnection.to(t, url)
  const length = `Content-Length: ${body.length}\r\nContent-Type: ${formType}`
  const { host } = new URL(url)
  sender.write(`POST ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${address}\r\n${length}\r\n\r\n`)
  sender.write(body.subarray(1))
  return sender
}

/** Begins `fitting + excess` bodies, and asserts that all in excess, and no others, are refused with 503. */
async function fill(beginNext: (at: number) => Promise<RawConnection>, fitting: number, excess: number, body: RegExp) {
  const refusals: RawAnswer[] = []
  const senders: RawConnection[] = []
  for (let at = 0; at < fitting + excess; at += 1) senders.push(await beginNext(at))
  for (const sender of senders) {
    sender.answer().then(
      (answer) => refusals.push(answer),
      () => {},
    )
  }
  await eventually(() => refusals.length >= excess || undefined)
  assert.equal(refusals.length, excess)
  for (const refusal of refusals) {
    assert.deepEqual([refusal.status, refusal.headers['retry-after']], [503, '1'])
    assert.match(refusal.body, body)
  }
  /** Resets the connections of all senders. Resolves once a request gets this status again. */
  return async (status: number, request: () => Promise<number>) => {
    for (const sender of senders) sender.reset()
    await eventually(async () => (await request()) === status || undefined)
  }
}

async function postLarge({ apiUrl }: World, bot: ListeningBot, address: string): Promise<number> {
  const headers = { 'x-forwarded-for': address }
  return (await fetch(apiUrl + targetOf(bot), { method: 'POST', body: large, headers })).status
}

describe('Memory for arriving bodies is divided among senders', () => {
  const perAddress = Math.floor(limits.arrivingBodiesMaxBytes / 3 / limits.webhookBodyMaxBytes)
  test('130 unfinished webhooks from one IPv6 /64 take its share, and those that arrive whole give it back; other senders of the same bot and of others are accepted', async (t) => {
    const world = await openWorld(t, behindProxy)
    const bot = await provisionListeningBot(world.service)
    const other = await provisionListeningBot(world.service, { botId: 'other' })
    const addressOf = (at: number) => `2001:db8:0:7::${at.toString(16)}`
    const beginNext = (at: number) => begin(t, world.apiUrl, targetOf(bot), addressOf(at))
    const release = await fill(beginNext, perAddress, 130 - perAddress, unavailable)
    assert.equal(await postLarge(world, other, addressOf(0)), 503)
    for (const listening of [bot, other]) assert.equal(await postLarge(world, listening, '198.51.100.7'), 202)
    assert.equal(await postLarge(world, other, '2001:db8:0:8::1'), 202)
    await release(202, () => postLarge(world, bot, addressOf(0)))
    for (let sent = 0; sent < 2 * perAddress; sent += 1) assert.equal(await postLarge(world, bot, addressOf(0)), 202)
  })

  test('unfinished webhooks of one bot from many addresses take the bot’s share; other bots’ webhooks are accepted', async (t) => {
    const world = await openWorld(t, behindProxy)
    const bot = await provisionListeningBot(world.service)
    const other = await provisionListeningBot(world.service, { botId: 'other' })
    const perBot = limits.arrivingBodiesMaxBytes / 2 / limits.webhookBodyMaxBytes
    const beginNext = (at: number) => begin(t, world.apiUrl, targetOf(bot), `203.0.113.${at}`)
    const release = await fill(beginNext, perBot, 10, unavailable)
    assert.match(world.logs(), /"cause":"share-full".+"botId":"greeter","client":"203\.0\.113\.\d+"/)
    assert.equal(await postLarge(world, bot, '198.51.100.7'), 503)
    assert.equal(await postLarge(world, other, '203.0.113.1'), 202)
    const { status } = await fetch(world.apiUrl + targetOf(bot), { method: 'POST', body: 'small' })
    assert.equal(status, 202)
    await release(202, () => postLarge(world, bot, '198.51.100.7'))
  })

  test('a body fits if its bot has no more than is then free, so unfinished webhooks of eight bots leave a ninth', () => {
    const arriving = new ArrivingBodies()
    const reserve = (n: number) => arriving.reserve(large.length, { address: `192.0.2.${n}`, bot: `bot-${n % 8}` })
    const refusals = Array.from({ length: 200 }, (_, n) => reserve(n)).filter((refusal) => refusal instanceof ShareFull)
    assert.equal(200 - refusals.length, Math.floor(((limits.arrivingBodiesMaxBytes / large.length) * 8) / 9))
  })

  test('unfinished webhooks to an unknown bot or path take no share', async (t) => {
    const world = await openWorld(t, behindProxy)
    const bot = await provisionListeningBot(world.service)
    for (const target of ['/nobody/hooks/orders', `/${bot.botId}/nothing`]) {
      for (let at = 0; at < perAddress; at += 1) {
        const sender = await begin(t, world.apiUrl, target, '203.0.113.7')
        assert.equal((await sender.answer()).status, 404)
      }
    }
    assert.equal(await postLarge(world, bot, '203.0.113.7'), 202)
  })

  test('OAuth requests whose bodies end at once are handled in turn with those of other addresses', async (t) => {
    const world = await openWorld(t, behindProxy)
    const manyParameters = Buffer.from('a&'.repeat(limits.oauthBodyMaxBytes / 2))
    const beginNext = () => begin(t, world.baseUrl, '/api/oauth/token', '203.0.113.7', manyParameters)
    const flood = await Promise.all(Array.from({ length: 60 }, beginNext))
    let [unanswered, answeredMeanwhile] = [flood.length, 0]
    const token = () =>
      fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST', headers: { 'x-forwarded-for': '198.51.100.7' } })
    await token()
    for (const sender of flood) {
      sender.write('&')
      sender.answer().then(() => {
        unanswered -= 1
      })
    }
    while (unanswered > 0) {
      await token()
      answeredMeanwhile += 1
    }
    assert.ok(answeredMeanwhile >= 8, `${answeredMeanwhile} answered meanwhile`)
  })

  /** Returns requests of one address whose bodies have arrived whole, in chunks, while another address has a request. */
  function arrived<Read>(
    count: number,
    chunks: readonly Buffer[],
    read: (request: ServerResponse, turns: Turns) => Read,
  ) {
    const turns = new Turns(() => true)
    turns.take(new IncomingMessage(new Socket()), () => {})
    return Array.from({ length: count }, () => {
      const message = new IncomingMessage(new Socket())
      message.headers = { 'x-forwarded-for': parties.address, 'transfer-encoding': 'chunked' }
      const response = new ServerResponse(message)
      turns.readInTurn(message)
      const reading = read(response, turns)
      message.complete = true
      for (const chunk of [...chunks, null]) message.push(chunk)
      return { message, reading }
    })
  }
  const bodyOf = ({ req }: ServerResponse, turns: Turns, arriving = new ArrivingBodies()) =>
    new RequestBody(req, { maxBytes: limits.arrivingBodiesMaxBytes, arriving, partiesOf: () => parties, turns })

  test('a body that waits for its turn still takes its share', async () => {
    const arriving = new ArrivingBodies()
    const bytes = Math.floor(limits.arrivingBodiesMaxBytes / 3)
    const bodies = arrived(2, [Buffer.alloc(bytes / 2)], (response, turns) => bodyOf(response, turns, arriving))
    await Promise.all(bodies.map(({ message }) => once(message, 'close')))
    assert.ok(arriving.reserve(bytes, parties) instanceof ShareFull)
    await Promise.all(bodies.map(({ reading }) => reading.whole()))
    assert.equal(arriving.reserve(bytes, parties), undefined)
  })

  const refuse = (response: ServerResponse) =>
    writeResponse(response, rawResponse(413, []), { last: false, bodyMaxBytes: 0 })
  for (const [kind, read] of Object.entries({ accepted: bodyOf, refused: refuse })) {
    test(`large bodies that are ${kind} are read in turn, not all at once`, async () => {
      const bodies = arrived(20, Array(10).fill(Buffer.alloc(65_536)), (response, turns) => read(response, turns))
      const ends = Promise.all(bodies.map(({ message }) => once(message, 'end')))
      await new Promise((resolve) => setImmediate(resolve))
      const waiting = bodies.reduce((sum, { message }) => sum + message.readableLength, 0)
      assert.ok(waiting >= 100 * 65_536, `${waiting} bytes wait`)
      await ends
    })
  }

  test('every listener lets the parts of large bodies wait for their turn', async (t) => {
    const world = await openWorld(t)
    const pause = t.mock.method(IncomingMessage.prototype, 'pause')
    const body = large.subarray(0, 100_000)
    for (const url of [`${world.apiUrl}/bot/path`, `${world.baseUrl}/sign-in`, `${world.portalUrl}/apps/new`]) {
      const before = pause.mock.callCount()
      await fetch(url, { method: 'POST', body, headers: { 'content-type': formType } })
      assert.ok(pause.mock.callCount() > before, url)
    }
  })

  const tooMuch = /Too much data is arriving at once. Nothing was changed./
  for (const [listener, form, refusal, taken] of [
    ['baseUrl', '/api/oauth/token', /"error":"temporarily_unavailable"/, 401],
    ['baseUrl', '/sign-in', tooMuch, 403],
    ['portalUrl', '/apps/new', tooMuch, 403],
  ] as const) {
    test(`unfinished posts to ${form} from one address take its share; other clients and small posts are answered`, async (t) => {
      const world = await openWorld(t, behindProxy)
      const url = world[listener]
      const body = Buffer.alloc(limits.requestBodyMaxBytes, 'x')
      const fitting = Math.floor(limits.arrivingBodiesMaxBytes / 3 / limits.requestBodyMaxBytes)
      const release = await fill(() => begin(t, url, form, '203.0.113.7', body), fitting, 10, refusal)
      const post = async (target: string, address: string, sent: string | Buffer<ArrayBuffer> = body, more = {}) => {
        const headers = { 'content-type': formType, 'x-forwarded-for': address, ...more }
        return (await fetch(url + target, { method: 'POST', body: sent, headers })).status
      }
      assert.deepEqual([await post(form, '203.0.113.7'), await post(form, '203.0.113.7', 'small')], [503, taken])
      assert.equal(await post(form, '198.51.100.7'), taken)
      if (form === '/sign-in') {
        const { name, email, password } = ada
        await provision(world, 'PUT', '/v1/users/ada', { name, email, password })
        const token = await makeToken(await signedIn(world), world)
        const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        for (const [target, more, elsewhere] of [
          ['/sign-in/passkey/challenge', {}, 403],
          ['/api/v1/runtimes', json, 400],
        ] as const) {
          assert.equal(await post(target, '203.0.113.7', body, more), 503)
          assert.equal(await post(target, '198.51.100.7', body, more), elsewhere)
        }
      }
      await release(taken, () => post(form, '203.0.113.7'))
      if (listener === 'portalUrl') {
        for (let sent = 0; sent < fitting; sent += 1) assert.equal(await post(form, '203.0.113.7'), taken)
      }
    })
  }
})

describe('A body that arrives too slowly is closed with 408', () => {
  const listeners = [
    ['apiUrl', '/greeter/hooks/orders'],
    ['baseUrl', '/api/oauth/token'],
    ['baseUrl', '/sign-in'],
    ['portalUrl', '/apps/new'],
  ] as const
  for (const framing of ['Content-Length: 50000', 'Transfer-Encoding: chunked']) {
    test(`with ${framing}, a sender that stops or trickles gets 408 within two checks`, async (t) => {
      const world = await openWorld(t, {}, { timeouts: { bodyCheckInterval: 50 } })
      await provisionListeningBot(world.service)
      for (const [listener, target] of listeners) {
        for (const trickles of [false, true]) {
          const sender = await RawConnection.to(t, world[listener])
          sender.write(`POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\n${framing}\r\n\r\n`)
          sender.write(framing.startsWith('T') ? `2710\r\n${'x'.repeat(10_000)}\r\n` : 'x'.repeat(10_000))
          const drip = setInterval(() => trickles && sender.write(framing.startsWith('T') ? '1\r\nx\r\n' : 'x'), 20)
          t.after(() => clearInterval(drip))
          const { status, headers } = await sender.answer()
          clearInterval(drip)
          assert.deepEqual([target, status, headers.connection], [target, 408, 'close'])
          await sender.ended()
        }
      }
      assert.equal((await world.service.queue.figures()).accepted, 0)
    })
  }

  test('a body that arrives slowly but steadily is accepted', async (t) => {
    const world = await openWorld(t, {}, { timeouts: { bodyCheckInterval: 1_500 } })
    const bot = await provisionListeningBot(world.service)
    const sender = await RawConnection.to(t, world.apiUrl)
    sender.write(`POST ${targetOf(bot)} HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n`)
    let sent = 0
    const drip = setInterval(() => {
      if (sent < 100) sender.write('x'.repeat(1_000))
      sent += 1
    }, 40)
    t.after(() => clearInterval(drip))
    assert.equal((await sender.answer()).status, 202)
  })
})

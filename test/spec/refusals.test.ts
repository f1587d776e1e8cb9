import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { adaWithClient, postForm } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

/**
 * Returns the fields of log lines that have this message at level info or above. Leaves out the fields that every line
 * has.
 */
function linesOf(world: World, message: string): object[] {
  return world
    .logs()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level >= 30)
    .map(({ level, time, pid, hostname, msg, ...fields }) => fields)
}

async function figure(world: World, name: string): Promise<number> {
  const text = await (await fetch(`${world.controlUrl}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}

describe('our choice: refused requests are counted by cause and logged in a bounded number of lines', () => {
  test('webhooks with a wrong key are logged with bot and address: the first immediately, repetitions once a minute', async (t) => {
    useOwnWorld(t)
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service, { requiresKey: true })
    const post = async () => {
      const headers = { 'svc-key': 'a-wrong-key' }
      const { status } = await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', headers, body: 'x' })
      assert.equal(status, 401)
    }
    const subject = { cause: 'key-rejected', botId: bot.botId, client: '127.0.0.1' }
    for (let n = 0; n < 20; n += 1) await post()
    assert.deepEqual(linesOf(world, 'webhook rejected'), [subject])
    assert.equal(await figure(world, 'gatehouse_webhooks_refused_total{cause="key-rejected"}'), 20)
    await world.clock.advance(60_000)
    assert.deepEqual(linesOf(world, 'webhook rejected (repeated)'), [{ ...subject, count: 19 }])
    await post()
    await world.clock.advance(60_000)
    assert.deepEqual(linesOf(world, 'webhook rejected (repeated)').slice(1), [{ ...subject, count: 1 }])
    await world.clock.advance(120_000)
    await post()
    assert.deepEqual(
      linesOf(world, 'webhook rejected'),
      [subject, subject],
      'after a quiet minute the next one is logged immediately',
    )
  })

  test('webhooks to nonexistent bots are logged once per address, up to a hundred lines, plus one summary line for the rest', async (t) => {
    useOwnWorld(t)
    const world = await openWorld(t, { TRUST_PROXY: '1' })
    const post = async (n: number, address: string) => {
      const headers = { 'x-forwarded-for': address }
      assert.equal((await fetch(`${world.apiUrl}/bot-${n}/path`, { method: 'POST', headers })).status, 404)
    }
    for (let n = 0; n < 20; n += 1) await post(n, '203.0.113.7')
    const subject = { cause: 'bot-unknown', client: '203.0.113.7' }
    assert.deepEqual(linesOf(world, 'webhook rejected'), [subject])
    for (let n = 1; n < 250; n += 1) await post(n, `198.51.100.${n}`)
    assert.equal(linesOf(world, 'webhook rejected').length, 100)
    await world.stop()
    assert.deepEqual(linesOf(world, 'webhook rejected (repeated)'), [
      { ...subject, count: 19 },
      { cause: 'bot-unknown', subjects: 'many', count: 150 },
    ])
  })

  test('failed client authentications are logged with client, route and address, and without secrets', async (t) => {
    useOwnWorld(t)
    const world = await openWorld(t)
    const { clientId } = await adaWithClient(world)
    const token = (client_id: string) =>
      postForm(`${world.baseUrl}/api/oauth/token`, {
        grant_type: 'refresh_token',
        refresh_token: 'x',
        client_id,
        client_secret: 'not-the-secret-of-this-client',
      })
    for (let n = 0; n < 30; n += 1) assert.equal((await token(clientId)).status, 401)
    assert.equal((await token('a-password-in-the-wrong-field')).status, 401)
    const at = { route: '/api/oauth/token', client: '127.0.0.1' }
    const reason = 'client-authentication-failed'
    assert.deepEqual(linesOf(world, 'OAuth request rejected'), [
      { ...at, cause: 'client-secret-wrong', clientId, reason, detail: 'client-secret-wrong' },
      { ...at, cause: 'client-unknown', reason, detail: 'client-unknown' },
    ])
    const counted = (cause: string) => `gatehouse_oauth_refusals_total{route="/api/oauth/token",cause="${cause}"}`
    assert.equal(await figure(world, counted('client-secret-wrong')), 30)
    assert.equal(await figure(world, counted('client-unknown')), 1)
    await world.stop()
    assert.deepEqual(linesOf(world, 'OAuth request rejected (repeated)'), [
      { ...at, cause: 'client-secret-wrong', clientId, count: 29 },
    ])
    for (const text of ['not-the-secret', 'a-password-in']) assert.ok(!world.logs().includes(text), text)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAnswer, assertProblem, botBody, openScene } from './provisioning-scene.ts'

describe('PUT /v1/bots/{botId}', () => {
  const withoutTime = {
    id: 'bot-1',
    ...botBody,
    avatar: null,
    plan: 'free',
    hostingEnabled: false,
    hostingLocation: null,
    publicStatus: false,
  }
  const whole = {
    avatar: 'https://cdn.example/bot.png',
    plan: 'pro-2',
    hostingEnabled: true,
    hostingLocation: 'local',
    publicStatus: true,
  }

  test('PUT creates a bot (201) or changes it (200); absent members are kept, and null clears them', async (t) => {
    const { put, get, madeAt: createdAt } = await openScene(t)
    const record = { ...withoutTime, createdAt }
    const two = { ...botBody, chatPlatformId: '12345678901234568' }
    assertAnswer(await put('bots/bot-2', two), 201, { ...record, ...two, id: 'bot-2' })
    assertAnswer(await put('bots/bot-1', { ...botBody, ...whole }), 200, { ...record, ...whole })
    assertAnswer(await put('bots/bot-1', botBody), 200, { ...record, ...whole })
    assertAnswer(await get('bots/bot-1'), 200, { ...record, ...whole })
    const nulls = Object.fromEntries(Object.keys(whole).map((member) => [member, null]))
    assertAnswer(await put('bots/bot-1', { ...botBody, ...nulls }), 200, record)
    assertProblem(await get('bots/nobody'), 404, /no bot nobody/)
  })

  test('a bot with an unknown owner or invalid values returns 400; a chat-platform ID that another bot has returns 409', async (t) => {
    const { put } = await openScene(t)
    for (const [member, value] of [
      ['ownerId', 'nobody'],
      ['ownerId', 'not an id'],
      ['chatPlatformId', 'abc'],
      ['plan', 'Pro'],
      ['plan', 'x'.repeat(33)],
      ['avatar', 'javascript:alert(1)'],
      ['avatar', 'picture.png'],
      ['hostingLocation', 'moon'],
      ['name', '  '],
      ['name', 'x'.repeat(101)],
    ] as const) {
      assertProblem(await put('bots/bot-1', { ...botBody, [member]: value }), 400, [`#/${member}`])
    }
    assertProblem(await put('bots/bot-2', botBody), 409, ['#/chatPlatformId'])
  })

  test('DELETE soft-deletes a bot (204); a new bot can use the same ID and chat-platform ID', async (t) => {
    const { put, get, remove, madeAt: createdAt } = await openScene(t)
    await put('bots/bot-1', { ...botBody, ...whole })
    await put('bots/bot-1/guilds', { guildIds: ['1'] })
    const answer = await remove('bots/bot-1')
    assert.deepEqual([answer.status, answer.json], [204, undefined])
    for (const path of ['bots/bot-1', 'bots/bot-1/guilds', 'bots/bot-1/logs'])
      assertProblem(await get(path), 404, /no bot bot-1/)
    assertProblem(await remove('bots/bot-1'), 404, /no bot bot-1/)
    assertAnswer(await put('bots/bot-1', botBody), 201, { ...withoutTime, createdAt })
    assertAnswer(await get('bots/bot-1/guilds'), 200, { botId: 'bot-1', guildIds: [] })
  })
})

describe('PUT /v1/bots/{botId}/coworkers/{userId}', () => {
  test('PUT creates a coworker (201) or changes the coworker’s role and capabilities (200); our choice: DELETE removes the coworker (204)', async (t) => {
    const { put, get, remove } = await openScene(t)
    const path = 'bots/bot-1/coworkers/bob'
    const record = { botId: 'bot-1', userId: 'bob', role: 'viewer', capabilities: ['read logs', 'ключи'] }
    const { role, capabilities } = record
    assertAnswer(await put(path, { role, capabilities }), 201, record)
    assertAnswer(await put(path, { role: 'editor', capabilities: [] }), 200, {
      ...record,
      role: 'editor',
      capabilities: [],
    })
    assertAnswer(await get(path), 200, { ...record, role: 'editor', capabilities: [] })
    assertProblem(await get('bots/bot-1/coworkers/ada'), 404, /no coworker ada/)
    assert.equal((await remove(path)).status, 204)
    assertProblem(await get(path), 404, /no coworker bob/)
    for (const gone of [path, 'bots/nobody/coworkers/bob']) assertProblem(await remove(gone), 404, /no coworker bob/)
  })

  test('a coworker with an unknown bot or user, with invalid values, or who is the bot’s owner returns 400', async (t) => {
    const { put } = await openScene(t)
    const body = { role: 'viewer', capabilities: [] }
    assertProblem(await put('bots/nobody/coworkers/bob', body), 400, /no such bot/)
    assertProblem(await put('bots/bot-1/coworkers/nobody', body), 400, /no such user/)
    assertProblem(await put('bots/bot-1/coworkers/ada', body), 400, /owns the bot/)
    const put1 = (change: object) => put('bots/bot-1/coworkers/bob', { ...body, ...change })
    assertProblem(await put1({ role: 'owner' }), 400, ['#/role'])
    assertProblem(await put1({ capabilities: ['', 'x'.repeat(65)] }), 400, ['#/capabilities/0', '#/capabilities/1'])
    assertProblem(await put1({ capabilities: 'all' }), 400, ['#/capabilities'])
  })
})

test('PUT /v1/bots/{botId}/guilds replaces a bot’s list of servers and removes duplicate IDs; DELETE empties it, even if it is empty already', async (t) => {
  const { put, get, remove } = await openScene(t)
  assertAnswer(await get('bots/bot-1/guilds'), 200, { botId: 'bot-1', guildIds: [] })
  const record = { botId: 'bot-1', guildIds: ['22345678901234567', '12345678901234567'] }
  const guildIds = [...record.guildIds, record.guildIds[0]]
  assertAnswer(await put('bots/bot-1/guilds', { guildIds }), 200, record)
  assertAnswer(await get('bots/bot-1/guilds'), 200, record)
  assertProblem(await put('bots/bot-1/guilds', { guildIds: ['a b'] }), 400, ['#/guildIds/0'])
  assertProblem(await put('bots/nobody/guilds', { guildIds: [] }), 400, /no such bot/)
  for (const _ of ['filled', 'empty']) {
    const { status, json } = await remove('bots/bot-1/guilds')
    assert.deepEqual([status, json], [204, undefined])
    assertAnswer(await get('bots/bot-1/guilds'), 200, { botId: 'bot-1', guildIds: [] })
  }
  assertProblem(await remove('bots/nobody/guilds'), 404, /no bot nobody/)
})

describe('POST /v1/bots/{botId}/logs', () => {
  test('POST appends log entries with their own time or the current time; GET returns the latest hundred, newest first; DELETE deletes those of this bot only', async (t) => {
    const { put, post, get, remove, madeAt } = await openScene(t)
    const early = { at: '2026-01-05T12:30:00+01:00', level: 'warn', message: 'early' }
    const appended = await post('bots/bot-1/logs', { entries: [{ level: 'info', message: 'now' }, early] })
    const entries = [
      { at: madeAt, level: 'info', message: 'now' },
      { ...early, at: '2026-01-05T11:30:00.000Z' },
    ]
    assertAnswer(appended, 201, { botId: 'bot-1', entries })
    assertAnswer(await get('bots/bot-1/logs'), 200, { botId: 'bot-1', entries })
    await post('bots/bot-1/logs', { entries: Array.from({ length: 150 }, () => ({ level: 'debug', message: 'x' })) })
    assert.equal((await get('bots/bot-1/logs')).json.entries.length, 100)

    await put('bots/bot-2', { ...botBody, chatPlatformId: '22345678901234567' })
    await post('bots/bot-2/logs', { entries: [{ level: 'info', message: 'now' }] })
    const { status, json } = await remove('bots/bot-1/logs')
    assert.deepEqual([status, json], [204, undefined])
    assertAnswer(await get('bots/bot-1/logs'), 200, { botId: 'bot-1', entries: [] })
    assert.equal((await get('bots/bot-2/logs')).json.entries.length, 1)
    assertProblem(await remove('bots/nobody/logs'), 404, /no bot nobody/)
  })

  test('an invalid log entry or an unknown bot returns 400, and nothing is appended', async (t) => {
    const { post, get } = await openScene(t)
    const good = { level: 'info', message: 'x' }
    for (const [entry, where] of [
      [{ ...good, level: 'fatal' }, '#/entries/1/level'],
      [{ ...good, message: '' }, '#/entries/1/message'],
      [{ ...good, message: 'x'.repeat(4_097) }, '#/entries/1/message'],
      [{ ...good, at: 'yesterday' }, '#/entries/1/at'],
      [{ ...good, at: '2026-13-01T00:00:00Z' }, '#/entries/1/at'],
      [{ ...good, at: '2026-01-05T12:00:00' }, '#/entries/1/at'],
      [{ ...good, extra: 1 }, '#/entries/1/extra'],
    ] as const) {
      assertProblem(await post('bots/bot-1/logs', { entries: [good, entry] }), 400, [where])
    }
    assertProblem(await post('bots/bot-1/logs', { entries: [] }), 400, ['#/entries'])
    assertProblem(await post('bots/nobody/logs', { entries: [good] }), 400, /no such bot/)
    assertAnswer(await get('bots/bot-1/logs'), 200, { botId: 'bot-1', entries: [] })
  })
})

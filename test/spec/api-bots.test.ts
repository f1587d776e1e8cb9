import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswer, assertProblem, botBody, openApis, openScene } from './provisioning-scene.ts'

test('a bot with another bot’s chat-platform ID returns 409; a coworker returns 400 if the bot or user is unknown, or if the user owns the bot', async (t) => {
  const { put, get, remove } = await openScene(t)
  assertProblem(await put('bots/bot-2', botBody), 409, ['#/chatPlatformId'])
  const coworker = { role: 'viewer', capabilities: [] }
  assertProblem(await put('bots/nobody/coworkers/bob', coworker), 400, /no such bot/)
  assertProblem(await put('bots/bot-1/coworkers/nobody', coworker), 400, /no such user/)
  assertProblem(await put('bots/bot-1/coworkers/ada', coworker), 400, /owns the bot/)
  assertProblem(await get('bots/bot-1/coworkers/ada'), 404, /no coworker ada/)
  assertProblem(await remove('bots/nobody/coworkers/bob'), 404, /no coworker bob/)
})

test('PUT /v1/bots/{botId}/guilds replaces a bot’s list of servers and removes duplicate IDs; DELETE empties it, even if it is empty already', async (t) => {
  const { put, get, remove } = await openScene(t)
  assertAnswer(await get('bots/bot-1/guilds'), 200, { botId: 'bot-1', guildIds: [] })
  const record = { botId: 'bot-1', guildIds: ['22345678901234567', '12345678901234567'] }
  const guildIds = [...record.guildIds, record.guildIds[0]]
  assertAnswer(await put('bots/bot-1/guilds', { guildIds }), 200, record)
  assertAnswer(await get('bots/bot-1/guilds'), 200, record)
  assertProblem(await put('bots/nobody/guilds', { guildIds: [] }), 400, /no such bot/)
  for (const _ of ['filled', 'empty']) {
    const { status, json } = await remove('bots/bot-1/guilds')
    assert.deepEqual([status, json], [204, undefined])
    assertAnswer(await get('bots/bot-1/guilds'), 200, { botId: 'bot-1', guildIds: [] })
  }
  for (const api of [get, remove]) assertProblem(await api('bots/nobody/guilds'), 404, /no bot nobody/)
})

test('POST /v1/bots/{botId}/logs appends log entries with their own time or the current time; GET returns the latest hundred, newest first; DELETE deletes those of this bot only', async (t) => {
  const { put, post, get, remove, madeAt } = await openScene(t)
  const early = { at: '2026-01-05T12:30:00+01:00', level: 'warn', message: '🪵'.repeat(4_096) }
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
  for (const api of [get, remove]) assertProblem(await api('bots/nobody/logs'), 404, /no bot nobody/)
  assertProblem(await post('bots/nobody/logs', { entries: [{ level: 'info', message: 'now' }] }), 400, /no such bot/)
})

const bot = {
  id: 'bot-1',
  name: 'Weather',
  chatPlatformId: '123456789012345678',
  avatar: null,
  plan: 'free',
  role: 'owner',
  state: 'offline',
  hostingEnabled: true,
  hostingLocation: null,
  publicStatus: false,
}

test('our choice: in the API for owners, GET returns a bot and its status record, whether or not the status is public; PUT switches hosting and public status; an absent location keeps its value', async (t) => {
  const { world, tokenOf, own } = await openApis(t)
  const viewerToken = await tokenOf('vi')
  const get = (path: string) => own('GET', path, undefined, viewerToken)
  const createdAt = world.clock.iso()
  assertAnswer(await get('bots/bot-1'), 200, { ...bot, role: 'viewer', createdAt })
  assertAnswer(await get('bots/bot-1/status'), 200, {
    online: false,
    chatPlatformId: bot.chatPlatformId,
    name: 'Weather',
    hostingEnabled: true,
    hostingLocation: null,
    presence: null,
    uptimeMs: null,
    reportedAt: null,
    guildCount: null,
    shardCount: null,
    checkedAt: world.clock.nowMs(),
  })
  assertProblem(await get('bots/none'), 404, /^There is no such bot/)

  const put = (path: string, body: object) => own('PUT', `bots/bot-1/${path}`, body)
  const inCloud = { ...bot, createdAt, hostingLocation: 'cloud' }
  assertAnswer(await put('hosting', { enabled: true, location: 'cloud' }), 200, inCloud)
  const off = { ...inCloud, hostingEnabled: false, state: 'hosting-off' }
  assertAnswer(await put('hosting', { enabled: false }), 200, off)
  assertAnswer(await put('public-status', { enabled: true }), 200, { ...off, publicStatus: true })
  assert.equal((await fetch(`${world.baseUrl}/botstatus/bot-1/api`)).status, 200)
  assertProblem(await put('public-status', {}), 400, ['#/enabled'])
})

test('our choice: in the API for owners, GET lists a bot’s log entries from a given level up, newest first', async (t) => {
  const { world, tokenOf, operate, own } = await openApis(t)
  const viewerToken = await tokenOf('vi')
  const entries = ['debug', 'info', 'warn', 'error'].map((level, n) => ({ level, message: `entry ${n}` }))
  await operate('POST', 'bots/bot-1/logs', { entries })
  const list = (level: string) => own('GET', `bots/bot-1/logs?level=${level}`, undefined, viewerToken)
  const shown = entries.toReversed().map((entry) => ({ at: world.clock.iso(), ...entry }))
  assertAnswer(await list('debug'), 200, { items: shown, next: null })
  assertAnswer(await list('warn'), 200, { items: shown.slice(0, 2), next: null })
  assertProblem(await list('fatal'), 400, /^The parameter level is malformed/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { provision } from '../support/people.ts'
import { assertAnswer, assertProblem, botBody, openScene } from './provisioning-scene.ts'

interface Kind {
  path: string
  /** The members that each PUT must send, and new values for them. */
  required: object
  moved: object
  /** Members that a PUT may send. If absent, they are kept; `null` clears them. */
  optional?: object
  /** The record's other members while no optional member is set. */
  record: object
  /** The members of the record that differ once all optional members are set. */
  whole?: object
  /** A secret that only the response to the first PUT has, and the members of the record that depend on it. */
  secret?: [member: string, pattern: RegExp]
  // biome-ignore lint/suspicious/noExplicitAny: any member of a response
  generated?(first: any): object
}

const settings = { keyLastFour: null, ordered: false, signature: null, dedupe: null }
const accounts = { email: 'Grace@Example.com', chatPlatformId: '12345678901234567', codeHostingId: '🐙'.repeat(64) }
const bot = { avatar: 'https://cdn.example/bot.png', plan: 'pro-2', hostingEnabled: true, publicStatus: true }
const application = { environment: 'development', firstParty: true, verified: true, requirePkce: true }
const site = { websiteUrl: 'https://client.example', redirectUris: ['https://client.example/callback'] }
const flow = { publicCode: 'AB-12', webhook: { path: 'a/b-c_d.e~f', requiresKey: false } }

const kindsMadeAt = (createdAt: string): Kind[] => [
  {
    path: 'users/grace',
    required: { name: 'Grace' },
    moved: { name: 'Grace H.' },
    optional: { ...accounts, password: 'correct horse battery', pin: '1234' },
    record: {
      ...{ id: 'grace', createdAt, email: null, chatPlatformId: null, codeHostingId: null },
      ...{ hasPassword: false, hasPin: false, disabled: false },
    },
    whole: { ...accounts, hasPassword: true, hasPin: true },
  },
  {
    path: 'applications/acme',
    required: { ...site, ownerId: 'ada', name: 'Acme' },
    moved: { name: 'Acme 2', websiteUrl: 'https://two.example', redirectUris: ['http://localhost:3000/'] },
    optional: application,
    record: {
      ...{ id: 'acme', createdAt, environment: 'production', firstParty: false },
      ...{ verified: false, requirePkce: false, disabled: false },
    },
    whole: application,
    secret: ['clientSecret', /^svc_cs_[A-Za-z0-9]{43,}$/],
    generated({ clientId, clientSecret }) {
      assert.match(clientId, /^svc_ci_[A-Za-z0-9]+$/)
      return { clientId, clientSecretLastFour: clientSecret.slice(-4) }
    },
  },
  {
    path: 'bots/bot-2',
    required: { ...botBody, chatPlatformId: '12345678901234568' },
    moved: { name: 'Another', ownerId: 'bob', chatPlatformId: '12345678901234569' },
    optional: { ...bot, hostingLocation: 'local' },
    record: {
      ...{ id: 'bot-2', createdAt, avatar: null, plan: 'free' },
      ...{ hostingEnabled: false, hostingLocation: null, publicStatus: false },
    },
    whole: { ...bot, hostingLocation: 'local' },
  },
  {
    path: 'bots/bot-1/coworkers/bob',
    required: { role: 'viewer', capabilities: ['read logs', 'ключи'] },
    moved: { role: 'editor', capabilities: [] },
    record: { botId: 'bot-1', userId: 'bob' },
  },
  {
    path: 'bots/bot-1/flows/hook',
    required: { kind: 'event', name: 'Hook' },
    moved: { name: 'Another' },
    optional: flow,
    record: { botId: 'bot-1', id: 'hook', publicCode: null, webhook: null },
    whole: { ...flow, webhook: { ...settings, ...flow.webhook } },
  },
  {
    path: 'runtimes/rack-1',
    required: { name: 'Rack 1', botIds: ['bot-1'] },
    moved: { name: 'Rack one', botIds: '*' },
    record: { id: 'rack-1', createdAt, ownerId: null },
    secret: ['key', /^svc_rk_[A-Za-z0-9]{43,}$/],
    generated({ key, keys: [{ number }] }) {
      const lastFour = key.slice(-4)
      const keys = [{ number, lastFour, madeAt: createdAt, lastUsedAt: null, endsAt: null }]
      return { keyLastFour: lastFour, keys }
    },
  },
  {
    path: 'scopes/bots.write',
    required: { description: 'Change your bots' },
    moved: { description: 'Change what your bots do' },
    record: { scope: 'bots.write' },
  },
  {
    path: 'subscriptions/ops',
    required: { url: 'https://ops.example/events?a=b', types: ['bot.offline', 'delivery.dead'] },
    moved: { url: 'https://ops.example/', types: ['bot.online'] },
    optional: { enabled: false },
    whole: { enabled: false, disabledBecause: 'switched-off' },
    record: {
      ...{ id: 'ops', createdAt, ownerId: null, format: 'standard' },
      ...{ enabled: true, disabledBecause: null, previousSecretEndsAt: null },
    },
    secret: ['secret', /^whsec_[A-Za-z0-9+/]{43}=$/],
  },
]

test('PUT creates a record (201) or changes it (200): absent optional members are kept, and null clears them; GET returns it without secrets, and DELETE removes it with all that was set', async (t) => {
  const { put, get, remove, madeAt } = await openScene(t)
  for (const { path, required, moved, optional = {}, record, whole, secret, generated } of kindsMadeAt(madeAt)) {
    const create = async () => {
      const made = await put(path, required)
      if (secret !== undefined) assert.match(made.json[secret[0]], secret[1])
      const plain = { ...record, ...required, ...generated?.(made.json) }
      assertAnswer(made, 201, { ...plain, ...(secret && { [secret[0]]: made.json[secret[0]] }) })
      return plain
    }
    const [, noun = '', id = ''] = /(\w+?)s\/([^/]+)$/.exec(path) ?? []
    const unknown = new RegExp(`^(The bot has|There is) no (${noun} ${id}|such ${noun})`)
    assertProblem(await get(path), 404, unknown)
    const plain = await create()
    assertAnswer(await put(path, { ...required, ...optional }), 200, { ...plain, ...whole })
    assertAnswer(await put(path, { ...required, ...moved }), 200, { ...plain, ...whole, ...moved })
    assertAnswer(await get(path), 200, { ...plain, ...whole, ...moved })
    const nulls = Object.fromEntries(Object.keys(optional).map((member) => [member, null]))
    assertAnswer(await put(path, { ...required, ...nulls }), 200, plain)

    await put(path, { ...required, ...optional })
    const removed = await remove(path)
    assert.deepEqual([removed.status, removed.json], [204, undefined])
    for (const answer of [await get(path), await remove(path)]) assertProblem(answer, 404, unknown)
    if (noun !== 'application') await create()
    else assertProblem(await put(path, required), 409, /belonged to a deleted application/)
  }
})

const user = { name: 'Bob' }
const acme = { ...site, ownerId: 'ada', name: 'Acme' }
const rack = { name: 'Rack', botIds: '*' }
const coworker = { role: 'viewer', capabilities: [] }
const hook = { path: 'in', requiresKey: true }
const listening = { kind: 'event', name: 'Hook', webhook: hook }
const entry = { level: 'info', message: 'x' }
const operatorKey = { name: 'a', access: 'read' }
const subscription = { url: 'https://ops.example/', types: ['bot.offline'] }
const webhooks = (member: string, values: string[]) => values.map((value) => ({ ...hook, [member]: value }))
const second = (member: string, values: unknown[]) => values.map((value) => [entry, { ...entry, [member]: value }])

/** Calls with a valid body, pointers, and values that are invalid for the member that the pointers begin with. */
const invalid: [call: string, body: object, pointers: string, ...values: unknown[]][] = [
  ['PUT users/bob', user, '#/pin', '123', '١٢٣٤'],
  ['PUT users/bob', user, '#/password', 'password'],
  ['PUT users/bob', user, '#/email', 'no address'],
  ['PUT users/bob', user, '#/chatPlatformId', '1234567890123456'],
  ['PUT users/bob', user, '#/codeHostingId', 'a b'],
  ['PUT users/bob', user, '#/name', ' '],
  ['PUT applications/acme', acme, '#/ownerId', 'nobody', 'portal', '!'],
  ['PUT applications/acme', acme, '#/websiteUrl', 'http://client.example'],
  ['PUT applications/acme', acme, '#/redirectUris', []],
  [
    'PUT applications/acme',
    acme,
    '#/redirectUris/1 #/redirectUris/2',
    ['https://client.example/', 'http://client.example/', 'https://client.example/#fragment'],
  ],
  ['PUT bots/bot-1', botBody, '#/ownerId', 'nobody', 'not an id'],
  ['PUT bots/bot-1', botBody, '#/chatPlatformId', 'abc'],
  ['PUT bots/bot-1', botBody, '#/plan', 'Pro', 'x'.repeat(33)],
  ['PUT bots/bot-1', botBody, '#/avatar', 'javascript:alert(1)', 'picture.png'],
  ['PUT bots/bot-1', botBody, '#/hostingLocation', 'moon'],
  ['PUT bots/bot-1', botBody, '#/name', '  ', 'x'.repeat(101)],
  ['PUT bots/bot-1/coworkers/bob', coworker, '#/role', 'owner'],
  ['PUT bots/bot-1/coworkers/bob', coworker, '#/capabilities', 'all'],
  ['PUT bots/bot-1/coworkers/bob', coworker, '#/capabilities/0 #/capabilities/1', ['', 'x'.repeat(65)]],
  ['PUT bots/bot-1/guilds', {}, '#/guildIds/0', ['a b']],
  ['PUT bots/bot-1/flows/hook', listening, '#/kind', '', 'Event'],
  ['PUT bots/bot-1/flows/hook', listening, '#/webhook/path', ...webhooks('path', ['', 'a b', 'ä', 'a%20b', 'a?b'])],
  ['PUT bots/bot-1/flows/hook', listening, '#/webhook/path', ...webhooks('path', ['x'.repeat(101)])],
  ['PUT bots/bot-1/flows/hook', listening, '#/webhook/key', ...webhooks('key', ['', 'a b', 'ä'])],
  ['POST bots/bot-1/logs', {}, '#/entries', []],
  ['POST bots/bot-1/logs', {}, '#/entries/1/level', ...second('level', ['fatal'])],
  ['POST bots/bot-1/logs', {}, '#/entries/1/message', ...second('message', ['', 'x'.repeat(4_097)])],
  ['POST bots/bot-1/logs', {}, '#/entries/1/at', ...second('at', ['yesterday', '2026-02-29T12:00:00Z'])],
  ['POST bots/bot-1/logs', {}, '#/entries/1/at', ...second('at', ['2026-01-05T12:00:00'])],
  ['POST bots/bot-1/logs', {}, '#/entries/1/extra', ...second('extra', [1])],
  ['PUT runtimes/rack-1', rack, '#/botIds', undefined, ['nobody']],
  ['PUT runtimes/rack-1', rack, '#/name', ' '],
  ['PUT scopes/bots.write', {}, '#/description', '', 'x'.repeat(201), 'a\nb'],
  ['PUT subscriptions/ops', subscription, '#/types', [], Array(8).fill('bot.online')],
  ['PUT subscriptions/ops', subscription, '#/types/0', ['bot.unknown']],
  [
    'PUT subscriptions/ops',
    subscription,
    '#/url',
    '',
    'ops.example',
    'https://u@ops.example',
    'https://ops.example/#a',
  ],
  ['PUT subscriptions/ops', subscription, '#/ownerId', 'eve'],
  ['PUT subscriptions/ops', subscription, '#/more', 1],
  ['PUT subscriptions/ops', subscription, '#/enabled', 'yes'],
  ['POST operator-keys', operatorKey, '#/name', ' \n ', 'é'.repeat(101), undefined],
  ['POST operator-keys', operatorKey, '#/access', 'write'],
  ['POST operator-keys', operatorKey, '#/key', 'mine'],
]

test('an invalid value in a body returns 400 with a pointer to the member, and changes nothing', async (t) => {
  const { world, get } = await openScene(t)
  for (const [call, body, pointers, ...values] of invalid) {
    const [method = '', path = ''] = call.split(' ')
    const [, member = ''] = pointers.split(/[/ ]/)
    const before = await get(path)
    for (const value of values) {
      const answer = await provision(world, method, `/v1/${path}`, { ...body, [member]: value })
      assertProblem(answer, 400, pointers.split(' '))
    }
    const after = await get(path)
    assert.deepEqual([after.status, after.json], [before.status, before.json])
  }
})

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { provision } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { storageOfRun } from '../support/world.ts'
import { hideTable, restoreTable } from '../support/world-database.ts'
import { assertAnswer, assertProblem, openApis } from './provisioning-scene.ts'

/**
 * Opens a world with Ada’s bot `bot-1`, and functions that call its flows in the control API (`operate`) and in the API
 * for owners (`own`).
 */
async function openFlows(t: TestContext, env: Record<string, string> = {}) {
  const apis = await openApis(t, env)
  const { world, tokenOf } = apis
  const operate = (method: string, path: string, body?: object) => apis.operate(method, `bots/bot-1/flows${path}`, body)
  const own = (method: string, path: string, body?: object, by?: string) =>
    apis.own(method, `bots/bot-1/flows${path}`, body, by)
  /** Puts the flow `hook`, which requires no key. */
  const put = (webhook: object = {}) =>
    operate('PUT', '/hook', { kind: 'event', name: 'Hook', webhook: { path: 'in', requiresKey: false, ...webhook } })
  /** Changes the settings of the flow’s webhook as its owner. */
  const set = (settings: object, by?: string) => own('PUT', '/hook/webhook', settings, by)
  const send = async (headers: Record<string, string> = {}, path = 'in') =>
    (await fetch(`${world.apiUrl}/bot-1/${path}`, { method: 'POST', body: '{}', headers })).status
  const withKey = (key: string, path?: string) => send({ 'svc-key': key }, path)
  return { world, tokenOf, operate, own, put, set, send, withKey }
}

const hourMs = 3_600_000
const noSettings = { keyLastFour: null, ordered: false, signature: null, dedupe: null }

/** Returns the record of the flow `hook` with these settings. */
function shown(settings: object = {}) {
  const webhook = { path: 'in', requiresKey: false, ...noSettings, ...settings }
  return { botId: 'bot-1', id: 'hook', kind: 'event', name: 'Hook', publicCode: null, webhook }
}

const signedForGithub = (secret: string) => {
  return { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}` }
}

describe('Keys of flows', () => {
  test('PUT of a flow creates a required key that is neither given nor stored, returns it once and keeps it from then on; a given key is stored and not returned; a null key creates a new one', async (t) => {
    const { operate, put, withKey } = await openFlows(t)
    const made = await put({ requiresKey: true })
    const { key } = made.json.webhook
    assert.match(key, /^svc_fk_[A-Za-z0-9]{43,}$/)
    const stored = shown({ requiresKey: true, keyLastFour: key.slice(-4) })
    assertAnswer(made, 201, { ...stored, webhook: { ...stored.webhook, key } })
    assertAnswer(await put({ requiresKey: true }), 200, stored)
    assertAnswer(await operate('GET', '/hook'), 200, stored)
    assert.deepEqual([await withKey(key), await withKey('wrong')], [202, 401])
    const given = shown({ requiresKey: true, keyLastFour: '-key' })
    assertAnswer(await put({ requiresKey: true, key: 'our-own-key' }), 200, given)
    assert.deepEqual([await withKey(key), await withKey('our-own-key')], [401, 202])
    const renewed = (await put({ requiresKey: true, key: null })).json.webhook.key
    assert.deepEqual([await withKey('our-own-key'), await withKey(renewed)], [401, 202])
    await operate('DELETE', '/hook')
    assertAnswer(await put({ requiresKey: true, key: 'our-own-key' }), 201, given)
  })

  test('our choice: an owner who requires a key gets a generated one once; POST creates another, and DELETE revokes the previous key, but not the current key of a flow that requires one', async (t) => {
    const { world, operate, own, put, set, send, withKey } = await openFlows(t)
    await put()
    // On PostgreSQL, the queue is written after the key is stored.
    if (storageOfRun === 'postgres') await hideTable(world, 'queue', 'queue_entered')
    const required = await set({ requiresKey: true })
    if (storageOfRun === 'postgres') await restoreTable(world, 'queue', 'queue_entered')
    const { key, keys } = required.json.webhook
    assert.match(key, /^svc_fk_/)
    const lastFour = key.slice(-4)
    const current = { number: keys[0].number, lastFour, createdAt: world.clock.iso(), lastUsedAt: null, endsAt: null }
    const stored = shown({ requiresKey: true, keyLastFour: lastFour, keys: [current] })
    assertAnswer(required, 200, { ...stored, webhook: { ...stored.webhook, key } })
    assertAnswer(await own('GET', '/hook'), 200, stored)
    assertAnswer(await set({ requiresKey: false }), 200, shown({ keyLastFour: lastFour, keys: [current] }))
    assertAnswer(await set({ requiresKey: null }), 200, stored)
    assert.equal((await set({ requiresKey: false })).status, 200)

    const made = [await own('POST', '/hook/keys', {}), await own('POST', '/hook/keys', {})]
    assert.deepEqual(pluck(made, 'status'), [201, 201])
    const statuses = () => Promise.all(made.map(({ json }) => withKey(json.webhook.key)))
    assert.deepEqual([await statuses(), await send()], [[202, 202], 401])
    const [{ number: now }, { number: previous }] = made[1]!.json.webhook.keys
    assert.equal((await own('DELETE', `/hook/keys/${previous}`)).status, 204)
    assert.deepEqual(await statuses(), [401, 202])
    assertProblem(await own('DELETE', `/hook/keys/${now}`), 409, /^This is the current key\./)
    assertProblem(await own('DELETE', '/hook/keys/x'), 404, /^There is no active key with this number\.$/)
    await operate('PUT', '/hello', { kind: 'command', name: 'Hello' })
    assertProblem(await own('POST', '/hello/keys', {}), 409, /^This flow takes no webhooks/)
    assertProblem(await own('POST', '/none/keys', {}), 404, /^The bot has no such flow\.$/)
  })

  test('our choice: a previous flow key works for another 24 hours; the key list shows when each key was created, was last used and expires, and only its last four characters', async (t) => {
    const { world, own, put, set, withKey } = await openFlows(t)
    await put()
    const unused = { lastUsedAt: null, endsAt: null }
    const { key: first, keys } = (await set({ requiresKey: true })).json.webhook
    const previous = { number: keys[0].number, lastFour: first.slice(-4), createdAt: world.clock.iso(), ...unused }
    // Jumps instead of advancing, which would run the once-a-minute task that stores the last use of keys.
    world.clock.jump(hourMs)
    const { key: second, keys: made } = (await own('POST', '/hook/keys', {})).json.webhook
    const createdAt = world.clock.iso(hourMs)
    const current = { number: made[0].number, lastFour: second.slice(-4), createdAt, ...unused }
    const endsAt = world.clock.iso(25 * hourMs)
    const statuses = () => Promise.all([first, second].map((key) => withKey(key)))
    world.clock.jump(hourMs)
    assert.equal(await withKey(first), 202)
    const listed = async () => (await own('GET', '/hook')).json.webhook.keys
    // Accepting a webhook does not store the key’s last use. A task does so once a minute.
    assert.deepEqual(await listed(), [current, { ...previous, endsAt }])
    const lastUsedAt = world.clock.iso(2 * hourMs)
    await world.clock.advance(60_000)
    await world.service.webhooks.recordKeyUse()
    assert.deepEqual(await listed(), [current, { ...previous, lastUsedAt, endsAt }])
    await world.clock.advance(Date.parse(endsAt) - 1 - world.clock.nowMs())
    assert.deepEqual(await statuses(), [202, 202])
    await world.clock.advance(1)
    assert.deepEqual(await statuses(), [401, 202])
  })
})

describe('our choice: webhook.signature, webhook.dedupe and webhook.ordered, in the control API and the API for owners', () => {
  test('each setting is stored (a signature without its secret), kept if absent and cleared if null; a configured signature is checked', async (t) => {
    const { operate, put, set, send } = await openFlows(t)
    assertAnswer(await put(), 201, shown())
    const byHeader = { header: 'X-GitHub-Delivery', windowSeconds: 3_600 }
    const hmac = { preset: 'hmac', header: 'X-Sig', hash: 'sha256', encoding: 'hex', prefix: '' }
    const discord = { preset: 'discord', publicKey: 'aa'.repeat(32) }
    const rows: [setting: 'ordered' | 'dedupe' | 'signature', sent: unknown, stored?: object][] = [
      ['ordered', true],
      ['dedupe', byHeader],
      ['dedupe', { pointer: '/id' }, { pointer: '/id', windowSeconds: 86_400 }],
      ['signature', { preset: 'github', secret: 'a secret' }, { preset: 'github' }],
      ['signature', { preset: 'slack' }],
      ['signature', { preset: 'hmac', header: 'X-Sig', secret: 'another' }, hmac],
      ['signature', { ...discord, publicKey: 'AA'.repeat(32) }, discord],
      ['signature', { preset: 'discord', secret: 'bb'.repeat(32) }, { ...discord, publicKey: 'bb'.repeat(32) }],
      ['signature', discord],
    ]
    for (const [change, pointer, keys] of [
      [put, '#/webhook/signature/secret', {}],
      [set, '#/signature/secret', { keys: [] }],
    ] as const) {
      // Only records of the API for owners list keys.
      let settings: object = keys
      for (const [setting, sent, stored = sent] of rows) {
        const value = setting === 'signature' ? { ...(stored as object), previousSecretEndsAt: null } : stored
        settings = { ...settings, [setting]: value }
        assertAnswer(await change({ [setting]: sent }), 200, shown(settings))
        assertAnswer(await change({}), 200, shown(settings))
      }
      assertProblem(await change({ signature: { preset: 'stripe' } }), 400, [pointer])
      assertAnswer(await change({}), 200, shown(settings))
      // White space around a secret is removed.
      await change({ signature: { preset: 'github', secret: ' hush hush\n' } })
      assert.deepEqual([await send(), await send(signedForGithub('hush hush'))], [401, 202])
      // The stored secret isn't of the form whsec_….
      assertProblem(await change({ signature: { preset: 'standard-webhooks' } }), 400, [pointer])
      assertAnswer(await change({ ordered: null, dedupe: null, signature: null }), 200, shown(keys))
    }
    await put({ ordered: true })
    await operate('PUT', '/hook', { kind: 'event', name: 'Hook', webhook: null })
    assertAnswer(await put(), 200, shown())
  })

  test('an invalid value returns 400 with a pointer to the member and changes nothing, also a Discord public key that is no point of Ed25519’s curve, or one of small order', async (t) => {
    const { operate, put, set } = await openFlows(t)
    const hmac = { preset: 'hmac', secret: 's', header: 'a' }
    const timed = { ...hmac, signed: '{timestamp}{body}' }
    const faulty: [setting: 'signature' | 'dedupe', value: object, member: string][] = [
      ['signature', { preset: 'github', secret: 'a\u0000b' }, '/secret'],
      ['signature', { preset: 'github', secret: ' \t' }, '/secret'],
      ['signature', { preset: 'github' }, '/secret'],
      ['signature', { preset: 'github', secret: 's', header: 'X-Sig' }, ''],
      ['signature', { preset: 'discord', publicKey: 'ab' }, '/publicKey'],
      ['signature', { preset: 'discord' }, '/publicKey'],
      ['signature', { preset: 'discord', publicKey: 'aa'.repeat(32), secret: 's' }, ''],
      ['signature', { preset: 'hmac', secret: 's' }, '/header'],
      ['signature', { preset: 'hmac', secret: 's', header: 'a b' }, '/header'],
      ['signature', { preset: 'discord', publicKey: 'aa'.repeat(32), secretBefore: 'ends-now' }, ''],
      ['signature', { preset: 'standard-webhooks', secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, '/secret'],
      ['signature', { preset: 'standard-webhooks', secret: 'whsec_a b' }, '/secret'],
      ['signature', { preset: 'token', secret: 's' }, '/header'],
      ['signature', { preset: 'token', secret: 's', header: 'X-Token', prefix: 'a' }, ''],
      ['signature', { ...hmac, signed: 'text' }, '/signed'],
      ['signature', { ...hmac, signed: '{body}{body}' }, '/signed'],
      ['signature', { ...hmac, signed: '{body}é' }, '/signed'],
      ['signature', { ...hmac, signed: '{id}.{body}' }, '/signed'],
      ['signature', { ...hmac, signed: '{timestamp}.{body}' }, ''],
      ['signature', { ...hmac, timestampPart: 't' }, ''],
      ['signature', { ...timed, timestampPart: 't', timestampHeader: 'b' }, ''],
      ['signature', { ...timed, timestampPart: 'a=' }, '/timestampPart'],
      ['dedupe', {}, ''],
      ['dedupe', { header: 'a', pointer: '/a' }, ''],
      ['dedupe', { header: 'a b' }, '/header'],
      ['dedupe', { pointer: 'id' }, '/pointer'],
      ['dedupe', { pointer: '/~2' }, '/pointer'],
      ['dedupe', { header: 'a', windowSeconds: 86_401 }, '/windowSeconds'],
    ]
    await put()
    for (const [setting, value, member] of faulty) {
      assertProblem(await put({ [setting]: value }), 400, [`#/webhook/${setting}${member}`])
      assertProblem(await set({ [setting]: value }), 400, [`#/${setting}${member}`])
    }
    assertProblem(await set({ path: 'other' }), 400, ['#/path'])
    const putKey = (publicKey: string) => put({ signature: { preset: 'discord', publicKey } })
    const orderEight = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'
    for (const key of ['ab'.repeat(32), 'ff'.repeat(32), '00'.repeat(32), `01${'00'.repeat(31)}`, orderEight]) {
      const answer = await putKey(key)
      assertProblem(answer, 400, ['#/webhook/signature/publicKey'])
      assert.match(JSON.stringify(answer.json), /No Ed25519 public key has these digits/, key)
    }
    assertAnswer(await operate('GET', '/hook'), 200, shown())
    for (let times = 0; times < 20; times += 1) {
      const { publicKey } = generateKeyPairSync('ed25519')
      const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
      assert.ok((await putKey(key)).status < 300, key)
    }
  })

  test('an editor changes settings but neither keys nor signatures; a change without members needs the same right as one with members', async (t) => {
    const { tokenOf, own, put, set } = await openFlows(t)
    await put()
    const [ed, vi, stan] = [await tokenOf('ed'), await tokenOf('vi'), await tokenOf('stan')]
    assertAnswer(await set({}, ed), 200, shown({ keys: [] }))
    assertProblem(await set({}, vi), 403, /^Your role in this bot/)
    assertProblem(await set({}, stan), 404, /no such bot|have no access/)
    assert.equal((await set({ ordered: true }, ed)).status, 200)
    for (const settings of [{ requiresKey: true }, { signature: null }, { ordered: false, signature: null }]) {
      assertProblem(await set(settings, ed), 403, /^Your role in this bot/)
    }
    assertProblem(await own('POST', '/hook/keys', {}, ed), 403, /^Your role in this bot/)
  })

  test('simultaneous changes of a flow keep each other’s members', async (t) => {
    const { operate, own, put, set } = await openFlows(t)
    await put()
    for (let n = 0; n < 10; n += 1) {
      const name = `hook-${n}`
      const statuses = await Promise.all([
        set({ ordered: n % 2 === 0 }),
        operate('PUT', '/hook', { kind: 'event', name, webhook: { path: name, requiresKey: false } }),
        set({ dedupe: { header: name } }),
      ])
      assert.deepEqual(pluck(statuses, 'status'), [200, 200, 200])
      const { json } = await own('GET', '/hook')
      const { path, ordered, dedupe } = json.webhook
      assert.deepEqual([json.name, path, ordered, dedupe.header], [name, name, n % 2 === 0, name])
    }
  })
})

describe('Paths and kinds of flows, in the control API and the API for owners', () => {
  test('a path that another of the bot’s flows uses returns 409; a webhook on a flow whose kind is not event, or of an unknown bot, 400', async (t) => {
    const { world, operate, own, put } = await openFlows(t, { OWNER_FLOWS: 'on' })
    await put()
    const webhook = { path: 'in', requiresKey: true }
    const [flow, timer] = ['event', 'timer'].map((kind) => ({ kind, name: 'Hook' }))
    for (const api of [operate, own]) {
      assertProblem(await api('PUT', '/other', { ...flow, webhook }), 409, ['#/webhook/path'])
      assertProblem(await api('PUT', '/other', { ...timer, webhook: { ...webhook, path: 'a' } }), 400, ['#/webhook'])
      assertProblem(await api('PUT', '/hook', timer), 400, ['#/webhook'])
    }
    assertProblem(await provision(world, 'PUT', '/v1/bots/nobody/flows/hook', flow), 400, /no such bot/)
  })

  test('our choice: slashes before a webhook path are removed; a path with the segment . or .. returns 400 with the reason, also if it is percent-encoded; the webhook of a deleted flow returns 404', async (t) => {
    const { operate, own, send } = await openFlows(t, { OWNER_FLOWS: 'on' })
    for (const api of [operate, own]) {
      const putPath = (path: string) =>
        api('PUT', '/hook', { kind: 'event', name: 'Hook', webhook: { path, requiresKey: false } })
      assert.equal((await putPath('/in')).json.webhook.path, 'in')
      assert.equal(await send(), 202)
      assertProblem(await putPath('/'), 400, ['#/webhook/path'])
      for (const [reason, ...paths] of [
        [/clients change URLs that contain them/, '.', '..', '/..', 'github/../x', './x', 'x/.', 'x/..', 'a/./b'],
        [/without \. and \.\. as segments/, 'github/%2e%2E/x', '%2e', 'x/.%2e'],
      ] as const) {
        for (const path of paths) {
          const answer = await putPath(path)
          assertProblem(answer, 400, ['#/webhook/path'])
          assert.match(answer.json.errors[0].detail, reason, path)
        }
      }
      for (const path of ['...', 'a..b', '.well-known/x', 'v1.2', 'a.', `/${'x'.repeat(100)}`, 'in']) {
        assert.equal((await putPath(path)).status, 200, path)
      }
      assert.equal((await api('DELETE', '/hook')).status, 204)
      assert.equal(await send(), 404)
    }
  })
})

describe('our choice: flows that owners create', () => {
  test('with OWNER_FLOWS off, the default, PUT and DELETE of a flow get 403 and change nothing', async (t) => {
    const { own, put } = await openFlows(t)
    await put()
    const refused = /^On this service, only the operator creates and removes flows\. Nothing was changed\.$/
    assertProblem(await own('PUT', '/new', { name: 'New' }), 403, refused)
    assertProblem(await own('PUT', '/hook', { name: 'Renamed' }), 403, refused)
    assertProblem(await own('DELETE', '/hook'), 403, refused)
    assertAnswer(await own('GET', ''), 200, { items: [shown({ keys: [] })], next: null })
  })

  test('with OWNER_FLOWS=on, the owner creates, changes and removes flows, until a bot has 200; a new webhook requires a key; the operator can add more', async (t) => {
    const { world, tokenOf, operate, own, send, withKey } = await openFlows(t, { OWNER_FLOWS: 'on' })
    const made = await own('PUT', '/hook', { name: ' New\tflow ', webhook: { path: 'in' } })
    const { key, keys } = made.json.webhook
    const flow = { ...shown({ requiresKey: true, keyLastFour: key.slice(-4), keys, key }), name: 'New flow' }
    assertAnswer(made, 201, flow)
    assert.deepEqual([await send(), await withKey(key)], [401, 202])
    const cleared = { kind: null, webhook: { path: 'there', requiresKey: null } }
    const moved = await own('PUT', '/hook', { name: 'Moved', ...cleared })
    assert.deepEqual([moved.status, moved.json.webhook.path, moved.json.webhook.requiresKey], [200, 'there', true])
    assert.deepEqual([await withKey(key), await withKey(key, 'there')], [404, 202])
    const command = await own('PUT', '/cmd', { name: 'Command', kind: 'command' })
    assert.deepEqual([command.status, command.json.webhook], [201, null])
    assertProblem(await own('PUT', '/x', { name: ' ', webhook: { path: 'a b' } }), 400, ['#/webhook/path'])
    assertProblem(await own('PUT', '/x', { name: 'X', webhook: { path: 'a', key: 'mine' } }), 400, ['#/webhook/key'])

    const ed = await tokenOf('ed')
    assertProblem(await own('PUT', '/hook', { name: 'Eds' }, ed), 403, /^Your role in this bot/)
    assertProblem(await own('DELETE', '/hook', undefined, ed), 403, /^Your role in this bot/)
    assert.equal((await own('DELETE', '/hook')).status, 204)
    assertProblem(await own('DELETE', '/hook'), 404, /^The bot has no such flow\.$/)
    assert.equal(await withKey(key, 'there'), 404)
    const events = (await exported(world)).filter(({ detail }) => detail.flow === 'hook')
    assert.deepEqual(pluck(events, 'kind'), ['flow-created', 'flow-changed', 'flow-removed'])
    for (const { detail } of events) assert.equal(detail.personalTokenName, 'script')

    const one = { kind: 'a', name: 'F' }
    for (let n = 1; n < 200; n += 1) assert.equal((await operate('PUT', `/f-${n}`, one)).status, 201)
    assertProblem(await own('PUT', '/one-more', { name: 'More' }), 409, /^The bot has 200 flows already\./)
    assert.equal((await own('PUT', '/f-1', { name: 'Changed' })).status, 200)
    assert.equal((await operate('PUT', '/one-more', one)).status, 201)
  })
})

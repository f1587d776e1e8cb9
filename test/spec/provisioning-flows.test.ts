import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import type { World } from '../support/world.ts'
import { assertAnswer, assertProblem, openScene } from './provisioning-scene.ts'

describe('PUT /v1/bots/{botId}/flows/{flowId}', () => {
  const flow = { kind: 'event', name: 'Hook' }
  const record = { botId: 'bot-1', id: 'hook', ...flow, publicCode: null, webhook: null }
  const settings = { keyLastFour: null, ordered: false, signature: null, dedupe: null }
  /** Returns the record of the flow with this webhook. */
  const shown = (webhook: object) => ({ ...record, webhook: { ...settings, ...webhook } })

  /** Opens the scene with a function that puts the flow `hook` with a webhook. */
  async function openFlows(t: TestContext, always: object = { path: 'in', requiresKey: false }) {
    const scene = await openScene(t)
    const putHook = (webhook: object = {}) =>
      scene.put('bots/bot-1/flows/hook', { ...flow, webhook: { ...always, ...webhook } })
    return { ...scene, putHook, getHook: () => scene.get('bots/bot-1/flows/hook') }
  }

  test('a required flow key that is neither given nor stored is created and returned once; a later PUT keeps it', async (t) => {
    const webhook = { path: 'in', requiresKey: true }
    const { world, putHook, getHook } = await openFlows(t, webhook)
    const made = await putHook()
    const { key } = made.json.webhook
    assert.match(key, /^svc_fk_[A-Za-z0-9]{43,}$/)
    const stored = { ...webhook, keyLastFour: key.slice(-4) }
    assertAnswer(made, 201, shown({ ...stored, key }))
    assertAnswer(await putHook(), 200, shown(stored))
    assertAnswer(await getHook(), 200, shown(stored))
    assert.deepEqual([await send(world, key), await send(world, 'wrong')], [202, 401])
  })

  test('a flow key in the request is stored and not returned; a null key creates a new key', async (t) => {
    const webhook = { path: 'in', requiresKey: true }
    const { world, putHook } = await openFlows(t, webhook)
    assertAnswer(await putHook({ key: 'our-own-key' }), 201, shown({ ...webhook, keyLastFour: '-key' }))
    assert.equal(await send(world, 'our-own-key'), 202)
    const renewed = (await putHook({ key: null })).json.webhook.key
    assert.deepEqual([await send(world, 'our-own-key'), await send(world, renewed)], [401, 202])
  })

  test('our choice: webhook.signature, without its secret, webhook.dedupe and webhook.ordered are kept if absent and cleared if null', async (t) => {
    const { put, putHook, getHook } = await openFlows(t)
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
    let webhook: object = { path: 'in', requiresKey: false }
    for (const [at, [setting, sent, stored = sent]] of rows.entries()) {
      const previous = setting === 'signature' && { previousSecretEndsAt: null }
      webhook = { ...webhook, [setting]: previous ? { ...(stored as object), ...previous } : stored }
      assertAnswer(await putHook({ [setting]: sent }), at === 0 ? 201 : 200, shown(webhook))
      assertAnswer(await putHook(), 200, shown(webhook))
    }
    assertProblem(await putHook({ signature: { preset: 'stripe' } }), 400, ['#/webhook/signature/secret'])
    assertAnswer(await getHook(), 200, shown(webhook))
    const cleared = shown({ path: 'in', requiresKey: false })
    assertAnswer(await putHook({ ordered: null, dedupe: null, signature: null }), 200, cleared)
    await putHook({ ordered: true })
    await put('bots/bot-1/flows/hook', { ...flow, webhook: null })
    assertAnswer(await putHook(), 200, cleared)
  })

  test('our choice: an invalid webhook.signature or webhook.dedupe returns 400 with a pointer to the member, and changes nothing', async (t) => {
    const { putHook, getHook } = await openFlows(t)
    const hmac = { preset: 'hmac', secret: 's', header: 'a' }
    const faulty: [object, string][] = [
      [{ preset: 'github', secret: 'a\u0000b' }, '/secret'],
      [{ preset: 'github' }, '/secret'],
      [{ preset: 'github', secret: 's', header: 'X-Sig' }, ''],
      [{ preset: 'discord', publicKey: 'ab' }, '/publicKey'],
      [{ preset: 'discord' }, '/publicKey'],
      [{ preset: 'discord', publicKey: 'aa'.repeat(32), secret: 's' }, ''],
      [{ preset: 'hmac', secret: 's' }, '/header'],
      [{ preset: 'hmac', secret: 's', header: 'a b' }, '/header'],
      [{ preset: 'discord', publicKey: 'aa'.repeat(32), secretBefore: 'ends-now' }, ''],
      [{ preset: 'standard-webhooks', secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, '/secret'],
      [{ preset: 'standard-webhooks', secret: 'whsec_a b' }, '/secret'],
      [{ preset: 'token', secret: 's' }, '/header'],
      [{ preset: 'token', secret: 's', header: 'X-Token', prefix: 'a' }, ''],
      [{ ...hmac, signed: 'text' }, '/signed'],
      [{ ...hmac, signed: '{body}{body}' }, '/signed'],
      [{ ...hmac, signed: '{body}é' }, '/signed'],
      [{ ...hmac, signed: '{timestamp}.{body}' }, ''],
      [{ ...hmac, timestampPart: 't' }, ''],
      [{ ...hmac, signed: '{timestamp}{body}', timestampPart: 't', timestampHeader: 'b' }, ''],
      [{ ...hmac, signed: '{timestamp}{body}', timestampPart: 'a=' }, '/timestampPart'],
    ]
    for (const [signature, pointer] of faulty) {
      assertProblem(await putHook({ signature }), 400, [`#/webhook/signature${pointer}`])
    }
    for (const [dedupe, pointer] of [
      [{}, ''],
      [{ header: 'a', pointer: '/a' }, ''],
      [{ header: 'a b' }, '/header'],
      [{ pointer: 'id' }, '/pointer'],
      [{ pointer: '/~2' }, '/pointer'],
      [{ header: 'a', windowSeconds: 86_401 }, '/windowSeconds'],
    ] as const) {
      assertProblem(await putHook({ dedupe }), 400, [`#/webhook/dedupe${pointer}`])
    }
    assert.equal((await getHook()).status, 404)
  })

  test('a webhook on a flow whose kind is not event, or of an unknown bot, returns 400; a path that another of the bot’s flows uses returns 409', async (t) => {
    const { put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: true }
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, kind: 'timer', webhook }), 400, ['#/webhook'])
    assertProblem(await put('bots/nobody/flows/hook', flow), 400, /no such bot/)
    await put('bots/bot-1/flows/hook', { ...flow, webhook })
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, kind: 'timer' }), 400, ['#/webhook'])
    assertProblem(await put('bots/bot-1/flows/other', { ...flow, webhook }), 409, ['#/webhook/path'])
  })

  test('our choice: slashes before a webhook path are removed; a path with the segment . or .. returns 400 with the reason, also if it is percent-encoded', async (t) => {
    const { world, putHook } = await openFlows(t)
    assert.equal((await putHook({ path: '/in' })).json.webhook.path, 'in')
    assert.equal(await send(world), 202)
    assertProblem(await putHook({ path: '/' }), 400, ['#/webhook/path'])
    for (const [reason, ...paths] of [
      [/clients change URLs that contain them/, '.', '..', '/..', 'github/../x', './x', 'x/.', 'x/..', 'a/./b'],
      [/without \. and \.\. as segments/, 'github/%2e%2E/x', '%2e', 'x/.%2e'],
    ] as const) {
      for (const path of paths) {
        const answer = await putHook({ path })
        assertProblem(answer, 400, ['#/webhook/path'])
        assert.match(answer.json.errors[0].detail, reason, path)
      }
    }
    for (const path of ['...', 'a..b', '.well-known/x', 'v1.2', 'a.', `/${'x'.repeat(100)}`]) {
      assert.equal((await putHook({ path })).status, 200, path)
    }
  })

  test('our choice: a signing secret is used without the white space around it', async (t) => {
    const { world, putHook } = await openFlows(t)
    await putHook({ signature: { preset: 'github', secret: ' hush hush\n' } })
    const signed = createHmac('sha256', 'hush hush').update('x').digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${signed}` }
    assert.equal((await fetch(`${world.apiUrl}/bot-1/in`, { method: 'POST', body: 'x', headers })).status, 202)
    const blank = await putHook({ signature: { preset: 'github', secret: ' \t' } })
    assertProblem(blank, 400, ['#/webhook/signature/secret'])
  })

  test('our choice: a Discord public key that is no point of Ed25519’s curve, or one of small order, returns 400', async (t) => {
    const { putHook } = await openFlows(t)
    const putKey = (publicKey: string) => putHook({ signature: { preset: 'discord', publicKey } })
    const orderEight = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'
    for (const key of ['ab'.repeat(32), 'ff'.repeat(32), '00'.repeat(32), `01${'00'.repeat(31)}`, orderEight]) {
      const answer = await putKey(key)
      assertProblem(answer, 400, ['#/webhook/signature/publicKey'])
      assert.match(JSON.stringify(answer.json), /No Ed25519 public key has these digits/, key)
    }
    for (let times = 0; times < 20; times += 1) {
      const { publicKey } = generateKeyPairSync('ed25519')
      const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
      assert.ok((await putKey(key)).status < 300, key)
    }
  })

  test('our choice: the webhook of a deleted flow returns 404', async (t) => {
    const { world, putHook, remove } = await openFlows(t)
    await putHook()
    assert.equal(await send(world), 202)
    assert.equal((await remove('bots/bot-1/flows/hook')).status, 204)
    assert.equal(await send(world), 404)
  })

  async function send(world: World, key?: string) {
    const headers = key === undefined ? {} : { 'svc-key': key }
    const { status } = await fetch(`${world.apiUrl}/bot-1/in`, { method: 'POST', body: 'x', headers })
    return status
  }
})

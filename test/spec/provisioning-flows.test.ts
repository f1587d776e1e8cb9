import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import type { World } from '../support/world.ts'
import { assertAnswer, assertProblem, openScene } from './provisioning-scene.ts'

describe('PUT /v1/bots/{botId}/flows/{flowId}', () => {
  const flow = { kind: 'event', name: 'Hook' }
  const record = { botId: 'bot-1', id: 'hook', ...flow, publicCode: null, webhook: null }

  test('PUT creates a flow (201) or changes it (200); absent members are kept, and null clears them', async (t) => {
    const { put, get } = await openScene(t)
    assertAnswer(await put('bots/bot-1/flows/hook', flow), 201, record)
    const webhook = { path: 'a/b-c_d.e~f', requiresKey: false }
    const whole = {
      ...record,
      publicCode: 'AB-12',
      webhook: { ...webhook, keyLastFour: null, ordered: false, signature: null, dedupe: null },
    }
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, publicCode: 'AB-12', webhook }), 200, whole)
    assertAnswer(await put('bots/bot-1/flows/hook', flow), 200, whole)
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, whole)
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, publicCode: null, webhook: null }), 200, record)
    assertProblem(await get('bots/bot-1/flows/other'), 404, /no flow other/)
  })

  test('a required flow key that is neither given nor stored is created and returned once; a later PUT keeps it', async (t) => {
    const { world, put, get } = await openScene(t)
    const webhook = { path: 'in', requiresKey: true }
    const made = await put('bots/bot-1/flows/hook', { ...flow, webhook })
    const { key } = made.json.webhook
    assert.match(key, /^svc_fk_[A-Za-z0-9]{43,}$/)
    const stored = {
      ...record,
      webhook: { ...webhook, keyLastFour: key.slice(-4), ordered: false, signature: null, dedupe: null },
    }
    assertAnswer(made, 201, { ...stored, webhook: { ...stored.webhook, key } })
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook }), 200, stored)
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, stored)
    assert.equal(await send(world, key), 202)
    assert.equal(await send(world, 'wrong'), 401)
  })

  test('a flow key in the request is stored and not returned; a null key creates a new key', async (t) => {
    const { world, put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: true }
    const own = await put('bots/bot-1/flows/hook', {
      ...flow,
      webhook: { ...webhook, key: 'our own key'.replaceAll(' ', '-') },
    })
    assertAnswer(own, 201, {
      ...record,
      webhook: { ...webhook, keyLastFour: '-key', ordered: false, signature: null, dedupe: null },
    })
    assert.equal(await send(world, 'our-own-key'), 202)
    const renewed = (await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, key: null } })).json.webhook
      .key
    assert.equal(await send(world, 'our-own-key'), 401)
    assert.equal(await send(world, renewed), 202)
  })

  test('our choice: webhook.signature is returned without its secret; PUT keeps it if absent and clears it if null', async (t) => {
    const { put, get } = await openScene(t)
    const webhook = { path: 'in', requiresKey: false }
    const shown = (signature: object | null) => ({
      ...record,
      webhook: {
        ...webhook,
        keyLastFour: null,
        ordered: false,
        signature: signature && { ...signature, previousSecretEndsAt: null },
        dedupe: null,
      },
    })
    const putSigned = (signature?: object | null) =>
      put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, signature } })
    assertAnswer(await putSigned({ preset: 'github', secret: 'a secret' }), 201, shown({ preset: 'github' }))
    assertAnswer(await putSigned(), 200, shown({ preset: 'github' }))
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, shown({ preset: 'github' }))
    assertAnswer(await putSigned({ preset: 'slack' }), 200, shown({ preset: 'slack' }))
    const hmac = { preset: 'hmac', header: 'X-Sig', hash: 'sha256', encoding: 'hex', prefix: '' }
    assertAnswer(await putSigned({ preset: 'hmac', header: 'X-Sig', secret: 'another' }), 200, shown(hmac))
    const discord = { preset: 'discord', publicKey: 'aa'.repeat(32) }
    assertAnswer(await putSigned({ ...discord, publicKey: 'AA'.repeat(32) }), 200, shown(discord))
    assertProblem(await putSigned({ preset: 'stripe' }), 400, ['#/webhook/signature/secret'])
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, shown(discord))
    assertAnswer(await putSigned(null), 200, shown(null))
  })

  test('our choice: an invalid webhook.signature returns 400 with a pointer to the member, and changes nothing', async (t) => {
    const { put, get } = await openScene(t)
    const faulty: [object, string][] = [
      [{ preset: 'gitlab', secret: 's' }, '#/webhook/signature/preset'],
      [{ preset: 'github', secret: '' }, '#/webhook/signature/secret'],
      [{ preset: 'github', secret: 'a\u0000b' }, '#/webhook/signature/secret'],
      [{ preset: 'github', secret: 'x'.repeat(257) }, '#/webhook/signature/secret'],
      [{ preset: 'github' }, '#/webhook/signature/secret'],
      [{ preset: 'github', secret: 's', header: 'X-Sig' }, '#/webhook/signature'],
      [{ preset: 'github', secret: 's', strange: true }, '#/webhook/signature/strange'],
      [{ preset: 'discord', publicKey: 'ab' }, '#/webhook/signature/publicKey'],
      [{ preset: 'discord' }, '#/webhook/signature/publicKey'],
      [{ preset: 'discord', publicKey: 'aa'.repeat(32), secret: 's' }, '#/webhook/signature'],
      [{ preset: 'hmac', secret: 's' }, '#/webhook/signature/header'],
      [{ preset: 'hmac', secret: 's', header: 'a b' }, '#/webhook/signature/header'],
      [{ preset: 'hmac', secret: 's', header: 'a', hash: 'md5' }, '#/webhook/signature/hash'],
      [{ preset: 'hmac', secret: 's', header: 'a', encoding: 'base32' }, '#/webhook/signature/encoding'],
      [{ preset: 'hmac', secret: 's', header: 'a', prefix: 'a b' }, '#/webhook/signature/prefix'],
      [{ secret: 's' }, '#/webhook/signature/preset'],
      [{ preset: 'github', secret: 's', secretBefore: 'ends-tomorrow' }, '#/webhook/signature/secretBefore'],
      [{ preset: 'discord', publicKey: 'aa'.repeat(32), secretBefore: 'ends-now' }, '#/webhook/signature'],
      [{ preset: 'standard-webhooks', secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, '#/webhook/signature/secret'],
      [{ preset: 'standard-webhooks', secret: 'whsec_' }, '#/webhook/signature/secret'],
      [{ preset: 'standard-webhooks', secret: 'whsec_a b' }, '#/webhook/signature/secret'],
      [{ preset: 'token', secret: 's' }, '#/webhook/signature/header'],
      [{ preset: 'token', secret: 's', header: 'X Token' }, '#/webhook/signature/header'],
      [{ preset: 'token', secret: 's', header: 'X-Token', prefix: 'a' }, '#/webhook/signature'],
      [{ preset: 'hmac', secret: 's', header: 'a', signed: 'text' }, '#/webhook/signature/signed'],
      [{ preset: 'hmac', secret: 's', header: 'a', signed: '{body}{body}' }, '#/webhook/signature/signed'],
      [{ preset: 'hmac', secret: 's', header: 'a', signed: '{body}é' }, '#/webhook/signature/signed'],
      [{ preset: 'hmac', secret: 's', header: 'a', signed: '{timestamp}.{body}' }, '#/webhook/signature'],
      [{ preset: 'hmac', secret: 's', header: 'a', timestampPart: 't' }, '#/webhook/signature'],
      [
        {
          preset: 'hmac',
          secret: 's',
          header: 'a',
          signed: '{timestamp}{body}',
          timestampPart: 't',
          timestampHeader: 'b',
        },
        '#/webhook/signature',
      ],
      [
        { preset: 'hmac', secret: 's', header: 'a', signed: '{timestamp}{body}', timestampPart: 'a=' },
        '#/webhook/signature/timestampPart',
      ],
    ]
    for (const [signature, pointer] of faulty) {
      const webhook = { path: 'in', requiresKey: false, signature }
      assertProblem(await put('bots/bot-1/flows/hook', { ...flow, webhook }), 400, [pointer])
    }
    assert.equal((await get('bots/bot-1/flows/hook')).status, 404)
  })

  test('our choice: webhook.dedupe has a header or a JSON pointer, and a window; PUT keeps it if absent and clears it if null', async (t) => {
    const { put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: false }
    const putDedupe = (dedupe?: object | null) =>
      put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, dedupe } })
    const shown = (dedupe: object | null) => ({
      ...record,
      webhook: { ...webhook, keyLastFour: null, ordered: false, signature: null, dedupe },
    })
    const byHeader = { header: 'X-GitHub-Delivery', windowSeconds: 3_600 }
    assertAnswer(await putDedupe(byHeader), 201, shown(byHeader))
    assertAnswer(await putDedupe(), 200, shown(byHeader))
    assertAnswer(await putDedupe({ pointer: '/id' }), 200, shown({ pointer: '/id', windowSeconds: 86_400 }))
    const faulty: [object, string][] = [
      [{}, '#/webhook/dedupe'],
      [{ header: 'a', pointer: '/a' }, '#/webhook/dedupe'],
      [{ header: 'a b' }, '#/webhook/dedupe/header'],
      [{ pointer: 'id' }, '#/webhook/dedupe/pointer'],
      [{ pointer: '' }, '#/webhook/dedupe/pointer'],
      [{ pointer: '/~2' }, '#/webhook/dedupe/pointer'],
      [{ header: 'a', windowSeconds: 0 }, '#/webhook/dedupe/windowSeconds'],
      [{ header: 'a', windowSeconds: 86_401 }, '#/webhook/dedupe/windowSeconds'],
      [{ header: 'a', windowSeconds: 1.5 }, '#/webhook/dedupe/windowSeconds'],
    ]
    for (const [dedupe, pointer] of faulty) assertProblem(await putDedupe(dedupe), 400, [pointer])
    assertAnswer(await putDedupe(null), 200, shown(null))
  })

  test('our choice: webhook.ordered keeps the flow’s events in strict order; PUT keeps it if absent and clears it if null', async (t) => {
    const { put, get } = await openScene(t)
    const webhook = { path: 'in', requiresKey: false }
    const ordered = {
      ...record,
      webhook: { ...webhook, keyLastFour: null, ordered: true, signature: null, dedupe: null },
    }
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, ordered: true } }), 201, ordered)
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook }), 200, ordered)
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, ordered)
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, ordered: 'yes' } }), 400, [
      '#/webhook/ordered',
    ])
    const cleared = {
      ...record,
      webhook: { ...webhook, keyLastFour: null, ordered: false, signature: null, dedupe: null },
    }
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, ordered: null } }), 200, cleared)
    await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, ordered: true } })
    await put('bots/bot-1/flows/hook', { ...flow, webhook: null })
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook }), 200, cleared)
  })

  test('a webhook with an invalid path or key, or on a flow whose kind is not event, returns 400', async (t) => {
    const { put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: true }
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, kind: 'timer', webhook }), 400, ['#/webhook'])
    for (const path of ['', 'a b', 'ä', 'a%20b', 'a?b', 'x'.repeat(101)]) {
      const faulty = await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, path } })
      assertProblem(faulty, 400, ['#/webhook/path'])
    }
    for (const key of ['', 'a b', 'ä', 'x'.repeat(257)]) {
      assertProblem(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, key } }), 400, [
        '#/webhook/key',
      ])
    }
    for (const kind of ['', 'Event', 'x'.repeat(33)])
      assertProblem(await put('bots/bot-1/flows/f', { ...flow, kind }), 400, ['#/kind'])
    assertProblem(await put('bots/nobody/flows/hook', flow), 400, /no such bot/)
    await put('bots/bot-1/flows/hook', { ...flow, webhook })
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, kind: 'timer' }), 400, ['#/webhook'])
  })

  test('our choice: a webhook path with the segment . or .. returns 400 with the reason, also if it is percent-encoded', async (t) => {
    const { put } = await openScene(t)
    const at = (path: string) => put('bots/bot-1/flows/hook', { ...flow, webhook: { path, requiresKey: false } })
    for (const path of ['.', '..', '/..', 'github/../x', './x', 'x/.', 'x/..', 'a/./b']) {
      const answer = await at(path)
      assertProblem(answer, 400, ['#/webhook/path'])
      assert.match(JSON.stringify(answer.json), /HTTP clients change URLs that contain them/, path)
    }
    for (const path of ['github/%2e%2E/x', '%2e', 'x/.%2e']) {
      const answer = await at(path)
      assertProblem(answer, 400, ['#/webhook/path'])
      assert.match(JSON.stringify(answer.json), /without \. and \.\. as segments/, path)
    }
    for (const path of ['...', 'a..b', '.well-known/x', 'v1.2', 'a.']) assert.ok((await at(path)).status < 300, path)
  })

  test('our choice: slashes before a webhook path are removed', async (t) => {
    const { put, world } = await openScene(t)
    const webhook = { path: '/in', requiresKey: false }
    const { json } = await put('bots/bot-1/flows/hook', { ...flow, webhook })
    assert.equal(json.webhook.path, 'in')
    assert.equal((await fetch(`${world.apiUrl}/bot-1/in`, { method: 'POST', body: 'x' })).status, 202)
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, path: '/' } }), 400, [
      '#/webhook/path',
    ])
    const longest = `/${'x'.repeat(100)}`
    assert.equal((await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, path: longest } })).status, 200)
  })

  test('our choice: a signing secret is used without the white space around it', async (t) => {
    const { put, world } = await openScene(t)
    const signature = { preset: 'github', secret: ' hush hush\n' }
    await put('bots/bot-1/flows/hook', { ...flow, webhook: { path: 'in', requiresKey: false, signature } })
    const signed = createHmac('sha256', 'hush hush').update('x').digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${signed}` }
    assert.equal((await fetch(`${world.apiUrl}/bot-1/in`, { method: 'POST', body: 'x', headers })).status, 202)
    const blank = { path: 'in', requiresKey: false, signature: { preset: 'github', secret: ' \t' } }
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, webhook: blank }), 400, ['#/webhook/signature/secret'])
  })

  test('our choice: a Discord public key that is no point of Ed25519’s curve, or one of small order, returns 400', async (t) => {
    const { put } = await openScene(t)
    const putKey = (publicKey: string) =>
      put('bots/bot-1/flows/hook', {
        ...flow,
        webhook: { path: 'in', requiresKey: false, signature: { preset: 'discord', publicKey } },
      })
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

  test('a webhook path that another of the bot’s flows uses returns 409', async (t) => {
    const { put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: false }
    await put('bots/bot-1/flows/hook', { ...flow, webhook })
    assertProblem(await put('bots/bot-1/flows/other', { ...flow, webhook }), 409, ['#/webhook/path'])
  })

  test('our choice: DELETE removes the flow, and its webhook returns 404', async (t) => {
    const { world, put, get, remove } = await openScene(t)
    await put('bots/bot-1/flows/hook', { ...flow, webhook: { path: 'in', requiresKey: false } })
    assert.equal(await send(world), 202)
    assert.equal((await remove('bots/bot-1/flows/hook')).status, 204)
    assert.equal(await send(world), 404)
    assertProblem(await get('bots/bot-1/flows/hook'), 404, /no flow hook/)
    assertProblem(await remove('bots/bot-1/flows/hook'), 404, /no flow hook/)
  })

  async function send(world: World, key?: string) {
    const headers = key === undefined ? {} : { 'svc-key': key }
    const { status } = await fetch(`${world.apiUrl}/bot-1/in`, { method: 'POST', body: 'x', headers })
    return status
  }
})

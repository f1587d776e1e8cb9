import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { exported } from '../support/audit.ts'
import { BotRuntime, makeRuntime, untilStored } from '../support/bot-runtime.ts'
import {
  fieldErrorOf,
  noticeOf,
  openBot,
  provision,
  send,
  shown,
  unescapeHtml,
  visibleWordsIn,
} from '../support/people.ts'
import { lacks } from '../support/test-programs.ts'

/** Opens the scene with a flow `orders` that requires a key. `put` changes its webhook. */
async function withFlow(t: TestContext, webhook: object = {}, env: Record<string, string> = {}) {
  const scene = await openBot(t, env)
  const put = (change: object, id = 'orders') => {
    const body = { kind: 'event', name: 'Orders', webhook: { path: id, requiresKey: true, ...change } }
    return provision(scene.world, 'PUT', `/v1/bots/bot-1/flows/${id}`, body)
  }
  const { key } = (await put(webhook)).json.webhook
  const post = async (headers: Record<string, string> = {}) =>
    (await fetch(`${scene.world.apiUrl}/bot-1/orders`, { method: 'POST', body: 'x', headers })).status
  const webhookStatus = (key?: string) => post(key === undefined ? {} : { 'svc-key': key })
  return { ...scene, put, key: key as string, post, webhookStatus }
}

/** Opens a flow with a runtime that hosts its bot. */
async function withRuntime(t: TestContext) {
  const scene = await withFlow(t)
  const { key: runtimeKey } = await makeRuntime(scene.world)
  return { ...scene, ...(await BotRuntime.ready(t, scene.world, runtimeKey)) }
}

/** Runs the page's samples and asserts that what each prints includes `expected`. */
async function runSamples(page: string, secrets: Record<string, string>, expected: string): Promise<void> {
  const sample = (language: string) => {
    const found = new RegExp(`<pre [^>]*aria-label="Send a webhook, ${language}"><code[^>]*>([^<]*)</code>`).exec(
      page,
    )?.[1]
    return unescapeHtml(found ?? assert.fail(`no sample for ${language}`))
  }
  const options = { env: { ...process.env, ...secrets } }
  const print = async (commands: string) => {
    const run = await promisify(execFile)('sh', ['-c', commands], options).catch((error) => error)
    return `${run.stdout}${run.stderr}`
  }
  const withStatus = sample('curl').replace('curl', 'curl --silent --write-out "%{http_code} " --output -')
  const curl = (await print(withStatus)).replace(/^(.*)(\d{3}) $/s, '$2 $1')
  const node = await print(sample('Node'))
  const python = await print(sample('Python'))
  for (const [language, printed] of Object.entries({ curl, node, python })) {
    assert.ok(printed.includes(expected), `${language}: ${printed}`)
  }
}

describe('our choice: the page of a flow', () => {
  const secret = 'a signing secret'
  const signed = 'v1:{timestamp}x{body}https://"$x`.example'
  const signatures = [
    { preset: 'github', secret },
    { preset: 'stripe', secret: 'whsec_$a signing secret' },
    { preset: 'slack', secret },
    { preset: 'shopify', secret },
    { preset: 'hmac', secret, header: 'X-Sign', hash: 'sha512', encoding: 'base64', prefix: '"$x`=' },
    { preset: 'hmac', secret, header: 'X-Signed', prefix: 'h1=', signed, timestampPart: 'ts' },
    { preset: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    { preset: 'token', secret: 'Bearer a token', header: 'Authorization' },
  ]
  for (const signature of signatures) {
    test(`the samples in curl, Node and Python for a flow with ${[signature.preset, signature.signed].join(' ')} signatures are signed and accepted`, async (t) => {
      if (lacks(t, 'curl', 'openssl', 'python3')) return
      const { world, as, at, key } = await withFlow(t, { signature })
      const ada = await as('ada')
      assert.match(visibleWordsIn(await ada.get(at('/bots/bot-1/flows'))), /Key and signature/)
      const { text } = await ada.get(at('/bots/bot-1/flows/orders'))
      // The samples sign with the machine’s real time.
      world.clock.jump(Date.now() - world.clock.nowMs())
      const secrets = { GATEHOUSE_FLOW_KEY: key, GATEHOUSE_SIGNING_SECRET: signature.secret }
      await runSamples(text, secrets, '202 {"ok": true}')
      await runSamples(text, { ...secrets, GATEHOUSE_SIGNING_SECRET: 'another+' }, '401')
    })
  }

  test('a new key is part of the samples, so that they work as they are; otherwise the page names the variable to set; the samples of a flow that checks nothing need none', async (t) => {
    if (lacks(t, 'curl', 'python3')) return
    const { world, as, at, put, key } = await withFlow(t)
    const ada = await as('ada')
    await put({ requiresKey: false })
    const open = await ada.get(at('/bots/bot-1/flows/orders'))
    await runSamples(open.text, {}, '202 {"ok": true}')

    await put({})
    const page = await ada.get(at('/bots/bot-1/flows/orders'))
    assert.match(
      visibleWordsIn(page),
      /First set GATEHOUSE_FLOW_KEY to the flow’s key\. If you don’t have it, replace it below\./,
    )
    await runSamples(page.text, { GATEHOUSE_FLOW_KEY: key }, '202 {"ok": true}')
    const made = await send(ada, world, '/bots/bot-1/flows/orders/key', { key_before: 'ends-now' })
    assert.doesNotMatch(visibleWordsIn(made), /First set/)
    await runSamples(made.text, { GATEHOUSE_FLOW_KEY: '' }, '202 {"ok": true}')
  })

  test('a flow with Discord signatures has no curl sample; one without key and signature has an unsigned sample, and its page warns that anyone can start it', async (t) => {
    const signature = { preset: 'discord', publicKey: 'aa'.repeat(32) }
    const { as, at, put } = await withFlow(t, { requiresKey: false, signature })
    const ada = await as('ada')
    assert.match(visibleWordsIn(await ada.get(at('/bots/bot-1/flows'))), /Signature/)
    const page = await ada.get(at('/bots/bot-1/flows/orders'))
    assert.match(visibleWordsIn(page), /Only Discord can send webhooks here/)
    assert.ok(!page.text.includes('curl'))

    await put({ requiresKey: false }, 'open')
    assert.match(visibleWordsIn(await ada.get(at('/bots/bot-1/flows'))), /\bNone\b/)
    const open = (await ada.get(at('/bots/bot-1/flows/open'))).text
    assert.doesNotMatch(open, /openssl|svc-key: /)
    assert.match(open, /Anyone who knows the URL can start this flow/)
    assert.match(visibleWordsIn(page), /Unsigned webhooks are rejected/)
    assert.doesNotMatch(page.text, /Anyone who knows the URL/)
  })

  test('the page of a flow shows the webhook URL, but only the last characters of a key', async (t) => {
    const { world, as, at, key } = await withFlow(t)
    for (const name of ['ada', 'ed', 'vi'] as const) {
      const browser = await as(name)
      const list = await browser.get(at('/bots/bot-1/flows'))
      assert.match(list.text, /href="\/bots\/bot-1\/flows\/orders" title="Orders">Orders/)
      const page = await browser.get(at('/bots/bot-1/flows/orders'))
      assert.equal(shown(page, 'webhook-address'), `${world.apiUrl}/bot-1/orders`)
      assert.match(page.text, new RegExp(`••••${key.slice(-4)}`))
      assert.doesNotMatch(page.text, new RegExp(key))
      // A redirect keeps the fragment of a form’s action, so the browser would scroll past the notice.
      assert.doesNotMatch(page.text, /<form[^>]* method="post" action="[^"]*#/)
    }
    assert.equal((await (await as('ada')).get(at('/bots/bot-1/flows/nothing'))).status, 404)
  })

  test('a new flow key, made by the owner or a viewer with the keys capability, is shown once and works immediately; the previous key works for 24 more hours or stops working immediately', async (t) => {
    const { world, as, at, key, webhookStatus } = await withFlow(t)
    const browser = await as('ada')
    const asked = await browser.get(at('/bots/bot-1/flows/orders/key'))
    const made = await browser.submit(asked, { key_before: 'ends-in-24-hours' }, '/key')
    const second = shown(made, 'flow-key')
    assert.match(second, /^svc_fk_\w+$/)
    assert.match(
      made.text,
      /<p>Copy the key now: <strong>it is shown only once<\/strong>\. Senders [^\n]*rejected\.<\/p>/,
    )
    assert.equal(made.headers.get('cache-control'), 'no-store')
    assert.deepEqual(
      [await webhookStatus(key), await webhookStatus(second), await webhookStatus('wrong')],
      [202, 202, 401],
    )
    assert.doesNotMatch((await browser.get(at('/bots/bot-1/flows/orders'))).text, new RegExp(second))
    const third = shown(await browser.submit(asked, { key_before: 'ends-now' }, '/key'), 'flow-key')
    assert.deepEqual(
      [await webhookStatus(key), await webhookStatus(second), await webhookStatus(third)],
      [401, 401, 202],
    )
    assert.ok(!world.logs().includes(third))
    await provision(world, 'PUT', '/v1/bots/bot-1/coworkers/vi', { role: 'viewer', capabilities: ['keys'] })
    const byViewer = await send(await as('vi'), world, '/bots/bot-1/flows/orders/key', { key_before: 'ends-now' })
    assert.equal(await webhookStatus(shown(byViewer, 'flow-key')), 202)
  })

  test('a previous flow key can be revoked; the only key can’t be revoked while the flow requires a key; new and revoked keys are audited', async (t) => {
    const { world, as, at, key, webhookStatus } = await withFlow(t)
    const browser = await as('ada')
    await browser.submitAt(at('/bots/bot-1/flows/orders/key'), {}, '/key')
    assert.equal(await webhookStatus(key), 202)
    const page = await browser.get(at('/bots/bot-1/flows/orders'))
    const [, end = ''] = /href="([^"]*\/keys\/\d+\/end)"/.exec(page.text) ?? []
    const ended = await browser.submitAt(at(end), {}, '/end')
    assert.equal(ended.location?.search, '')
    assert.equal(await webhookStatus(key), 401)
    assert.equal((await browser.get(at(end))).status, 404, 'the key no longer exists')
    assert.doesNotMatch((await browser.get(at('/bots/bot-1/flows/orders'))).text, /keys\/\d+\/end/)
    const audited = (await exported(world)).filter(({ kind }) => kind.startsWith('flow-key'))
    const flow = { flow: 'orders', name: 'Orders' }
    assert.deepEqual(
      audited.map(({ kind, userId, botId, detail }) => [kind, userId, botId, detail]),
      [
        ['flow-key-made', 'ada', 'bot-1', { ...flow, before: 'ends in 24 hours' }],
        ['flow-key-ended', 'ada', 'bot-1', flow],
      ],
    )
  })

  test('a test webhook has its own page, needs no key and is delivered like any other; it is marked in the dispatch, on its page, in lists and in the API, also when it is replayed, and is audited', async (t) => {
    const { world, as, at, key, webhookStatus, runtime } = await withRuntime(t)
    assert.equal(await webhookStatus(key), 202)
    const untested = await runtime.next('dispatch')
    assert.equal('test' in untested, false)

    const browser = await as('ada')
    const path = '/bots/bot-1/flows/orders/test'
    assert.match((await browser.get(at('/bots/bot-1/flows/orders'))).text, new RegExp(`href="${path}"`))
    const page = await browser.get(at(path))
    const written = unescapeHtml(/<textarea name="body"[^>]*>\n([^<]*)</.exec(page.text)?.[1] ?? '')
    const sentAt = new Date(world.clock.nowMs()).toISOString()
    assert.deepEqual(JSON.parse(written), { test: true, bot: 'bot-1', flow: 'orders', sentAt })
    const wrong = await browser.submit(page, { body: 'kept', user_agent: 'ä' }, '/test')
    assert.equal(wrong.status, 422)
    assert.match(fieldErrorOf(wrong, 'user_agent'), /visible ASCII/)
    assert.match(wrong.text, /<textarea name="body"[^>]*>\nkept</)
    const large = await browser.submit(page, { body: '"'.repeat(65_537) }, '/test')
    assert.match(fieldErrorOf(large, 'body'), /at most 64 KiB/)

    const fields = { body: '{\r\n "my": "test"}', content_type: 'application/json', user_agent: '', request_id: 'r-1' }
    const sent = await browser.submit(page, fields, '/test')
    const { delivery, id, ...dispatch } = await runtime.next('dispatch')
    assert.deepEqual([sent.status, sent.location?.pathname], [303, `/bots/bot-1/deliveries/${id}`])
    assert.deepEqual([dispatch.flowId, dispatch.path, dispatch.test], ['orders', 'orders', true])
    assert.deepEqual(dispatch.headers, { 'content-type': 'application/json', 'x-request-id': 'r-1' })
    assert.equal(Buffer.from(dispatch.body, 'base64').toString(), '{\n "my": "test"}')
    runtime.send({ type: 'ack', deliveries: [untested.delivery, delivery] })
    await untilStored(world, 'bot-1', id)

    const shown = await browser.onward(sent, world)
    assert.match(shown.text, /Test webhook accepted\.[\s\S]*A test webhook\./)
    assert.doesNotMatch((await browser.get(at(`/bots/bot-1/deliveries/${untested.id}`))).text, /A test webhook\./)
    assert.match((await browser.get(at('/bots/bot-1/deliveries'))).text, />Test</)
    const { items } = (await provision(world, 'GET', '/v1/bots/bot-1/deliveries')).json
    const tests = Object.fromEntries(items.map((each: Record<string, unknown>) => [each.id, each.test]))
    assert.deepEqual(tests, { [id]: true, [untested.id]: undefined })
    await browser.submit(shown, {}, '/replay')
    const replayed = await runtime.next('dispatch')
    assert.deepEqual([replayed.replayOf, replayed.test], [id, true])
    const audited = (await exported(world)).filter(({ kind }) => kind === 'webhook-tested')
    assert.deepEqual(
      audited.map(({ userId, botId, detail }) => ({ userId, botId, ...detail })),
      [{ userId: 'ada', botId: 'bot-1', flow: 'orders', event: id }],
    )
    assert.match(visibleWordsIn(await browser.get(at('/account/activity'))), /sent a test webhook to bot Weather/)
  })

  test('a collaborator with the flows capability tests a flow that checks neither keys nor signatures; a protected flow needs keys as well', async (t) => {
    const { as, at, put } = await withFlow(t)
    const browser = await as('ed')
    const path = '/bots/bot-1/flows/orders'
    const test = async () => {
      const linked = (await browser.get(at(path))).text.includes(`href="${path}/test"`)
      return [linked, (await browser.get(at(`${path}/test`))).status]
    }
    assert.deepEqual(await test(), [false, 403])
    assert.equal((await put({ requiresKey: false })).status, 200)
    assert.deepEqual(await test(), [true, 200])
    const open = await browser.get(at(`${path}/test`))
    assert.equal((await put({})).status, 200)
    assert.equal((await browser.submit(open, { body: 'x' }, '/test')).status, 403)
  })

  for (const signature of [
    { preset: 'token', secret: 'hush', header: 'X-Gitlab-Token' },
    { preset: 'discord', publicKey: 'aa'.repeat(32) },
  ]) {
    test(`a test webhook for a flow with ${signature.preset} signatures is accepted, and accepted again if it is sent a second time`, async (t) => {
      const { world, as, at } = await withFlow(t, { signature, dedupe: { header: 'x-request-id' } })
      const ada = await as('ada')
      const page = await ada.get(at('/bots/bot-1/flows/orders/test'))
      assert.match(visibleWordsIn(page), signature.preset === 'discord' ? /is not signed/ : /Gatehouse signs the test/)
      for (let times = 0; times < 2; times += 1) {
        assert.equal((await ada.submit(page, { body: 'x', request_id: '1' }, '/test')).status, 303)
      }
      assert.equal((await world.service.queue.log.page('bot-1' as never, {}, { most: 9 })).events.length, 2)
      assert.doesNotMatch(world.logs(), /hush/)
    })
  }

  test('a test webhook that is refused because the queue is full gets a 503 page with an explanation and keeps its input', async (t) => {
    const { as, at, key, webhookStatus } = await withFlow(t, {}, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    assert.equal(await webhookStatus(key), 202)
    const ada = await as('ada')
    const refused = await ada.submitAt(at('/bots/bot-1/flows/orders/test'), { body: 'mine' }, '/test')
    assert.equal(refused.status, 503)
    assert.match(noticeOf(refused), /The bot’s queue is full/)
    assert.match(refused.text, /<textarea name="body"[^>]*>\nmine</)
  })
})

describe('our choice: order, deduplication and signature settings of a flow', () => {
  test('an editor sets order and deduplication of a flow, and the owner its signature; an invalid input is kept with an error at its field, except for secrets', async (t) => {
    const { world, as, at, key, post } = await withFlow(t)
    const browser = await as('ada')
    const path = '/bots/bot-1/flows/orders'
    const page = await browser.get(at(path))
    const taking = { ordered: 'yes', dedupe_by: 'header', dedupe_header: 'x-id', dedupe_window: '60' }
    const editor = await as('ed')
    const taken = await editor.submitAt(at(path), taking, '/taking')
    assert.deepEqual([taken.status, taken.location?.search], [303, ''])
    const signature = { preset: 'hmac', secret: 'hush-hush', header: 'x-sig', hash: 'sha512', encoding: 'base64' }
    assert.equal((await browser.submit(page, signature, '/signature')).status, 303)
    const { webhook } = (await provision(world, 'GET', '/v1/bots/bot-1/flows/orders')).json
    assert.deepEqual([webhook.ordered, webhook.dedupe], [true, { header: 'x-id', windowSeconds: 60 }])
    assert.equal(webhook.signature.preset, 'hmac')
    const signed = createHmac('sha512', 'hush-hush').update('x').digest('base64')
    const send = (signature: string) => post({ 'svc-key': key, 'x-sig': signature })
    assert.deepEqual([await send('wrong'), await send(signed)], [401, 202])
    assert.doesNotMatch((await browser.get(at(path))).text, /hush-hush/)
    assert.ok(!world.logs().includes('hush-hush'))
    const wrongTaking = { dedupe_by: 'pointer', dedupe_pointer: 'id', dedupe_window: '1.5' }
    const wrong = await browser.submit(page, wrongTaking, '/taking')
    assert.equal(wrong.status, 422)
    assert.match(fieldErrorOf(wrong, 'dedupe_pointer'), /JSON pointer/)
    assert.match(fieldErrorOf(wrong, 'dedupe_window'), /whole number of seconds/)
    assert.match(wrong.text, /name="dedupe_pointer"[^>]*value="id"/)
    const wrongSignature = { preset: 'discord', public_key: 'zz', secret: 'whisper' }
    const unsigned = await browser.submit(page, wrongSignature, '/signature')
    assert.match(fieldErrorOf(unsigned, 'public_key'), /64 hexadecimal digits/)
    const noKey = await browser.submit(page, { ...wrongSignature, public_key: 'ab'.repeat(32) }, '/signature')
    assert.match(fieldErrorOf(noKey, 'public_key'), /No Ed25519 public key has these digits/)
    assert.doesNotMatch(unsigned.text, /whisper/)
    assert.equal((await browser.submit(page, { preset: '' }, '/signature')).status, 303)
    assert.equal(await post({ 'svc-key': key }), 202)
  })

  test('the owner sets a token or an HMAC of timestamp and body, and ends the previous secret', async (t) => {
    const { world, as, at, key, post } = await withFlow(t)
    const browser = await as('ada')
    const path = '/bots/bot-1/flows/orders'
    const save = async (signature: Record<string, string>) =>
      (await browser.submitAt(at(path), signature, '/signature')).status
    const stored = async () => (await provision(world, 'GET', '/v1/bots/bot-1/flows/orders')).json.webhook.signature
    const previousSecretEndsAt = null
    assert.equal(await save({ preset: 'token', header: 'X-Gitlab-Token', secret: 'first' }), 303)
    assert.deepEqual(await stored(), { preset: 'token', header: 'X-Gitlab-Token', previousSecretEndsAt })
    const statuses = async () => [
      await post({ 'svc-key': key, 'x-gitlab-token': 'first' }),
      await post({ 'svc-key': key, 'x-gitlab-token': 'second' }),
    ]
    assert.doesNotMatch((await browser.get(at(path))).text, /previous signing secret/)
    assert.equal(await save({ preset: 'token', header: 'X-Gitlab-Token', secret: 'second' }), 303)
    const page = await browser.get(at(path))
    assert.match(visibleWordsIn(page), /previous signing secret is accepted too; it expires /)
    assert.deepEqual(await statuses(), [202, 202])
    assert.equal((await browser.submit(page, {}, '/previous-secret/end')).status, 303)
    assert.deepEqual(await statuses(), [401, 202])
    assert.doesNotMatch((await browser.get(at(path))).text, /previous signing secret/)

    const hmac = { preset: 'hmac', header: 'Paddle-Signature', hash: 'sha256', encoding: 'hex', prefix: 'h1=' }
    const zoned = { ...hmac, signed: '{timestamp}:{body}', timestamp_part: 'ts', timestamp_header: '' }
    assert.equal(await save(zoned), 303)
    const { signed } = zoned
    assert.deepEqual(await stored(), { ...hmac, signed, timestampPart: 'ts', previousSecretEndsAt })
    const wrong = await browser.submitAt(at(path), { ...zoned, timestamp_part: '' }, '/signature')
    assert.match(fieldErrorOf(wrong, 'timestamp_header'), /either its header or its name/)
    const malformed = await browser.submit(page, { ...zoned, signed: 'x' }, '/signature')
    assert.match(fieldErrorOf(malformed, 'signed'), /with \{body\} once/)
  })
})

describe('our choice: creating and removing flows on the bot’s pages, with OWNER_FLOWS=on', () => {
  test('the owner creates a flow, sees its key once, and removes it after a confirmation', async (t) => {
    const { world, as, at } = await openBot(t, { OWNER_FLOWS: 'on' })
    const browser = await as('ada')
    const list = await browser.get(at('/bots/bot-1/flows'))
    assert.match(list.text, /Create one to receive webhooks/)
    const made = await browser.submit(list, { name: 'Orders', path: ' /orders ' }, '/bots/bot-1/flows')
    assert.equal(made.status, 200)
    const key = shown(made, 'flow-key')
    assert.match(key, /^svc_fk_/)
    const post = (headers: Record<string, string>) =>
      fetch(`${world.apiUrl}/bot-1/orders`, { method: 'POST', headers, body: '{}' })
    assert.deepEqual([(await post({})).status, (await post({ 'svc-key': key })).status], [401, 202])

    const flowPath = /href="(\/bots\/bot-1\/flows\/\w+)"/.exec((await browser.get(at('/bots/bot-1/flows'))).text)?.[1]
    const flow = await browser.get(at(flowPath ?? ''))
    assert.match(flow.text, new RegExp(`href="${flowPath}/removal"`))
    const question = await browser.get(at(`${flowPath}/removal`))
    assert.match(question.text, /<h1>Remove Orders\?<\/h1>/)
    const gone = await browser.submit(question, {}, '/removal')
    assert.equal(gone.location?.pathname, '/bots/bot-1/flows')
    assert.match((await browser.onward(gone, world)).text, /Flow removed\./)
    assert.equal((await post({ 'svc-key': key })).status, 404)
    const kinds = (await exported(world)).map(({ kind }) => kind).filter((kind) => kind.startsWith('flow-'))
    assert.deepEqual(kinds, ['flow-created', 'flow-removed'])
  })

  test('a flow form with faults is shown again with its input and creates nothing', async (t) => {
    const { world, as, at } = await withFlow(t, {}, { OWNER_FLOWS: 'on' })
    const browser = await as('ada')
    const create = (fields: Record<string, string>) => send(browser, world, '/bots/bot-1/flows', fields)
    const bad = await create({ name: ' ', path: 'a b' })
    assert.equal(bad.status, 422)
    for (const fault of [/Enter a name\./, /Use 1 to 100 letters/, / value="a b"/]) assert.match(bad.text, fault)
    assert.equal(
      fieldErrorOf(await create({ name: 'Orders', path: 'x/%2E%2e' }), 'path'),
      'Remove the segments . and .., because HTTP clients change URLs that contain them.',
    )
    for (const character of '!"#$%&\'()*+,:;<=>?@[\\]^`{|}ä') {
      const refused = await create({ name: 'Orders', path: `a${character}b` })
      assert.match(fieldErrorOf(refused, 'path'), /Use 1 to 100 letters/)
    }
    const taken = await create({ name: 'Again', path: 'orders' })
    assert.match(taken.text, /Another flow of this bot uses this path/)
    const { text } = await browser.get(at('/bots/bot-1/flows'))
    assert.equal([...text.matchAll(/href="\/bots\/bot-1\/flows\/[^"]+"/g)].length, 1)
  })

  test('with OWNER_FLOWS off, the owner neither sees nor can send the flow form', async (t) => {
    const { world, as, at } = await openBot(t)
    const owner = await as('ada')
    assert.doesNotMatch((await owner.get(at('/bots/bot-1/flows'))).text, /New flow/)
    assert.equal((await send(owner, world, '/bots/bot-1/flows', { name: 'Orders', path: 'orders' })).status, 404)
  })
})

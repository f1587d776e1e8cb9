import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { audited, onBot } from '../support/audit.ts'
import { BotRuntime, makeRuntime, untilStored } from '../support/bot-runtime.ts'
import {
  assertShows,
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
import { pluck } from '../support/together.ts'

/** Opens the scene with a flow `orders` that requires a key. `put` changes a flow's webhook. */
async function withFlow(t: TestContext, webhook: object = {}, env: Record<string, string> = {}) {
  const scene = await openBot(t, env)
  const put = (change: object, id?: string) => scene.putFlow({ requiresKey: true, ...change }, id)
  const { key } = await put(webhook)
  const post = async (headers: Record<string, string> = {}) =>
    (await fetch(`${scene.world.apiUrl}/bot-1/orders`, { method: 'POST', body: 'x', headers })).status
  return { ...scene, put, key: key as string, post, page: scene.at('/bots/bot-1/flows/orders') }
}

/** Runs the page's samples and asserts that what each prints includes `expected`. */
async function runSamples(page: string, secrets: Record<string, string>, expected: string): Promise<void> {
  const sample = (language: string) => {
    const pattern = new RegExp(`<pre [^>]*aria-label="Send a webhook, ${language}"><code[^>]*>([^<]*)</code>`)
    return unescapeHtml(pattern.exec(page)?.[1] ?? assert.fail(`no sample for ${language}`))
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
    undefined,
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
    const checked = [signature?.preset ?? 'only a key', signature?.signed].join(' ').trim()
    test(`the samples in curl, Node and Python for a flow that checks ${checked} are accepted, and rejected with another secret`, async (t) => {
      if (lacks(t, 'curl', 'openssl', 'python3')) return
      const { world, ada, page, key } = await withFlow(t, { signature })
      const { text } = await ada.get(page)
      // The samples sign with the machine’s real time.
      world.clock.jump(Date.now() - world.clock.nowMs())
      const secrets = { GATEHOUSE_FLOW_KEY: key, GATEHOUSE_SIGNING_SECRET: signature?.secret ?? '' }
      await runSamples(text, secrets, '202 {"ok": true}')
      const wrong = signature === undefined ? { GATEHOUSE_FLOW_KEY: 'x' } : { GATEHOUSE_SIGNING_SECRET: 'another+' }
      await runSamples(text, { ...secrets, ...wrong }, '401')
    })
  }

  test('a new key is part of the samples, so that they work as they are; otherwise the page names the variable to set; the samples of a flow that checks nothing need none', async (t) => {
    if (lacks(t, 'curl', 'python3')) return
    const { world, ada, page, put } = await withFlow(t, { requiresKey: false })
    await runSamples((await ada.get(page)).text, {}, '202 {"ok": true}')
    await put({})
    const first = /First set GATEHOUSE_FLOW_KEY to the flow’s key\. If you don’t have it, replace it below\./
    assert.match(visibleWordsIn(await ada.get(page)), first)
    const made = await send(ada, world, '/bots/bot-1/flows/orders/key', { key_before: 'ends-now' })
    assert.doesNotMatch(visibleWordsIn(made), /First set/)
    await runSamples(made.text, { GATEHOUSE_FLOW_KEY: '' }, '202 {"ok": true}')
  })

  test('a flow with Discord signatures has no curl sample; one without key and signature has an unsigned sample, and its page warns that anyone can start it; the list of flows shows what each checks', async (t) => {
    const signature = { preset: 'discord', publicKey: 'aa'.repeat(32) }
    const { at, ada, page, put } = await withFlow(t, { requiresKey: false, signature })
    const discord = await ada.get(page)
    assert.match(visibleWordsIn(discord), /Only Discord can send webhooks here/)
    assert.match(visibleWordsIn(discord), /Unsigned webhooks are rejected/)
    assert.doesNotMatch(discord.text, /curl|Anyone who knows the URL/)

    await put({ requiresKey: false }, 'open')
    const open = (await ada.get(at('/bots/bot-1/flows/open'))).text
    assert.doesNotMatch(open, /openssl|svc-key: /)
    assert.match(open, /Anyone who knows the URL can start this flow/)
    await put({ signature: { preset: 'github', secret } }, 'signed')
    await put({}, 'with-key')
    const { text } = await ada.get(at('/bots/bot-1/flows'))
    const checks = [...text.matchAll(/data-label="Authentication"><span>([^<]*)</g)].map(([, said]) => said)
    assert.deepEqual(checks, ['None', 'Signature', 'Key and signature', 'Key'])
  })

  test('the page of a flow shows the webhook URL, but only the last characters of a key', async (t) => {
    const { world, as, at, ada, page, key } = await withFlow(t)
    for (const name of ['ada', 'ed', 'vi'] as const) {
      const browser = await as(name)
      const list = await browser.get(at('/bots/bot-1/flows'))
      assert.match(list.text, /href="\/bots\/bot-1\/flows\/orders" title="Orders">Orders/)
      const flow = await browser.get(page)
      assert.equal(shown(flow, 'webhook-address'), `${world.apiUrl}/bot-1/orders`)
      assert.match(flow.text, new RegExp(`••••${key.slice(-4)}`))
      assert.doesNotMatch(flow.text, new RegExp(key))
      // A redirect keeps the fragment of a form’s action, so the browser would scroll past the notice.
      assert.doesNotMatch(flow.text, /<form[^>]* method="post" action="[^"]*#/)
    }
    assert.equal((await ada.get(at('/bots/bot-1/flows/nothing'))).status, 404)
  })

  test('a new flow key, made by the owner or a viewer with the keys capability, is shown once and works immediately; the previous key works too, until it is revoked or a next key ends it; new and revoked keys are audited', async (t) => {
    const { world, as, at, ada, page, key, post } = await withFlow(t)
    const statuses = (...keys: string[]) => Promise.all(keys.map((each) => post({ 'svc-key': each })))
    const asked = await ada.get(`${page}/key`)
    const made = await ada.submit(asked, { key_before: 'ends-in-24-hours' }, '/key')
    const second = shown(made, 'flow-key')
    assert.match(second, /^svc_fk_\w+$/)
    const once = /Copy the key now: it is shown only once\. Senders send it in the header svc-key\. .*rejected\./
    assert.match(visibleWordsIn(made), once)
    assert.equal(made.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await statuses(key, second, 'wrong'), [202, 202, 401])
    const { text } = await ada.get(page)
    assert.doesNotMatch(text, new RegExp(second))

    const [, end = assert.fail('no link that revokes a key')] = /href="([^"]*\/keys\/\d+\/end)"/.exec(text) ?? []
    const ended = await ada.submitAt(at(end), {}, '/end')
    assert.deepEqual([ended.status, ended.location?.search], [303, ''])
    assert.deepEqual(await statuses(key, second), [401, 202])
    assert.equal((await ada.get(at(end))).status, 404, 'the key no longer exists')
    assert.doesNotMatch((await ada.get(page)).text, /keys\/\d+\/end/)

    const third = shown(await ada.submit(asked, { key_before: 'ends-now' }, '/key'), 'flow-key')
    assert.deepEqual(await statuses(second, third), [401, 202])
    assert.ok(!world.logs().includes(third))
    await provision(world, 'PUT', '/v1/bots/bot-1/coworkers/vi', { role: 'viewer', capabilities: ['keys'] })
    const byViewer = await send(await as('vi'), world, '/bots/bot-1/flows/orders/key', {})
    const fourth = shown(byViewer, 'flow-key')
    assert.deepEqual(await statuses(third, fourth), [202, 202], 'by default, the current key is kept')
    const flow = { flow: 'orders', name: 'Orders' }
    assert.deepEqual(await audited(world, /^flow-key/), [
      { kind: 'flow-key-made', ...onBot('ada'), detail: { ...flow, before: 'ends in 24 hours' } },
      { kind: 'flow-key-ended', ...onBot('ada'), detail: flow },
      { kind: 'flow-key-made', ...onBot('ada'), detail: { ...flow, before: 'ends now' } },
      { kind: 'flow-key-made', ...onBot('vi'), detail: { ...flow, before: 'ends in 24 hours' } },
    ])
  })

  test('a test webhook has its own page, needs no key and is delivered like any other; it is marked in the dispatch, on its page, in lists and in the API, also when it is replayed, and is audited', async (t) => {
    const { world, at, ada, page: flowPage, key, post } = await withFlow(t)
    const { runtime } = await BotRuntime.ready(t, world, (await makeRuntime(world)).key)
    assert.equal(await post({ 'svc-key': key }), 202)
    const untested = await runtime.next('dispatch')
    assert.equal('test' in untested, false)

    assert.match((await ada.get(flowPage)).text, /href="\/bots\/bot-1\/flows\/orders\/test"/)
    const page = await ada.get(`${flowPage}/test`)
    const written = unescapeHtml(/<textarea name="body"[^>]*>\n([^<]*)</.exec(page.text)?.[1] ?? '')
    const sentAt = new Date(world.clock.nowMs()).toISOString()
    assert.deepEqual(JSON.parse(written), { test: true, bot: 'bot-1', flow: 'orders', sentAt })
    const wrong = await ada.submit(page, { body: 'kept', user_agent: 'ä' }, '/test')
    assertShows(wrong, 422, /<textarea name="body"[^>]*>\nkept</)
    assert.match(fieldErrorOf(wrong, 'user_agent'), /visible ASCII/)
    const large = await ada.submit(page, { body: '"'.repeat(65_537) }, '/test')
    assert.match(fieldErrorOf(large, 'body'), /at most 64 KiB/)

    const fields = { body: '{\r\n "my": "test"}', content_type: 'application/json', user_agent: '', request_id: 'r-1' }
    const sent = await ada.submit(page, fields, '/test')
    const { delivery, id, ...dispatch } = await runtime.next('dispatch')
    assert.deepEqual([sent.status, sent.location?.pathname], [303, `/bots/bot-1/deliveries/${id}`])
    assert.deepEqual([dispatch.flowId, dispatch.path, dispatch.test], ['orders', 'orders', true])
    assert.deepEqual(dispatch.headers, { 'content-type': 'application/json', 'x-request-id': 'r-1' })
    assert.equal(Buffer.from(dispatch.body, 'base64').toString(), '{\n "my": "test"}')
    runtime.send({ type: 'ack', deliveries: [untested.delivery, delivery] })
    await untilStored(world, 'bot-1', id)

    const shown = await ada.onward(sent, world)
    assert.match(shown.text, /Test webhook accepted\.[\s\S]*A test webhook\./)
    assert.doesNotMatch((await ada.get(at(`/bots/bot-1/deliveries/${untested.id}`))).text, /A test webhook\./)
    assert.match((await ada.get(at('/bots/bot-1/deliveries'))).text, />Test</)
    const { items } = (await provision(world, 'GET', '/v1/bots/bot-1/deliveries')).json
    const tests = Object.fromEntries(items.map((each: Record<string, unknown>) => [each.id, each.test]))
    assert.deepEqual(tests, { [id]: true, [untested.id]: undefined })
    await ada.submit(shown, {}, '/replay')
    const replayed = await runtime.next('dispatch')
    assert.deepEqual([replayed.replayOf, replayed.test], [id, true])
    const tested = { kind: 'webhook-tested', ...onBot('ada'), detail: { flow: 'orders', event: id } }
    assert.deepEqual(await audited(world, /^webhook/), [tested])
    assert.match(visibleWordsIn(await ada.get(at('/account/activity'))), /sent a test webhook to bot Weather/)
  })

  test('a collaborator with the flows capability tests a flow that checks neither keys nor signatures; a protected flow needs keys as well', async (t) => {
    const { as, page, put } = await withFlow(t)
    const ed = await as('ed')
    const canTest = async () => {
      const isLinked = (await ed.get(page)).text.includes('href="/bots/bot-1/flows/orders/test"')
      return [isLinked, (await ed.get(`${page}/test`)).status]
    }
    assert.deepEqual(await canTest(), [false, 403])
    await put({ requiresKey: false })
    assert.deepEqual(await canTest(), [true, 200])
    const open = await ed.get(`${page}/test`)
    await put({})
    assert.equal((await ed.submit(open, { body: 'x' }, '/test')).status, 403)
  })

  for (const [signature, said] of [
    [{ preset: 'token', secret: 'hush', header: 'X-Gitlab-Token' }, /Gatehouse signs the test/],
    [{ preset: 'discord', publicKey: 'aa'.repeat(32) }, /is not signed/],
  ] as const) {
    test(`a test webhook for a flow with ${signature.preset} signatures is accepted, and accepted again if it is sent a second time`, async (t) => {
      const { world, ada, page } = await withFlow(t, { signature, dedupe: { header: 'x-request-id' } })
      const form = await ada.get(`${page}/test`)
      assert.match(visibleWordsIn(form), said)
      for (let times = 0; times < 2; times += 1) {
        assert.equal((await ada.submit(form, { body: 'x', request_id: '1' }, '/test')).status, 303)
      }
      assert.equal((await world.service.queue.log.page('bot-1' as never, {}, { most: 9 })).events.length, 2)
      assert.doesNotMatch(world.logs(), /hush/)
    })
  }

  test('a test webhook that is refused because the queue is full gets a 503 page with an explanation and keeps its input', async (t) => {
    const { ada, page, key, post } = await withFlow(t, {}, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    assert.equal(await post({ 'svc-key': key }), 202)
    const refused = await ada.submitAt(`${page}/test`, { body: 'mine' }, '/test')
    assertShows(refused, 503, /<textarea name="body"[^>]*>\nmine</)
    assert.match(noticeOf(refused), /The bot’s queue is full/)
  })
})

describe('our choice: order, deduplication and signature settings of a flow', () => {
  const hmac = { preset: 'hmac', header: 'x-sig', hash: 'sha512', encoding: 'base64', prefix: '' }
  const zoned = { ...hmac, prefix: 'h1=', signed: '{timestamp}:{body}' }
  const previousSecretEndsAt = null

  test('an editor sets order and deduplication of a flow, and the owner its signature, which is checked from then on and whose secret is never shown', async (t) => {
    const { world, as, ada, page, key, post } = await withFlow(t)
    const stored = async () => {
      const { webhook } = (await provision(world, 'GET', '/v1/bots/bot-1/flows/orders')).json
      return [webhook.ordered, webhook.dedupe, webhook.signature]
    }
    const save = async (signature: Record<string, string>) => {
      assert.equal((await ada.submitAt(page, signature, '/signature')).status, 303)
    }
    const fields = { ordered: 'yes', dedupe_by: 'header', dedupe_header: 'x-id', dedupe_window: '60' }
    const taken = await (await as('ed')).submitAt(page, fields, '/taking')
    assert.deepEqual([taken.status, taken.location?.search], [303, ''])
    const taking = [true, { header: 'x-id', windowSeconds: 60 }]
    assert.deepEqual(await stored(), [...taking, null])
    await save({ ...hmac, secret: 'hush-hush' })
    assert.deepEqual(await stored(), [...taking, { ...hmac, previousSecretEndsAt }])
    const signed = createHmac('sha512', 'hush-hush').update('x').digest('base64')
    const send = (signature: string) => post({ 'svc-key': key, 'x-sig': signature })
    assert.deepEqual([await send('wrong'), await send(signed)], [401, 202])
    await save({ ...zoned, timestamp_part: 'ts', timestamp_header: '' })
    assert.deepEqual(await stored(), [...taking, { ...zoned, timestampPart: 'ts', previousSecretEndsAt }])
    const standard = await ada.submitAt(page, { preset: 'standard-webhooks' }, '/signature')
    assert.equal(fieldErrorOf(standard, 'secret'), 'Enter the secret that the sender signs with.')
    assert.doesNotMatch((await ada.get(page)).text, /hush-hush/)
    assert.ok(!world.logs().includes('hush-hush'))
    await save({ preset: '' })
    assert.equal(await post({ 'svc-key': key }), 202)
  })

  test('a replaced secret is still accepted until the owner ends it', async (t) => {
    const { ada, page, key, post } = await withFlow(t)
    const header = 'X-Gitlab-Token'
    const statuses = async () =>
      Promise.all(['first', 'second'].map((secret) => post({ 'svc-key': key, [header]: secret })))
    for (const secret of ['first', 'second']) {
      assert.doesNotMatch((await ada.get(page)).text, /previous signing secret/)
      assert.equal((await ada.submitAt(page, { preset: 'token', header, secret }, '/signature')).status, 303)
    }
    const replaced = await ada.get(page)
    assert.match(visibleWordsIn(replaced), /previous signing secret is accepted too; it expires /)
    assert.deepEqual(await statuses(), [202, 202])
    assert.equal((await ada.submit(replaced, {}, '/previous-secret/end')).status, 303)
    assert.deepEqual(await statuses(), [401, 202])
    assert.doesNotMatch((await ada.get(page)).text, /previous signing secret/)
  })

  test('an invalid setting shows an error at its field and keeps the input, except for secrets', async (t) => {
    const { ada, page } = await withFlow(t)
    const form = await ada.get(page)
    const byPointer = { dedupe_by: 'pointer', dedupe_pointer: 'id', dedupe_window: '1.5' }
    const discord = { preset: 'discord', secret: 'whisper' }
    const noPoint = 'ab'.repeat(32)
    const rows: [action: string, fields: Record<string, string>, errors: Record<string, RegExp>][] = [
      ['/taking', byPointer, { dedupe_pointer: /JSON pointer/, dedupe_window: /whole number of seconds/ }],
      ['/signature', { ...discord, public_key: 'zz' }, { public_key: /64 hexadecimal digits/ }],
      ['/signature', { ...discord, public_key: noPoint }, { public_key: /No Ed25519 public key has these digits/ }],
      ['/signature', { ...zoned, timestamp_header: '' }, { timestamp_header: /either its header or its name/ }],
      ['/signature', { ...hmac, signed: 'x' }, { signed: /with \{body\} once/ }],
    ]
    for (const [action, fields, errors] of rows) {
      const wrong = await ada.submit(form, fields, action)
      assert.equal(wrong.status, 422)
      for (const [field, words] of Object.entries(errors)) {
        assert.match(fieldErrorOf(wrong, field), words)
        assert.match(wrong.text, new RegExp(`name="${field}"[^>]* value="${fields[field]}"`), field)
      }
      assert.doesNotMatch(wrong.text, /whisper/)
    }
  })
})

describe('our choice: creating and removing flows on the bot’s pages, with OWNER_FLOWS=on', () => {
  test('the owner creates a flow, sees its key once, and removes it after a confirmation', async (t) => {
    const { world, ada, at } = await openBot(t, { OWNER_FLOWS: 'on' })
    const list = await ada.get(at('/bots/bot-1/flows'))
    assert.match(list.text, /Create one to receive webhooks/)
    const made = await ada.submit(list, { name: 'Orders', path: ' /orders ' }, '/bots/bot-1/flows')
    assert.equal(made.status, 200)
    const key = shown(made, 'flow-key')
    assert.match(key, /^svc_fk_/)
    const post = async (headers: Record<string, string>) =>
      (await fetch(`${world.apiUrl}/bot-1/orders`, { method: 'POST', headers, body: '{}' })).status
    assert.deepEqual([await post({}), await post({ 'svc-key': key })], [401, 202])

    const flow = await ada.openLink(await ada.get(at('/bots/bot-1/flows')), 'Orders')
    const question = await ada.get(`${flow.url}/removal`)
    assert.ok(flow.text.includes(`href="${new URL(question.url).pathname}"`))
    assert.match(question.text, /<h1>Remove Orders\?<\/h1>/)
    const gone = await ada.submit(question, {}, '/removal')
    assert.equal(gone.location?.pathname, '/bots/bot-1/flows')
    assert.match((await ada.onward(gone, world)).text, /Flow removed\./)
    assert.equal(await post({ 'svc-key': key }), 404)
    assert.deepEqual(pluck(await audited(world, /^flow-/), 'kind'), ['flow-created', 'flow-removed'])
  })

  test('a flow form with faults is shown again with its input and creates nothing', async (t) => {
    const { world, at, ada } = await withFlow(t, {}, { OWNER_FLOWS: 'on' })
    const malformed = 'Use 1 to 100 letters, digits and - _ . / ~.'
    const faults: [path: string, error: string][] = [
      ...[...'!"#$%&\'()*+,:;<=>?@[\\]^`{|}ä'].map((each): [string, string] => [`a${each}b`, malformed]),
      ['x/%2E%2e', 'Remove the segments . and .., because HTTP clients change URLs that contain them.'],
      ['orders', 'Another flow of this bot uses this path. Choose another one.'],
    ]
    for (const [path, error] of faults) {
      const refused = await send(ada, world, '/bots/bot-1/flows', { name: 'Orders', path })
      assert.deepEqual([refused.status, fieldErrorOf(refused, 'path')], [422, error], path)
    }
    const both = await send(ada, world, '/bots/bot-1/flows', { name: ' ', path: 'a b' })
    const errors = ['name', 'path'].map((field) => fieldErrorOf(both, field))
    assert.deepEqual([both.status, ...errors], [422, 'Enter a name.', malformed])
    assert.match(both.text, /name="path"[^>]* value="a b"/)
    const { text } = await ada.get(at('/bots/bot-1/flows'))
    assert.equal([...text.matchAll(/href="\/bots\/bot-1\/flows\/[^"]+"/g)].length, 1)
  })

  test('with OWNER_FLOWS off, the owner neither sees nor can send the flow form', async (t) => {
    const { world, ada, at } = await openBot(t)
    assert.doesNotMatch((await ada.get(at('/bots/bot-1/flows'))).text, /New flow/)
    assert.equal((await send(ada, world, '/bots/bot-1/flows', { name: 'Orders', path: 'orders' })).status, 404)
  })
})

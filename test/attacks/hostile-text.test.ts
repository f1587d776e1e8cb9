import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { oneLine } from '../../src/domain/clean-text.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { BotRuntime, makeRuntime } from '../support/bot-runtime.ts'
import { faultsIn } from '../support/log-lines.ts'
import { documentAt, operationsOf } from '../support/openapi.ts'
import { ada, Browser, consentUrl, provision, signIn } from '../support/people.ts'
import { openWorld } from '../support/world.ts'
import { choices, everyField, type FormField, recordsOf } from './every-form.ts'
import { fillIn } from './route-addresses.ts'
import { provisionScene, type Scene } from './valid-requests.ts'

const hostile: Readonly<Record<string, string>> = {
  nul: 'a\0b',
  'half a character': 'a\ud800b',
  'the other half': '\udc00',
  control: 'a\u0001\u001b\u007f\u0085b',
  lines: 'a\r\nb\tc',
  'right to left': 'a\u202eb\u2066c\u200f',
  'four bytes': '😀𝕏a',
  'no characters': '\ufffe\uffff\ufeff',
  separators: 'a\u2028b\u2029c',
  markup: `"'><svg/onload=ran()>\${a}{{a}}%s%00`,
  longest: '😀'.repeat(100),
}

const application = { ownerId: 'ada', websiteUrl: 'https://client.example', redirectUris: ['https://client.example/a'] }
const bot = { ownerId: 'ada', name: 'Lantern', chatPlatformId: '215215215215215215' }
const signature = { preset: 'github', secret: 'a-secret' }
const webhook = { path: 'hooks/hostile', requiresKey: true, key: 'a-key', signature, dedupe: { pointer: '/id' } }
/** Calls that take text, each with a valid body and the members that accept arbitrary text. */
const calls: readonly (readonly [method: string, path: string, body: object, places: readonly string[]])[] = [
  ['PUT', 'users/hostile', { name: 'N' }, ['name', 'email', 'password', 'pin', 'chatPlatformId', 'codeHostingId']],
  ['PUT', 'applications/hostile', { name: 'N', ...application }, ['ownerId', 'name', 'websiteUrl', 'redirectUris.0']],
  ['PUT', 'bots/lantern', bot, ['ownerId', 'name', 'avatar', 'plan', 'chatPlatformId']],
  ['PUT', 'bots/lantern/coworkers/ed', { role: 'viewer', capabilities: ['a'] }, ['role', 'capabilities.0']],
  ['PUT', 'bots/lantern/guilds', { guildIds: ['1'] }, ['guildIds.0']],
  [
    ...(['PUT', 'bots/lantern/flows/hostile', { kind: 'event', name: 'N', publicCode: 'P', webhook }] as const),
    [
      ...['kind', 'name', 'publicCode', 'webhook.path', 'webhook.key', 'webhook.signature.secret'],
      ...['webhook.signature.preset', 'webhook.dedupe.pointer'],
    ],
  ],
  ['POST', 'bots/lantern/logs', { entries: [{ level: 'info', message: 'm' }] }, ['entries.0.message', 'entries.0.at']],
  ['POST', 'runtimes', { name: 'N', botIds: ['lantern'] }, ['name', 'botIds.0']],
  ['PUT', 'scopes/hostile.read', { description: 'D' }, ['description']],
  ['PUT', 'subscriptions/ops', { url: 'https://ops.example/', types: ['bot.offline'] }, ['url', 'types.0', 'ownerId']],
]

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  const openScene = async (t: TestContext) => {
    return provisionScene(await openWorld(t, {}, { storage: database === 'PostgreSQL' ? 'postgres' : 'sqlite' }))
  }

  describe(`Hostile text on ${database} causes no fault, and rejected text changes nothing`, () => {
    test(`our choice: hostile text in control surface calls is stored exactly, reduced to one line in names, or rejected, on ${database}`, async (t) => {
      const { world, names } = await openScene(t)
      const call = (method: string, path: string, body?: object) => provision(world, method, `/v1/${path}`, body)
      for (const [method, path, body, places] of calls) {
        assert.ok((await call(method, path, body)).status < 300, path)
        let before = (await call('GET', path)).json
        for (const place of places) {
          for (const [kind, text] of Object.entries(hostile)) {
            const { status, headers, json } = await call(method, path, changedAt(place, body, text))
            const after = (await call('GET', path)).json
            const said = `${path} ${place} with ${kind} is ${status} ${JSON.stringify(json)}`
            if (status >= 300) {
              assert.ok(status >= 400 && status < 500, said)
              assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, said)
              assert.deepEqual(after, before, said)
              continue
            }
            before = after
            const shown = valueAt(place, json)
            if (shown === undefined) continue
            assert.ok(shown === text || (/name$/.test(place) && shown === oneLine(text)), said)
            if (method === 'PUT') assert.equal(valueAt(place, after), shown, said)
            else assert.ok(JSON.stringify(after).includes(JSON.stringify(shown)), said)
          }
        }
      }
      for (const { path, operation } of operationsOf(await documentAt(world.controlUrl))) {
        for (const { name } of operation.parameters?.filter((parameter) => parameter.in === 'query') ?? []) {
          const read = `${fillIn(path, { ...names, subscriptionId: 'ops' })}?${name}=a%00b`
          assert.match(String((await provision(world, 'GET', read)).status), /200|400/, read)
        }
      }
      await assertStillServing(world)
    })

    test(`our choice: hostile or too long text in any form field causes no fault, and rejected text changes nothing, on ${database}`, async (t) => {
      const scene = await openScene(t)
      const { world } = scene
      const encodings = ['a%00b%ED%A0%80c', '%FF%01%1b%7f', 'a%E2%80%AE%F0%9F%98%80']
      let before = await recordsOf(scene)
      const submit = async ({ path, name, send }: FormField, encoded: string) => {
        const { status, type, text } = await send(encoded)
        // Rate limits must not be the reason why the next value is rejected.
        world.clock.jump(61_000)
        const said = `${path} with ${name}=${encoded.slice(0, 60)} is ${status}: ${text.slice(0, 300)}`
        assert.ok(status < 500, said)
        const after = await recordsOf(scene)
        // PostgreSQL can't store NUL without changing the text, so such text must be rejected.
        assert.ok(!/\\u0000|\0/.test(after), `${said} ${after}`)
        const changes = after !== before
        if (status >= 400) {
          assert.match(type, /^text\/html|^application\/json/, said)
          assert.ok(text.length > 0 && !changes, said)
        }
        // The control surface must be able to send what is stored now. A fault would be logged.
        if (changes) assert.equal((await provision(world, 'GET', '/v1/users/ada/export')).status, 200, said)
        before = after
        return { status, changes, said }
      }
      for (const place of ['base', 'portal'] as const) {
        const fields = await everyField(scene, place)
        for (const field of fields) {
          // The body of a test webhook can have 64 KiB.
          const tooLong = 'x'.repeat(field.name === 'body' ? limits.testBodyMaxBytes + 1 : 20_000)
          const { status, changes, said } = await submit(field, tooLong)
          assert.ok(!before.includes(tooLong), said)
          if (choices.has(field.name)) continue
          // A test run that can't be started redirects to a page that shows the reason.
          assert.ok(status >= 400 || (field.path.endsWith('/try-outs') && status === 303), said)
          assert.equal(changes, false, said)
        }
        for (const field of fields) {
          let accepted = false
          for (const encoded of encodings) accepted = (await submit(field, encoded)).status < 400 || accepted
          // Lets background work, such as outgoing webhooks and email, meet the stored text.
          if (accepted) await world.clock.advance(61_000)
        }
      }
      await assertStillServing(world)
    })

    test(`our choice: hostile text in OAuth parameters causes no fault, and state is returned byte for byte, on ${database}`, async (t) => {
      const { world, client, browser } = await openScene(t)
      const encodings = [
        'a%00b',
        '%ED%A0%80',
        '%ff%FE',
        '%0d%0aSet-Cookie:x',
        '%E2%80%AE',
        '%F0%9F%98%80',
        '"<>%27+~%7e',
      ]
      for (const state of encodings) {
        const page = await browser.visit(consentUrl(world, client).replace(/&state=[^&]*/, `&state=${state}`), world)
        const answer = await browser.submit(page, { decision: 'deny' }, '/auth/consent')
        const returned = /[?&]state=([^&]*)/.exec(answer.headers.get('location') ?? '')?.[1]
        assert.deepEqual(bytesOf(returned), bytesOf(state), `${state} came back as ${returned}`)
      }
      const asked = [...new URL(consentUrl(world, client)).searchParams.keys()]
      for (const name of [...asked, 'consent', 'code_challenge', 'attempt', 'request_uri']) {
        for (const encoded of encodings) {
          const address = new URL(consentUrl(world, client))
          address.searchParams.delete(name)
          const answer = await fetch(`${address}&${name}=${encoded}`, { redirect: 'manual' })
          assert.ok(answer.status === 302 || answer.status === 400, `${name}=${encoded}: ${answer.status}`)
          assert.doesNotMatch([...answer.headers.keys()].join(), /set-cookie:x/)
        }
      }
      const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
      const valid: Record<string, Record<string, string>> = {
        token: { ...credentials, grant_type: 'authorization_code', code: 'c', redirect_uri: client.redirectUri },
        revoke: { ...credentials, token: 't' },
        introspect: { ...credentials, token: 't' },
        par: { ...credentials, redirect_uri: client.redirectUri, response_type: 'code', scope: 'user.identify' },
      }
      const more = [
        'grant_type',
        'refresh_token',
        'code_verifier',
        'scope',
        'state',
        'token_type_hint',
        'code_challenge',
      ]
      for (const [endpoint, fields] of Object.entries(valid)) {
        for (const name of [...Object.keys(fields), ...more]) {
          for (const [kind, text] of Object.entries(hostile)) {
            for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
              const parameters = { ...fields, [name]: text }
              const body = type.endsWith('json') ? JSON.stringify(parameters) : String(new URLSearchParams(parameters))
              const init = { method: 'POST', headers: { 'content-type': type }, body }
              const answer = await fetch(`${world.baseUrl}/api/oauth/${endpoint}`, init)
              const said = `${endpoint} ${type} ${name} with ${kind}: ${answer.status}`
              assert.ok(answer.status < 500, said)
              const read = await answer.text()
              if (answer.status >= 400)
                assert.deepEqual(Object.keys(JSON.parse(read)), ['error', 'error_description'], said)
            }
          }
          // Resets rate limits.
          world.clock.jump(61_000)
        }
      }
      await assertStillServing(world)
    })

    test(`our choice: hostile text in a webhook’s headers and body is dispatched unchanged, and in paths and user agents causes no fault, on ${database}`, async (t) => {
      const { world } = await openScene(t)
      const { key } = await makeRuntime(world)
      const { runtime } = await BotRuntime.ready(t, world, key, { credit: 64 })
      for (const path of ['a%00b', '%ED%A0%80', 'a%E2%80%AEb', '%F0%9F%98%80', '%2e%2e/%2e%2e']) {
        const answer = await fetch(`${world.apiUrl}/lantern/${path}`, { method: 'POST', body: 'x' })
        assert.deepEqual([answer.status, await answer.text()], [404, '{"error": "Not found."}'], path)
      }
      // Skips the event that the scene sent.
      await runtime.next('dispatch')
      const agent = 'a\tb\u0080\u00e9\u00ff"<svg/onload=ran()>'
      for (const bytes of [
        ...Object.values(hostile).map((text) => Buffer.from(text)),
        Buffer.from([0, 0xed, 0xa0, 0x80, 0xff, 0xfe, 0xc0]),
      ]) {
        const headers = { 'user-agent': agent, 'x-request-id': agent, 'content-type': agent, 'svc-key': agent }
        const answer = await fetch(`${world.apiUrl}/lantern/hooks/alerts`, { method: 'POST', headers, body: bytes })
        assert.equal(answer.status, 202, bytes.toString())
        const { body, headers: got } = await runtime.next('dispatch')
        assert.deepEqual(Buffer.from(body, 'base64'), bytes)
        assert.deepEqual([got['user-agent'], got['x-request-id'], got['content-type']], [agent, agent, agent])
      }
      const orders = { method: 'POST', headers: { 'svc-key': agent }, body: 'x' }
      assert.equal((await fetch(`${world.apiUrl}/lantern/hooks/orders`, orders)).status, 401)

      assert.equal((await signIn(world, ada, new Browser({}, { 'user-agent': agent }))).status, 303)
      await assertStillServing(world)
    })
  })
}

/** Signs up another user and asserts that the node logged no faults. */
async function assertStillServing(world: Scene['world']): Promise<void> {
  await world.clock.advance(16 * 60_000)
  const person = { name: 'Grace', email: 'grace@example.com', password: 'correct horse battery' }
  assert.equal((await new Browser().submitAt(`${world.baseUrl}/sign-up`, person)).status, 303)
  assert.deepEqual(faultsIn(world), [])
}

/** Decodes a percent-encoded query value into bytes, which need not be UTF-8. */
function bytesOf(encoded = ''): Buffer {
  const latin1 = encoded.replaceAll('+', ' ').replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16))
  })
  return Buffer.from(latin1, 'latin1')
}

function valueAt(place: string, value: unknown): unknown {
  let at = value
  for (const step of place.split('.')) at = (at as Record<string, unknown> | null | undefined)?.[step]
  return at
}

function changedAt(place: string, value: object, text: string): object {
  const changed = structuredClone(value)
  const steps = place.split('.')
  const last = steps.pop() ?? ''
  let at = changed as Record<string, unknown>
  for (const step of steps) at = at[step] as Record<string, unknown>
  at[last] = text
  return changed
}

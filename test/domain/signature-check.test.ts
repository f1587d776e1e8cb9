import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import type { SignatureSetting } from '../../src/domain/bots/flows/signature-setting.ts'
import { signatureFault } from '../../src/domain/webhooks/signature-check.ts'
import { schemeOf } from '../../src/domain/webhooks/signature-scheme.ts'

interface Sample {
  setting: SignatureSetting
  key: string
  body: string
  /** Headers with lower-case names. */
  headers: Record<string, string>
  /** When the request arrives. Default: `seconds`. */
  atSeconds?: number
}

const seconds = 1_531_420_618
const stripeBody = '{"id":"evt_1","object":"event"}'
const stripeSigned = (key: string) => createHmac('sha256', key).update(`${seconds}.${stripeBody}`).digest('hex')
const isoSeconds = new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
const hmac = { preset: 'hmac', hash: 'sha256', encoding: 'hex', prefix: '' } as const
const digest = (key: string, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', key).update(text).digest(encoding)
const pair = generateKeyPairSync('ed25519')
const publicKey = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')

/**
 * Each sample is taken from the sender's documentation if that gives a secret and a matching signature. Otherwise, it
 * is computed as the documentation describes.
 */
const samples: Record<string, Sample> = {
  'GitHub, from its documentation': {
    setting: { preset: 'github' },
    key: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
  },
  'Slack, from its documentation': {
    setting: { preset: 'slack' },
    key: '8f742231b10e8888abcd99yyyzzz85a5',
    body:
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
      '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
      '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
      '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    headers: {
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      'x-slack-request-timestamp': String(seconds),
    },
  },
  'Shopify, as SQLPage’s documentation computes it': {
    setting: { preset: 'shopify' },
    key: 'test-webhook-secret',
    body: '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}',
    headers: { 'x-shopify-hmac-sha256': 'QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=' },
  },
  'Stripe, by its rule': {
    setting: { preset: 'stripe' },
    key: 'whsec_test',
    body: stripeBody,
    headers: { 'stripe-signature': `t=${seconds},v1=${stripeSigned('whsec_test')}` },
  },
  'Discord, by its rule': {
    setting: { preset: 'discord', publicKey },
    key: publicKey,
    body: '{"type":1}',
    headers: {
      'x-signature-ed25519': sign(null, Buffer.from(`${seconds}{"type":1}`), pair.privateKey).toString('hex'),
      'x-signature-timestamp': String(seconds),
    },
  },
  'HMAC with SHA-256, RFC 4231 section 4.3': {
    setting: { preset: 'hmac', header: 'X-Sig', hash: 'sha256', encoding: 'hex', prefix: '' },
    key: 'Jefe',
    body: 'what do ya want for nothing?',
    headers: { 'x-sig': '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843' },
  },
  'HMAC with SHA-1, RFC 2202 section 3, in base64 behind a prefix': {
    setting: { preset: 'hmac', header: 'X-Sig', hash: 'sha1', encoding: 'base64', prefix: 'sha1=' },
    key: 'Jefe',
    body: 'what do ya want for nothing?',
    headers: { 'x-sig': `sha1=${Buffer.from('effcdf6ae5eb2fa2d27416d5f184df9c259a7c79', 'hex').toString('base64')}` },
  },
  'Standard Webhooks, from its documentation': standardWebhooks('webhook'),
  'Standard Webhooks with the headers of Svix': standardWebhooks('svix'),
  'Paddle, by its rule': {
    setting: { ...hmac, header: 'Paddle-Signature', prefix: 'h1=', signed: '{timestamp}:{body}', timestampPart: 'ts' },
    key: 'pdl_ntfset',
    body: '{"event_id":"evt_1"}',
    headers: { 'paddle-signature': `ts=${seconds};h1=${digest('pdl_ntfset', `${seconds}:{"event_id":"evt_1"}`)}` },
  },
  'Zendesk, by its rule, with a date as the timestamp': {
    setting: {
      ...hmac,
      header: 'X-Zendesk',
      encoding: 'base64',
      signed: '{timestamp}{body}',
      timestampHeader: 'X-Time',
    },
    key: 'zendesk',
    body: '{"id":1}',
    headers: { 'x-time': isoSeconds, 'x-zendesk': digest('zendesk', `${isoSeconds}{"id":1}`, 'base64') },
  },
  'HubSpot, by its rule, with the URL in the template and milliseconds': {
    setting: {
      ...{ ...hmac, header: 'X-HubSpot', encoding: 'base64', timestampHeader: 'X-Time' },
      signed: 'POSThttps://api.example/bot/crm{body}{timestamp}',
    },
    key: 'hubspot',
    body: '[]',
    headers: {
      'x-time': `${seconds}000`,
      'x-hubspot': digest('hubspot', `POSThttps://api.example/bot/crm[]${seconds}000`, 'base64'),
    },
  },
}

function standardWebhooks(prefix: string): Sample {
  return {
    setting: { preset: 'standard-webhooks' },
    key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    atSeconds: 1_614_265_330,
    headers: {
      [`${prefix}-id`]: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      [`${prefix}-timestamp`]: '1614265330',
      [`${prefix}-signature`]: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  }
}

function check({ setting, key, body, headers, atSeconds = seconds }: Sample, nowMs = atSeconds * 1_000): boolean {
  return signatureFault(schemeOf(setting), key, { headers, body: Buffer.from(body) }, nowMs) === undefined
}

for (const [name, sample] of Object.entries(samples)) {
  test(`${name}: the signed request verifies, and no altered request does`, () => {
    assert.equal(check(sample), true)
    assert.equal(check({ ...sample, body: `${sample.body} ` }), false)
    assert.equal(check({ ...sample, body: '' }), false)
    assert.equal(check({ ...sample, headers: {} }), false)
    const otherKey = sample.setting.preset === 'discord' ? '00'.repeat(32) : `x${sample.key}`
    assert.equal(check({ ...sample, key: otherKey }), false)
    for (const [header, value] of Object.entries(sample.headers)) {
      const { [header]: _, ...others } = sample.headers
      assert.equal(check({ ...sample, headers: others }), false, `without ${header}`)
      for (const wrong of ['', value.slice(0, -4), `${value}00`, `x${value}`, `${value.slice(0, -4)}0000`, 'é']) {
        assert.equal(check({ ...sample, headers: { ...others, [header]: wrong } }), false, `${header}: ${wrong}`)
      }
    }
  })
}

for (const [name, sample] of Object.entries(samples).filter(([name]) =>
  /Slack|Stripe|Discord|Webhooks|Paddle|Zendesk|HubSpot/.test(name),
)) {
  test(`${name}: a timestamp more than five minutes off is rejected, in either direction`, () => {
    const at = (ms: number) => check(sample, (sample.atSeconds ?? seconds) * 1_000 + ms)
    assert.deepEqual([at(300_000), at(300_001), at(-300_000), at(-300_001)], [true, false, true, false])
    const { timestampHeader = '' } = schemeOf(sample.setting)
    const { [timestampHeader]: sent, ...others } = sample.headers
    // The signed timestamp is sent as part of the body.
    for (const body of [`${sent}${sample.body}`, `${sample.body}${sent}`])
      assert.equal(check({ ...sample, body, headers: { ...others, [timestampHeader]: '' } }), false)
  })
}

test('a request verifies if any one of its signatures is valid, as during a secret rotation', () => {
  const [good, other] = [stripeSigned('whsec_test'), stripeSigned('whsec_other')]
  const signed = (value: string) =>
    check({ ...(samples['Stripe, by its rule'] as Sample), headers: { 'stripe-signature': value } })
  assert.equal(signed(`t=${seconds},v1=${other},v1=${good}`), true)
  assert.equal(signed(`t=${seconds}, v1=${good}, v0=${other}`), true)
  assert.equal(signed(`t=${seconds},v0=${good}`), false)
  assert.equal(signed(`t=${seconds},${`v1=${other},`.repeat(100)}v1=${good}`), true)
  assert.equal(signed(`t=${seconds},t=${seconds},v1=${good}`), false)
  assert.equal(signed(`v1=${good}`), false)
  assert.equal(signed(`t=${seconds}.0,v1=${good}`), false)
})

test('any v1 signature of a Standard Webhooks list verifies, and no other version does', () => {
  const sample = samples['Standard Webhooks, from its documentation'] as Sample
  const good = String(sample.headers['webhook-signature'])
  const signed = (value: string) => check({ ...sample, headers: { ...sample.headers, 'webhook-signature': value } })
  const other = `v1,${digest('other', 'text', 'base64')}`
  assert.equal(signed(`${other} ${good}`), true)
  assert.equal(signed(`v1a,${'A'.repeat(86)}== ${good} ${other}`), true)
  assert.equal(signed(good.replace('v1,', 'v1a,')), false)
  assert.equal(signed(`${`${other} `.repeat(100)}${good}`), true)
})

test('a token verifies only as a whole, byte for byte, and covers no body', () => {
  const sent = (value: string, key = 'geheim-ü') => {
    const headers = { 'x-gitlab-token': Buffer.from(value).toString('latin1') }
    return check({ setting: { preset: 'token', header: 'X-Gitlab-Token' }, key, body: '{}', headers })
  }
  assert.equal(sent('geheim-ü'), true)
  for (const wrong of ['', 'geheim', 'geheim-u', 'Geheim-ü', 'geheim-ü ', 'geheim-ü, geheim-ü']) {
    assert.equal(sent(wrong), false, wrong)
  }
  assert.equal(check({ setting: { preset: 'token', header: 'X-Token' }, key: 'a', body: '{}', headers: {} }), false)
})

test('a signature’s hexadecimal digits are accepted in upper or lower case', () => {
  const sample = samples['HMAC with SHA-256, RFC 4231 section 4.3'] as Sample
  assert.equal(check({ ...sample, headers: { 'x-sig': sample.headers['x-sig']?.toUpperCase() ?? '' } }), true)
})

import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { type Config, readConfig } from '../../src/config/config.ts'
import { databaseUrls } from '../../src/config/database-urls.ts'

/** Defaults that apply when no variable is set. */
const defaults: Config = {
  base: { url: 'http://localhost:3000', host: 'localhost', port: 3000 },
  api: { url: 'http://localhost:3001', host: 'localhost', port: 3001 },
  portal: { url: 'http://localhost:3002', host: 'localhost', port: 3002 },
  control: { url: 'http://127.0.0.1:3003', host: '127.0.0.1', port: 3003 },
  trustProxy: undefined,
  dataDir: resolve('./data'),
  packagesDir: resolve('dist/packages'),
  cataloguesDir: undefined,
  databaseUrls: undefined,
  operatorKey: undefined,
  secretKey: undefined,
  previousSecretKeys: [],
  signUp: 'open',
  sendIss: false,
  ownerFlows: false,
  smtp: undefined,
  providers: [],
  queueLimits: { maxEventsPerBot: 100_000, maxBytesPerBot: 268_435_456, maxEvents: 2_000_000, maxBytes: 4_294_967_296 },
  keepAliveSeconds: 130,
  eventsAllowPrivate: false,
  logLevel: 'info',
  tracing: undefined,
  accessLog: false,
}

describe('Configuration', () => {
  test('an empty environment yields the defaults, and an empty value counts as unset', () => {
    assert.deepEqual(readConfig({}), { config: defaults })
    assert.deepEqual(readConfig({ BASE_URL: '', LOG_LEVEL: '', SECRET_KEY: '', BASE_PORT: '' }), { config: defaults })
  })

  test('white space around a value is removed, except around SECRET_KEY, on which existing data depends', () => {
    const key = 'k'.repeat(32)
    const keys = { OPERATOR_KEY: `${key}\n`, SECRET_KEY: `${key}\n` }
    const client = { CODE_HOSTING_CLIENT_ID: 'gatehouse ', CODE_HOSTING_CLIENT_SECRET: '\thush\n' }
    const read = config({ BASE_URL: ' https://id.example.com\n', SIGN_UP: ' ', ...keys, ...client })
    const [{ clientId, clientSecret } = {}] = read.providers
    assert.deepEqual([read.base.url, read.operatorKey, read.signUp], ['https://id.example.com', key, 'open'])
    assert.deepEqual([clientId, clientSecret, read.secretKey], ['gatehouse', 'hush', `${key}\n`])
  })

  test('variables in the environment replace the defaults', () => {
    const key = 'k'.repeat(32)
    assert.partialDeepStrictEqual(
      config({
        BASE_URL: 'https://id.example.com',
        BASE_PORT: '8000',
        API_URL: 'https://api.example.com/',
        API_PORT: '8001',
        PORTAL_URL: 'https://developers.example.com',
        PORTAL_PORT: '8002',
        CONTROL_URL: 'http://[::1]:9000',
        DATABASE_URL: 'postgres://gate:p%40ss@db1,db2:5433/gatehouse?target_session_attrs=read-write',
        TRUST_PROXY: '10.0.0.0/8, ::1',
        OPERATOR_KEY: key,
        SECRET_KEY: key,
        SECRET_KEY_PREVIOUS: ` ${'a'.repeat(32)}\n${'b'.repeat(40)} `,
        SMTP_URL: 'smtp://gate:p%40ss@mail.example.com:587',
        MAIL_FROM: 'Gatehouse <gate@example.com>',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example.com/otlp/',
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=abc=, x-tenant=one',
      }),
      {
        base: { url: 'https://id.example.com', host: '0.0.0.0', port: 8000 },
        api: { url: 'https://api.example.com', host: '0.0.0.0', port: 8001 },
        portal: { url: 'https://developers.example.com', host: '0.0.0.0', port: 8002 },
        control: { url: 'http://[::1]:9000', host: '::1', port: 9000 },
        trustProxy: ['10.0.0.0/8', '::1'],
        databaseUrls: ['postgres://gate:p%40ss@db1/gatehouse', 'postgres://gate:p%40ss@db2:5433/gatehouse'],
        operatorKey: key,
        secretKey: key,
        previousSecretKeys: ['a'.repeat(32), 'b'.repeat(40), `${'b'.repeat(40)} `],
        smtp: { url: 'smtp://gate:p%40ss@mail.example.com:587', from: 'Gatehouse <gate@example.com>' },
        tracing: {
          endpoint: 'https://traces.example.com/otlp',
          headers: { 'api-key': 'abc=', 'x-tenant': 'one' },
          serviceName: 'gatehouse',
        },
      },
    )
  })

  test('LISTEN_HOST sets the host of every surface except control', () => {
    const { base, api, portal, control } = config({ LISTEN_HOST: '::' })
    assert.deepEqual([base.host, api.host, portal.host, control.host], ['::', '::', '::', '127.0.0.1'])
  })

  test('the control surface binds loopback, whatever CONTROL_URL is, unless CONTROL_LISTEN_HOST names another address', () => {
    const hostOf = (env: Record<string, string>) => config(env).control.host
    assert.equal(hostOf({ CONTROL_URL: 'http://gatehouse-control:3003' }), '127.0.0.1')
    assert.equal(hostOf({ CONTROL_URL: 'http://10.0.0.11:3003' }), '127.0.0.1')
    assert.equal(hostOf({ CONTROL_URL: 'http://[::1]:3003' }), '::1')
    assert.equal(hostOf({ CONTROL_LISTEN_HOST: '0.0.0.0' }), '0.0.0.0')
    assert.equal(config({ CONTROL_LISTEN_HOST: '0.0.0.0', BASE_URL: 'https://id.example.com' }).base.host, '0.0.0.0')
    assert.equal(config({ CONTROL_LISTEN_HOST: '0.0.0.0' }).base.host, 'localhost')
  })

  test('a URL without a port gets the default port of its scheme; TRUST_PROXY accepts a hop count', () => {
    assert.equal(config({ TRUST_PROXY: '2' }).trustProxy, 2)
    assert.equal(config({ BASE_URL: 'https://id.example.com' }).base.port, 443)
    assert.equal(config({ BASE_URL: 'http://id.example.com' }).base.port, 80)
  })

  const url = 'an http:// or https:// URL without path, query or user, such as'
  const proxies = 'a hop count such as 1, or addresses and ranges such as 10.0.0.0/8,::1'
  /** Values that the message quotes. */
  const quoted = [
    ['BASE_URL', 'localhost:3000', `${url} http://localhost:3000`],
    ['API_URL', 'http://a.example/x', `${url} http://localhost:3001`],
    ['CONTROL_URL', 'ftp://a', `${url} http://127.0.0.1:3003`],
    ['BASE_PORT', '65536', 'a whole number from 0 to 65535'],
    [
      'LISTEN_HOST',
      '127.0.0.1:80',
      'an address or name of this machine without a port, such as 127.0.0.1, ::1 or 0.0.0.0',
    ],
    ...['0.0.0.0/0', '::/0', '10.0.0.0/40'].map((range) => ['TRUST_PROXY', range, proxies] as const),
    ['SEND_ISS', '1', 'one of true, false'],
    ['QUEUE_MAX_BYTES_PER_BOT', '1e6', 'a whole number from 1 to 1000000000000000'],
    ['LOG_LEVEL', 'loud\nline', 'one of trace, debug, info, warn, error, fatal, silent'],
  ] as const
  const smtp = 'smtp://mail.example.com'
  const wrong: [Record<string, string>, string][] = [
    ...quoted.map(([variable, value, expected]): [Record<string, string>, string] => [
      { [variable]: value },
      `${variable} must be ${expected}; got ${JSON.stringify(value)}`,
    ]),
    [
      { SMTP_URL: 'http://gate:hunter2@mail.example.com', MAIL_FROM: 'gate@example.com' },
      'SMTP_URL must be smtp://user:password@host:port or smtps://…, percent-encoded if necessary',
    ],
    [
      { SMTP_URL: smtp, MAIL_FROM: 'the gate' },
      'MAIL_FROM must be an address such as gate@example.com, or Gatehouse <gate@example.com>; got "the gate"',
    ],
    [{ SMTP_URL: smtp }, 'MAIL_FROM is missing, but SMTP_URL is set; set both or neither'],
    [{ MAIL_FROM: 'gate@example.com' }, 'SMTP_URL is missing, but MAIL_FROM is set; set both or neither'],
    [{ PORTAL_URL: 'http://a:b@c' }, `PORTAL_URL must be ${url} http://localhost:3002; got "http://…@c"`],
    [
      { SECRET_KEY: 'short', DATABASE_URL: 'postgres://db/gatehouse' },
      'SECRET_KEY must be at least 32 characters; got 5 characters',
    ],
    ...['x'.repeat(31), 'a key that has spaces and 40 characters!', 'ü'.repeat(32)].map(
      (key): [Record<string, string>, string] => [
        { OPERATOR_KEY: key },
        `OPERATOR_KEY must be at least 32 visible ASCII characters, or unset to have one generated; got ${key.length} characters`,
      ],
    ),
    [
      { CHAT_PLATFORM_CLIENT_ID: 'gatehouse' },
      'CHAT_PLATFORM_CLIENT_SECRET is missing, but CHAT_PLATFORM_CLIENT_ID is set; set both or neither',
    ],
    [
      { UPSTREAM_ISSUER: 'http://id.example', UPSTREAM_CLIENT_ID: 'a', UPSTREAM_CLIENT_SECRET: 'hunter2' },
      'UPSTREAM_ISSUER must be an https:// URL without user or fragment, or http:// on this machine; got "http://id.example"',
    ],
    [
      { DATABASE_URL: 'postgres://u:p@h/db' },
      'SECRET_KEY is missing; DATABASE_URL requires it, with the same value on all nodes',
    ],
    [
      { DATABASE_URL: 'mysql://u:p@h/db', SECRET_KEY: 'k'.repeat(32) },
      'DATABASE_URL must be postgres://user:password@host:port/name, with several hosts as h1:5432,h2:5432',
    ],
    [
      { API_URL: 'http://localhost:3000' },
      'API_PORT and BASE_PORT are both port 3000 of localhost; give each surface its own port',
    ],
    [
      { CONTROL_URL: 'http://127.0.0.1:3001' },
      'CONTROL_PORT and API_PORT are both port 3001 of 127.0.0.1; give each surface its own port',
    ],
  ]
  for (const [env, message] of wrong) {
    const [variable = ''] = Object.keys(env)
    test(`an invalid ${variable} is reported in one line that names the variable and its valid values: ${JSON.stringify(env[variable])}`, () => {
      const reading = readConfig(env)
      assert.ok('faults' in reading)
      assert.deepEqual(reading.faults, [message])
      assert.ok(!message.includes('\n'))
    })
  }

  test('the sign-in providers Discord and GitHub need only credentials', () => {
    const { providers } = config({
      CHAT_PLATFORM_CLIENT_ID: 'chat',
      CHAT_PLATFORM_CLIENT_SECRET: 'hunter2',
      CODE_HOSTING_CLIENT_ID: 'code',
      CODE_HOSTING_CLIENT_SECRET: 'hunter3',
    })
    assert.partialDeepStrictEqual(providers, [
      { key: 'chat-platform', name: 'Discord', clientId: 'chat', clientSecret: 'hunter2' },
      { key: 'code-hosting', name: 'GitHub', clientId: 'code', clientSecret: 'hunter3' },
    ])
  })

  test('a sign-in provider with custom endpoints needs all three of them and uses no values from the preset', () => {
    const client = { CHAT_PLATFORM_CLIENT_ID: 'chat', CHAT_PLATFORM_CLIENT_SECRET: 'hunter2' }
    const endpoints = {
      CHAT_PLATFORM_AUTHORIZE_URL: 'https://chat.example/authorize',
      CHAT_PLATFORM_TOKEN_URL: 'https://chat.example/token',
      CHAT_PLATFORM_USERINFO_URL: 'https://chat.example/me',
    }
    assert.deepEqual(config({ ...client, ...endpoints }).providers, [
      {
        key: 'chat-platform',
        name: 'the chat platform',
        issuer: 'https://chat.example',
        clientId: 'chat',
        clientSecret: 'hunter2',
        authorizeUrl: 'https://chat.example/authorize',
        tokenUrl: 'https://chat.example/token',
        userinfoUrl: 'https://chat.example/me',
        scopes: '',
      },
    ])
    const { CHAT_PLATFORM_TOKEN_URL: _, ...two } = endpoints
    const reading = readConfig({ ...client, ...two })
    assert.ok('faults' in reading)
    assert.deepEqual(reading.faults, [
      'CHAT_PLATFORM_TOKEN_URL is missing; set all three endpoints of a provider, or none',
    ])
  })

  test('an upstream OpenID provider without a name is named after its host', () => {
    const upstream = {
      UPSTREAM_ISSUER: 'https://id.example',
      UPSTREAM_CLIENT_ID: 'a',
      UPSTREAM_CLIENT_SECRET: 'hunter2',
    }
    const provider = { key: 'upstream', issuer: 'https://id.example', clientId: 'a', clientSecret: 'hunter2' }
    assert.deepEqual(config(upstream).providers, [{ ...provider, name: 'id.example' }])
    assert.deepEqual(config({ ...upstream, UPSTREAM_NAME: 'Home' }).providers, [{ ...provider, name: 'Home' }])
  })
})

function config(env: Record<string, string>): Config {
  const reading = readConfig(env)
  if ('faults' in reading) assert.fail(reading.faults.join('\n'))
  return reading.config
}

test('DATABASE_URL takes several hosts in libpq’s form, each with its own port', () => {
  assert.deepEqual(databaseUrls('postgres://u:p%40w@h1:5433,h2/db?target_session_attrs=read-write&sslmode=require'), [
    'postgres://u:p%40w@h1:5433/db?sslmode=require',
    'postgres://u:p%40w@h2/db?sslmode=require',
  ])
  assert.deepEqual(databaseUrls('postgresql://[::1]:5432/db'), ['postgresql://[::1]:5432/db'])
})

test('text that is not a database URL is rejected', () => {
  for (const text of ['', 'mysql://h/db', 'postgres:///db', 'postgres://h1:port/db', 'postgres://h1,/db']) {
    assert.equal(databaseUrls(text), undefined, text)
  }
})

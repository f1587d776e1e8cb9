import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { exported } from '../support/audit.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { PasskeyPage } from '../support/passkeys.ts'
import {
  ada,
  adaWithClient,
  Browser,
  type Client,
  codeFor,
  makeToken,
  provision,
  redeem,
  refresh,
  revoke,
  type ServiceUrls,
  send,
  shown,
  signedIn,
} from '../support/people.ts'
import type { World } from '../support/world.ts'

type Running = Pick<World, keyof ServiceUrls | 'apiUrl'>

/** The contents of a filled service, with secrets in plaintext. */
export type Filled = Omit<Awaited<ReturnType<typeof fill>>, 'later'> & {
  /** Absent in data of releases that had none of it. */
  later?: Later
}
export type Later = Awaited<ReturnType<typeof fillLater>>

const large = 'large '.repeat(3_000)
const paths = [
  ...['users/ada', 'users/grace', 'users/mallory', 'applications/acme', 'applications/locked', 'scopes/themes.write'],
  ...['bots/greeter', 'bots/greeter/coworkers/grace', 'bots/greeter/guilds', 'bots/greeter/logs', 'bots/watcher'],
  ...['bots/greeter/flows/keyed', 'bots/greeter/flows/open', 'bots/watcher/flows/signed', 'bots/watcher/flows/line'],
  'subscriptions/hooks',
]

/**
 * Fills a running service over HTTP, as its users would. Run it against a release before the next one changes the
 * schema. `upgrade.test.ts` then opens the result with the current release.
 */
export async function fill(t: Pick<TestContext, 'after'>, world: Running) {
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  const tokensOf = async () => (await redeem(world, client, await codeFor(world, browser, client))).json
  const current = await tokensOf()
  const superseded = await tokensOf()
  const successor = (await refresh(world, client, superseded.refresh_token)).json
  const revoked = await tokensOf()
  assert.equal((await revoke(world, { token: revoked.refresh_token })).status, 200)
  await new Browser().visit(`${world.baseUrl}/sign-in`, world)

  const grace = { name: 'Grace', chatPlatformId: '223456789012345678', codeHostingId: 'grace-hopper' }
  await call(world, 'PUT', 'users/grace', grace)
  await call(world, 'PUT', 'scopes/themes.write', { description: 'Change themes' })
  const greeter = { ownerId: ada.id, name: 'Greeter', chatPlatformId: '123456789012345678', plan: 'pro' }
  const hosting = { hostingEnabled: true, hostingLocation: 'cloud', publicStatus: true }
  await call(world, 'PUT', 'bots/greeter', { ...greeter, ...hosting })
  await call(world, 'PUT', 'bots/greeter/coworkers/grace', { role: 'editor', capabilities: ['flows'] })
  await call(world, 'PUT', 'bots/greeter/guilds', { guildIds: ['323456789012345678', '423456789012345678'] })
  const keyed = await putFlow(world, 'greeter', 'keyed', { requiresKey: true })
  await putFlow(world, 'greeter', 'open', { requiresKey: false }, { publicCode: 'OPEN-1' })
  const entry = { at: '2026-11-20T10:00:00.000Z', level: 'warn', message: 'A line of the log' }
  await call(world, 'POST', 'bots/greeter/logs', { entries: [entry] })
  const { id: runtimeId, key: runtimeKey } = await call(world, 'POST', 'runtimes', { name: 'one', botIds: '*' })

  for (const body of ['done', 'given up', 'tried once', large]) await post(world, 'greeter/open', body)
  const eventIds = await answerEvents(t, world, runtimeKey)
  await post(world, 'greeter/open', 'never tried')
  const { items } = await call(world, 'GET', 'bots/greeter/deliveries')
  const [{ id: neverTried }] = items.filter(({ id }: { id: string }) => !Object.values(eventIds).includes(id))

  const later = await fillLater(t, world, browser, client)
  const records: Record<string, unknown> = {}
  for (const path of [...paths, `runtimes/${runtimeId}`]) records[`/v1/${path}`] = await call(world, 'GET', path)
  return {
    /** When the test data was created, in milliseconds since the epoch. */
    atMs: Date.now(),
    client,
    cookies: browser.cookies(),
    tokens: { current, superseded, successor, revoked },
    flowKey: keyed.webhook.key as string,
    runtimeKey: runtimeKey as string,
    /** Bodies of waiting webhooks, in the order accepted. */
    waiting: ['tried once', large, 'never tried'],
    /** The events' IDs, by body. */
    eventIds: { ...eventIds, 'never tried': neverTried } as Record<string, string>,
    /** Responses from the control surface, by path. */
    records,
    later,
    audit: await exported(world),
  }
}

/**
 * Fills what a service can keep since the first data was written, with a bot of its own whose hosting is off, so that
 * its webhooks wait.
 */
async function fillLater(t: Pick<TestContext, 'after'>, urls: Running, browser: Browser, client: Client) {
  const world = urls as World
  const submit = async (path: string, fields: Record<string, string | string[]>) => {
    const answer = await send(browser, world, path, fields)
    assert.ok(answer.status < 400, `${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const mallory = { name: 'Mallory', email: 'mallory@example.com', password: ada.password }
  await call(world, 'PUT', 'users/mallory', mallory)
  await call(world, 'POST', 'users/mallory/disable', {})
  const locked = { name: 'Locked', websiteUrl: 'https://locked.example', redirectUris: ['https://locked.example/cb'] }
  await call(world, 'PUT', 'applications/locked', { ownerId: ada.id, ...locked })
  await call(world, 'POST', 'applications/locked/disable', {})
  const watcher = { ownerId: ada.id, name: 'Watcher', chatPlatformId: '523456789012345678', hostingEnabled: false }
  await call(world, 'PUT', 'bots/watcher', { ...watcher, publicStatus: true })
  const signature = { preset: 'github', secret: 'hush-hush' }
  const dedupe = { header: 'X-GitHub-Delivery', windowSeconds: 86_400 }
  await putFlow(world, 'watcher', 'signed', { requiresKey: false, signature, dedupe })
  await putFlow(world, 'watcher', 'line', { requiresKey: false, ordered: true })
  const keyed = await putFlow(world, 'watcher', 'keyed', { requiresKey: true })
  await submit('/bots/watcher/flows/keyed/key', { key_before: 'ends-in-24-hours' })
  const subscription = { ownerId: ada.id, url: 'https://hooks.example/x', types: ['delivery.dead'] }
  const { secret: subscriptionSecret } = await call(world, 'PUT', 'subscriptions/hooks', subscription)
  const { key: operatorKey } = await call(world, 'POST', 'operator-keys', { name: 'reader', access: 'read' })
  const { url: recoveryLink } = await call(world, 'POST', 'users/grace/recovery', {})

  await post(world, 'watcher/signed', 'signed', signed('signed', signature.secret))
  await post(world, 'watcher/signed', 'forged', signed('forged', 'wrong'), 401)
  for (const body of ['first', 'second']) await post(world, 'watcher/line', body, { 'x-request-id': body })
  await submit('/bots/watcher/flows/line/test', { body: 'a test' })
  await submit('/bots/watcher/notice', { notice: 'Moves on Sunday' })

  const made = await submit('/bots/watcher/runtimes', { name: 'Attic', hosts: 'this' })
  const runtimeKey = shown(made, 'runtime-key')
  await leave((await BotRuntime.ready(t, world, runtimeKey, { instance: 'cellar', agent: 'fill/1' })).runtime)
  const invited = await submit('/bots/watcher/invitations', { label: 'Grace', role: 'editor', capability: 'keys' })
  const passkey = await (await PasskeyPage.open(world, browser, '/account/passkeys')).register('Key')
  const personalToken = await makeToken(browser, world, { name: 'Deploy', scope: ['bots.read'] })

  await browser.visit(`${world.portalUrl}/apps/acme`, world)
  const secrets = await browser.get(`${world.portalUrl}/apps/acme/secrets`)
  const added = await browser.submit(secrets, { label: 'Second server' }, '/secrets')
  const [clientSecret] = /svc_cs_\w+/.exec(added.text) ?? assert.fail(added.text)
  await redeem(world, client, 'svc_ac_none')
  const tokens = await redeem(world, client, await codeFor(world, browser, client))
  return {
    operatorKey: operatorKey as string,
    personalToken,
    passkey: passkey.keep(),
    /** The application's second client secret. */
    clientSecret,
    /** An authorization code that was not redeemed. */
    code: await codeFor(world, browser, client),
    refreshToken: tokens.json.refresh_token as string,
    /** The key of a runtime that belongs to Ada. */
    runtimeKey,
    /** A flow's previous key, which works for 24 hours. */
    previousFlowKey: keyed.webhook.key as string,
    recoveryLink: recoveryLink as string,
    invitationLink: shown(invited, 'invitation-link'),
    signingSecret: signature.secret,
    /** Secret with which events are signed for Ada's subscription. */
    subscriptionSecret: subscriptionSecret as string,
  }
}

/** Returns the headers with which GitHub would send this body, with the body as its ID. */
export function signed(body: string, secret: string): Record<string, string> {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  return { 'x-hub-signature-256': signature, 'x-github-delivery': body }
}

/** Calls the control API, which must do what the call asks for. Returns the JSON of its response. */
async function call(world: ServiceUrls, method: string, path: string, body?: object) {
  const { status, json } = await provision(world, method, `/v1/${path}`, body)
  assert.ok(status < 300, `${path}: ${status} ${JSON.stringify(json)}`)
  return json
}

/** Creates a flow whose ID is also its path. */
function putFlow(world: ServiceUrls, bot: string, id: string, webhook: object, more: object = {}) {
  const name = id.replace(/^./, (first) => first.toUpperCase())
  return call(world, 'PUT', `bots/${bot}/flows/${id}`, {
    kind: 'event',
    name,
    webhook: { path: id, ...webhook },
    ...more,
  })
}

async function post(world: Running, path: string, body: string, headers: Record<string, string> = {}, status = 202) {
  assert.equal((await fetch(`${world.apiUrl}/${path}`, { method: 'POST', body, headers })).status, status)
}

/**
 * Connects a runtime that acknowledges the first event, dead-letters the second, fails the third and leaves the fourth
 * unanswered. Returns the events' IDs by body.
 */
async function answerEvents(t: Pick<TestContext, 'after'>, world: Running, key: string) {
  const { runtime } = await BotRuntime.ready(t, world, key, { agent: 'fill/1', credit: 4 })
  const frames = await runtime.deliveries(4)
  const [done, dead, late] = frames.map(({ delivery }) => delivery as string)
  runtime.send({ type: 'ack', deliveries: [done] })
  runtime.send({ type: 'nack', delivery: dead, error: 'no such order', dead: true })
  runtime.send({ type: 'nack', delivery: late, error: 'later', retryMs: 3_600_000 })
  const state = { ready: true, presence: 'idle', uptimeMs: 60_000, guildCount: 2, shardCount: 1 }
  await runtime.heartbeat([], [{ botId: 'greeter', ...state }])
  await leave(runtime)
  return Object.fromEntries(frames.map(({ body, id }) => [Buffer.from(body, 'base64').toString(), id as string]))
}

async function leave(runtime: BotRuntime): Promise<void> {
  runtime.send({ type: 'bye' })
  runtime.socket.close()
  await runtime.closed
}

// When run as a program, fills the service that the environment variables point to, and writes the result to the file.
if (import.meta.main) {
  const { BASE_URL, API_URL, PORTAL_URL, CONTROL_URL, OPERATOR_KEY } = process.env as Record<string, string>
  const world = { baseUrl: BASE_URL, apiUrl: API_URL, portalUrl: PORTAL_URL, controlUrl: CONTROL_URL }
  const running = { ...(world as Record<keyof typeof world, string>), operatorKey: OPERATOR_KEY as string }
  const filled = await fill({ after() {} }, running)
  // The service stores when a key was last used with a delay.
  const settled = (key: string, value: unknown) => (key === 'lastUsedAt' ? undefined : value)
  writeFileSync(process.argv[2] as string, `${JSON.stringify(filled, settled, 2)}\n`)
}

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import {
  ada,
  adaWithClient,
  Browser,
  type Client,
  codeFor,
  provision,
  redeem,
  refresh,
  revoke,
  type ServiceUrls,
  signedIn,
} from '../support/people.ts'
import { fillLater, type Later, laterPaths } from './fill-later.ts'

/** The contents of a filled service, with secrets in plaintext. */
export interface Filled {
  /** When the test data was created, in milliseconds since the epoch. */
  atMs: number
  client: Client
  cookies: Record<string, string>
  tokens: Record<'current' | 'superseded' | 'successor' | 'revoked', { access_token: string; refresh_token: string }>
  flowKey: string
  runtimeKey: string
  /** Bodies of waiting webhooks, in the order accepted. */
  waiting: string[]
  /** The events' IDs, by body. */
  eventIds: Record<string, string>
  /** Responses from the control surface, by path. */
  records: Record<string, unknown>
  audit: unknown[]
  /** Absent in data of releases that had none of it. */
  later?: Later
}

const large = 'large '.repeat(3_000)

/**
 * Fills a running service over HTTP, as its users would. Run it against a release before the next one changes the
 * schema. `upgrade.test.ts` then opens the result with the current release.
 */
export async function fill(world: ServiceUrls & { apiUrl: string }): Promise<Filled> {
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  const tokensOf = async () => (await redeem(world, client, await codeFor(world, browser, client))).json
  const current = await tokensOf()
  const superseded = await tokensOf()
  const successor = (await refresh(world, client, superseded.refresh_token)).json
  const revoked = await tokensOf()
  assert.equal((await revoke(world, { token: revoked.refresh_token })).status, 200)
  await new Browser().visit(`${world.baseUrl}/sign-in`, world)

  const put = async (path: string, body: object) => {
    const answer = await provision(world, 'PUT', path, body)
    assert.ok(answer.status === 201 || answer.status === 200 || answer.status === 204, JSON.stringify(answer.json))
    return answer.json
  }
  await put('/v1/users/grace', { name: 'Grace', chatPlatformId: '223456789012345678', codeHostingId: 'grace-hopper' })
  await put('/v1/scopes/themes.write', { description: 'Change themes' })
  await put('/v1/bots/greeter', {
    ownerId: ada.id,
    name: 'Greeter',
    chatPlatformId: '123456789012345678',
    plan: 'pro',
    hostingEnabled: true,
    hostingLocation: 'cloud',
    publicStatus: true,
  })
  await put('/v1/bots/greeter/coworkers/grace', { role: 'editor', capabilities: ['flows'] })
  await put('/v1/bots/greeter/guilds', { guildIds: ['323456789012345678', '423456789012345678'] })
  const keyed = await put('/v1/bots/greeter/flows/keyed', {
    kind: 'event',
    name: 'Keyed',
    webhook: { path: 'keyed', requiresKey: true },
  })
  await put('/v1/bots/greeter/flows/open', {
    kind: 'event',
    name: 'Open',
    publicCode: 'OPEN-1',
    webhook: { path: 'open', requiresKey: false },
  })
  await provision(world, 'POST', '/v1/bots/greeter/logs', {
    entries: [{ at: '2026-11-20T10:00:00.000Z', level: 'warn', message: 'A line of the log' }],
  })
  const { json: runtime } = await provision(world, 'POST', '/v1/runtimes', { name: 'one', botIds: '*' })

  const post = async (body: string) => {
    const answer = await fetch(`${world.apiUrl}/greeter/open`, { method: 'POST', body })
    assert.equal(answer.status, 202)
  }
  // The runtime acknowledges the first event and dead-letters the second. The others keep waiting.
  for (const body of ['done', 'given up', 'tried once', large]) await post(body)
  const eventIds = await answerEvents(world, runtime.key)
  await post('never tried')
  const listed = (await browser.get(`${world.baseUrl}/bots/greeter/deliveries`)).text
  const ids = [...listed.matchAll(/\/bots\/greeter\/deliveries\/(ev[\w-]+)/g)].map(([, id]) => id as string)
  eventIds['never tried'] = ids.find((id) => !Object.values(eventIds).includes(id)) as string

  const later = await fillLater(world, browser, client)
  const paths = ['/v1/users/ada', '/v1/users/grace', '/v1/applications/acme', '/v1/bots/greeter']
  paths.push('/v1/bots/greeter/coworkers/grace', '/v1/bots/greeter/guilds', '/v1/bots/greeter/flows/keyed')
  paths.push(
    '/v1/bots/greeter/flows/open',
    '/v1/bots/greeter/logs',
    `/v1/runtimes/${runtime.id}`,
    '/v1/scopes/themes.write',
    ...laterPaths,
  )
  const records: Record<string, unknown> = {}
  for (const path of paths) {
    const { status, json } = await provision(world, 'GET', path)
    assert.equal(status, 200, path)
    records[path] = json
  }
  return {
    atMs: Date.now(),
    client,
    cookies: browser.cookies(),
    tokens: { current, superseded, successor, revoked },
    flowKey: keyed.webhook.key,
    runtimeKey: runtime.key,
    waiting: ['tried once', large, 'never tried'],
    eventIds,
    records,
    later,
    audit: await auditOf(world),
  }
}

/** Returns the complete audit log from the control surface. */
export async function auditOf(world: ServiceUrls): Promise<unknown[]> {
  const answer = await fetch(`${world.controlUrl}/v1/audit?after=0&limit=10000`, {
    headers: { authorization: `Bearer ${world.operatorKey}` },
  })
  return (await answer.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/**
 * Connects a runtime that acknowledges the first event, dead-letters the second, fails the third and leaves the fourth
 * unanswered. Returns the events' IDs by body.
 */
async function answerEvents({ apiUrl }: { apiUrl: string }, key: string): Promise<Record<string, string>> {
  const socket = new WebSocket(`${apiUrl.replace('http', 'ws')}/runtime`, 'gatehouse.runtime.v1', {
    headers: { authorization: `Bearer ${key}` },
  })
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  const deliveries: string[] = []
  const ids: Record<string, string> = {}
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as { type: string; delivery: string; id: string; body: string }
      if (frame.type === 'hello') send({ type: 'ready', instance: 'one', agent: 'fill/1', credit: 4 })
      if (frame.type === 'heartbeat') {
        send({ type: 'bye' })
        socket.close()
      }
      if (frame.type !== 'dispatch') return
      ids[Buffer.from(frame.body, 'base64').toString()] = frame.id
      if (deliveries.push(frame.delivery) < 4) return
      send({ type: 'ack', deliveries: [deliveries[0]] })
      send({ type: 'nack', delivery: deliveries[1], error: 'no such order', dead: true })
      send({ type: 'nack', delivery: deliveries[2], error: 'later', retryMs: 3_600_000 })
      const state = { ready: true, presence: 'idle', uptimeMs: 60_000, guildCount: 2, shardCount: 1 }
      send({ type: 'heartbeat', bots: [{ botId: 'greeter', ...state }], working: [] })
    })
  })
  return ids
}

// When run as a program, fills the service that the environment variables point to, and writes the result to the file.
if (import.meta.main) {
  const { BASE_URL, API_URL, PORTAL_URL, CONTROL_URL, OPERATOR_KEY } = process.env as Record<string, string>
  const world = { baseUrl: BASE_URL, apiUrl: API_URL, portalUrl: PORTAL_URL, controlUrl: CONTROL_URL }
  const filled = await fill({ ...(world as Record<keyof typeof world, string>), operatorKey: OPERATOR_KEY as string })
  // The service stores when a key was last used with a delay.
  const settled = (key: string, value: unknown) => (key === 'lastUsedAt' ? undefined : value)
  writeFileSync(process.argv[2] as string, `${JSON.stringify(filled, settled, 2)}\n`)
}

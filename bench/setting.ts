import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OAuthServer } from './oauth-server.ts'
import { freePorts } from './processes.ts'

export interface Setting {
  env: Record<string, string>
  base: URL
  api: URL
  control: URL
  dataDir: string
}

export async function newSetting(): Promise<Setting> {
  const [base, api, portal, control] = await freePorts(4)
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  const env = {
    BASE_URL: `http://127.0.0.1:${base}`,
    API_URL: `http://127.0.0.1:${api}`,
    PORTAL_URL: `http://127.0.0.1:${portal}`,
    CONTROL_URL: `http://127.0.0.1:${control}`,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    QUEUE_MAX_EVENTS_PER_BOT: '10000000',
    QUEUE_MAX_BYTES_PER_BOT: '100000000000',
    QUEUE_MAX_EVENTS: '10000000',
    QUEUE_MAX_BYTES: '100000000000',
  }
  return { env, base: new URL(env.BASE_URL), api: new URL(env.API_URL), control: new URL(env.CONTROL_URL), dataDir }
}

export async function provision(
  setting: Setting,
  path: string,
  body: object,
  method: 'PUT' | 'POST' = 'PUT',
): Promise<Record<string, string>> {
  const operatorKey = readFileSync(join(setting.dataDir, 'operator.key'), 'utf8').trim()
  const response = await fetch(new URL(path, setting.control), {
    method,
    headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text) as Record<string, string>
}

export const statusBots = 1_000

/** Number of those bots that also accept webhooks, at `/{bot}/hook`. */
export const webhookBots = 64

/** Provisions many bots, 32 at a time. */
export async function provisionMany(setting: Setting, records: readonly { path: string; body: object }[]) {
  await provision(setting, '/v1/users/keeper', { name: 'Keeper' })
  const rest = records.values()
  const worker = async () => {
    for (const { path, body } of rest) await provision(setting, path, body)
  }
  await Promise.all(Array.from({ length: 32 }, worker))
}

/**
 * Returns the request that provisions a hosted, public bot. The bot's owner is `keeper`, because the bots must not
 * belong to the user who signs in.
 */
export function botRecord(number: number): { path: string; body: object } {
  const body = {
    ownerId: 'keeper',
    name: `Bot ${number}`,
    chatPlatformId: String(100_000_000_000_000_000n + BigInt(number)),
    hostingEnabled: true,
    publicStatus: true,
  }
  return { path: `/v1/bots/${botIdOf(number)}`, body }
}

/** Returns the request that provisions a bot's flow `hook`, which accepts webhooks without a key. */
export function hookRecord(botId: string): { path: string; body: object } {
  const body = { kind: 'event', name: 'Hook', webhook: { path: 'hook', requiresKey: false } }
  return { path: `/v1/bots/${botId}/flows/hook`, body }
}

/** Returns the ID of the nth bot. Scrambles the number, because real bot IDs don't arrive in sorted order either. */
export function botIdOf(number: number): string {
  return `bot-${((number * 2_654_435_761) % 2 ** 32).toString(36)}`
}

const redirectUri = 'https://client.example/callback'

/**
 * Provisions a user and a first-party application, and signs the user in. First-party applications need no consent, so
 * getting a code takes a single request.
 */
export async function provisionClient(setting: Setting): Promise<OAuthServer> {
  await provision(setting, '/v1/users/ada', { name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
  const client = await provision(setting, '/v1/applications/acme', {
    ownerId: 'ada',
    name: 'Acme',
    websiteUrl: 'https://client.example',
    redirectUris: [redirectUri],
    firstParty: true,
  })
  const cookie = await signIn(setting)
  const query = new URLSearchParams({
    client_id: client.clientId as string,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'user.identify offline_access',
  })
  const consent = new URL(`/auth/consent?${query}`, setting.base)
  const newCode = async (address: string) => {
    const answer = await fetch(consent, { headers: { cookie, 'x-forwarded-for': address }, redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }
  let orders = 0
  return {
    origin: setting.base,
    paths: { token: '/api/oauth/token', userinfo: '/api/oauth/userinfo', revoke: '/api/oauth/revoke' },
    client: { client_id: client.clientId as string, client_secret: client.clientSecret as string },
    redirectUri,
    singleUseCount: 12_000,
    async codes(count) {
      // Each order comes from a network of its own: the codes of all of them exceed a user's share of changes in one.
      orders += 1
      const address = `10.255.${orders}.1`
      const codes: string[] = []
      while (codes.length < count) {
        const some = Array.from({ length: Math.min(64, count - codes.length) }, () => newCode(address))
        codes.push(...(await Promise.all(some)))
      }
      return codes
    },
  }
}

/** Provisions a public bot that accepts webhooks at `/bot-bench/hook`. */
export async function provisionWebhookBot(setting: Setting): Promise<void> {
  await provision(setting, '/v1/bots/bot-bench', {
    ownerId: 'ada',
    name: 'Bench',
    chatPlatformId: '123456789012345678',
    hostingEnabled: true,
    publicStatus: true,
  })
  const { path, body } = hookRecord('bot-bench')
  await provision(setting, path, body)
}

async function signIn(setting: Setting): Promise<string> {
  const page = await fetch(new URL('/sign-in', setting.base))
  const formToken = /name="form_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const before = cookiesOf(page)
  const answer = await fetch(new URL('/sign-in', setting.base), {
    method: 'POST',
    body: new URLSearchParams({ form_token: formToken, email: 'ada@example.com', password: 'correct horse' }),
    headers: { cookie: before },
    redirect: 'manual',
  })
  if (answer.status !== 303) throw new Error(`sign-in failed with ${answer.status}`)
  return [before, cookiesOf(answer)].join('; ')
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

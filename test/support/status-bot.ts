import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { HeartbeatReport } from '../../src/domain/bots/status/snapshots.ts'
import type { ConnectionState } from '../../src/domain/bots/status/status-board.ts'
import { parseBotId, parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { advanceUntil } from './eventually.ts'
import { provision } from './people.ts'
import { openWorld, type World } from './world.ts'
import { inDatabase } from './world-database.ts'

export const id = 'bot-1'
export const chatPlatformId = '12345678901234567'
/** A name that becomes markup if it is not escaped. */
export const hostile = `"><script>alert(1)</script>&'`
/** Two references to bots that do not exist, followed by two to this bot. */
export const unknownRefs = ['unknown', '99999999999999999', id, chatPlatformId]

/** Opens a world with a bot whose status is public. Returns functions that request the status. */
export async function openScene(t: TestContext, bot: object = {}, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada' })
  await putBot(world, bot)
  const ask = (path: string, init: RequestInit = {}) => fetch(`${world.baseUrl}/botstatus/${path}`, init)
  const page = async () => (await ask(id)).text()
  const record = (ref: string, init: RequestInit = {}) => ask(`${ref}/api`, init)
  const from = (address: string, file = '/api') => ask(id + file, { headers: { 'x-forwarded-for': address } })
  return { world, ask, page, record, from }
}

export async function putBot(world: World, bot: object = {}) {
  const body = {
    ownerId: 'ada',
    name: 'Lantern',
    chatPlatformId,
    hostingEnabled: true,
    hostingLocation: 'cloud',
    publicStatus: true,
    ...bot,
  }
  const { status, json } = await provision(world, 'PUT', `/v1/bots/${id}`, body)
  assert.ok(status === 200 || status === 201, JSON.stringify(json))
}

export function heartbeat(world: World, report: Partial<HeartbeatReport> = {}) {
  const whole = { ready: true, presence: 'idle', uptimeMs: 3_600_000, guildCount: 12, shardCount: 2 } as const
  world.service.bots.heartbeats.record([{ botId: parseBotId(id)!, ...whole, ...report }])
}

/** Advances the clock while the bot sends heartbeats. */
export async function runFor(world: World, ms: number) {
  for (let spentMs = 0; spentMs < ms; spentMs += 30_000) {
    heartbeat(world)
    await world.clock.advance(30_000)
  }
}

/**
 * Advances the clock until the watch of bots has stored this state. Until the bot is `online`, it sends heartbeats.
 */
export async function untilState(world: World, state: ConnectionState) {
  await advanceUntil(
    world.clock,
    async () => {
      if (state === 'online') heartbeat(world)
      const sql = `SELECT state FROM announced_states WHERE bot_id = '${id}' AND subject = 'connection'`
      const [announced] = await inDatabase(world, 'identity', sql)
      return announced?.state === state
    },
    30_000,
  )
}

export function assertHeaders(response: Pick<Response, 'headers'>, expected: Record<string, string>) {
  for (const [name, value] of Object.entries(expected)) assert.equal(response.headers.get(name), value, name)
}

export async function putNotice(world: World, text: string) {
  await world.service.bots.notices.put(parseUserId('ada')!, parseBotId(id)!, text)
}

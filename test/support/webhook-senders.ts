import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { type ListeningBot, provisionListeningBot } from './bot-runtime.ts'
import { provision } from './people.ts'
import { openWorld, type World } from './world.ts'
import { inDatabase } from './world-database.ts'

export const accepted = [202, '{"ok": true}']
export const refused = [401, '{"error": "Unauthorized."}']

// The sample from GitHub's documentation.
export const github = { preset: 'github', secret: "It's a Secret to Everybody" }
export const githubBody = 'Hello, World!'
export const githubHeaders = {
  'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
}

export async function openSetting(t: TestContext, webhook: object, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  const bot = await provisionListeningBot(world.service)
  const put = async (change: object) => {
    const { status, json } = await putWebhook(world, bot, change)
    assert.equal(status, 200, JSON.stringify(json))
  }
  await put(webhook)
  return { world, bot, put, send: senderTo(world, bot), events: () => eventsOf(world) }
}

export function putWebhook(world: World, { botId, flowId, path }: ListeningBot, webhook: object) {
  return provision(world, 'PUT', `/v1/bots/${botId}/flows/${flowId}`, {
    kind: 'event',
    name: 'Orders',
    webhook: { path, requiresKey: false, ...webhook },
  })
}

export function senderTo({ apiUrl }: World, { botId, path }: ListeningBot) {
  return async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${apiUrl}/${botId}/${path}`, { method: 'POST', body, headers })
    return [answer.status, await answer.text()]
  }
}

/** Returns the number of events in the queue's database. */
async function eventsOf(world: World): Promise<number> {
  const [row] = await inDatabase(world, 'queue', {
    sqlite: 'SELECT count(*) AS count FROM events',
    postgres: `SELECT (SELECT count(*) FROM queue_events) + (SELECT count(*) FROM queue_done)
      + (SELECT count(*) FROM queue_dead) AS count`,
  })
  return Number(row?.count)
}

/** Discards all events accepted for the bot so far, except those in flight. */
export async function discardEvents({ service: { queue } }: World, botId: BotId): Promise<void> {
  await queue.discard(botId, await queue.lastAccepted(botId), 'keep')
}

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { type ListeningBot, provisionListeningBot } from './bot-runtime.ts'
import { provision } from './people.ts'
import { openWorld, storageOfRun, type World } from './world.ts'

/** The bodies of the gateway's responses, by status. */
export const gatewayBodies: Readonly<Record<number, string>> = {
  202: '{"ok": true}',
  400: '{"error": "Bad request."}',
  401: '{"error": "Unauthorized."}',
  404: '{"error": "Not found."}',
  405: '{"error": "Method not allowed."}',
  413: '{"error": "Payload too large."}',
  431: '{"error": "Request header fields too large."}',
  500: '{"error": "Internal error."}',
  503: '{"error": "Webhook gateway unavailable."}',
}
export const accepted = [202, gatewayBodies[202]]
export const refused = [401, gatewayBodies[401]]
/** The table with the events that are not finished. */
export const eventsTable = storageOfRun === 'sqlite' ? 'events' : 'queue_events'

// The sample from GitHub's documentation.
export const github = { preset: 'github', secret: "It's a Secret to Everybody" }
export const githubBody = 'Hello, World!'
export const githubHeaders = {
  'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
}

export type Target = Record<'botId' | 'path', string>

export type Gateway = Awaited<ReturnType<typeof openGateway>>

/** Opens a world with the bots `open`, whose flow requires no key, and `keyed`, whose flow requires one. */
export async function openGateway(t: TestContext, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  const open = await provisionListeningBot(world.service)
  const keyed = await provisionListeningBot(world.service, { botId: 'guard', requiresKey: true })
  /** Sends a webhook, or another request to the gateway. */
  const ask = async ({ botId, path }: Target, init: RequestInit = {}) => {
    const answer = await fetch(`${world.apiUrl}/${botId}/${path}`, { method: 'POST', ...init })
    return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
  }
  return { world, open, keyed, ask }
}

/** Opens a world with a bot whose flow has these webhook settings, and requires no key by default. */
export async function openSetting(t: TestContext, webhook: object, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  const bot = await provisionListeningBot(world.service)
  const put = async (change: object) => {
    const { status, json } = await putWebhook(world, bot, change)
    assert.equal(status, 200, JSON.stringify(json))
  }
  await put(webhook)
  const record = async () => (await provision(world, 'GET', `/v1/bots/${bot.botId}/flows/${bot.flowId}`)).json.webhook
  const bodies = () => storedBodies(world, bot.botId)
  return { world, bot, put, record, send: senderTo(world, bot), bodies, events: async () => (await bodies()).length }
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

/** Returns the bodies of the bot's stored events, in the order accepted. */
export async function storedBodies({ service: { queue } }: World, botId: BotId): Promise<string[]> {
  const { events } = await queue.log.page(botId, {}, { most: 100 })
  const found = await Promise.all(events.map(({ id }) => queue.log.find(botId, id)))
  return found.map((event) => Buffer.from(event?.body ?? []).toString()).reverse()
}

/** Discards all events accepted for the bot so far, except those in flight. */
export async function discardEvents({ service: { queue } }: World, botId: BotId): Promise<void> {
  await queue.discard(botId, await queue.lastAccepted(botId), 'keep')
}

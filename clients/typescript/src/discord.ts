import type { BotReportSource } from './frames.ts'
import type { BotReport, Presence } from './values.ts'
import type { WebhookContext, WebhookEvent, WebhookHandler } from './webhook.ts'

/** The part of a discord.js `Client` that is needed for reports. */
export interface DiscordClient {
  isReady(): boolean
  /** Milliseconds since the client became ready. */
  readonly uptime: number | null
  readonly user: { readonly presence: { readonly status: string } } | null
  readonly guilds: { readonly cache: { readonly size: number } }
  readonly options: { readonly shardCount?: number | undefined }
  readonly ws: { readonly shards: Shards }
}

interface Shards {
  readonly size: number
  values(): Iterable<{ readonly status?: number }>
}

/** `Status.Ready` in discord.js. */
const shardReady = 0

/** discord.js reports invisible bots as `offline`. */
const presences: Record<string, Presence> = {
  online: 'online',
  idle: 'idle',
  dnd: 'dnd',
  invisible: 'invisible',
  offline: 'invisible',
}

/**
 * Returns a heartbeat source that reads discord.js clients. With `ShardingManager`, a client counts only the guilds of
 * its own shards.
 *
 * @param clientOf returns a bot's client by bot ID. Return `undefined` if the bot is not running here; then nothing is
 * reported.
 */
export function discordReports(clientOf: (botId: string) => DiscordClient | undefined): BotReportSource {
  return (botId) => {
    const client = clientOf(botId)
    return client === undefined ? undefined : reportOf(client)
  }
}

/**
 * Returns a webhook handler that passes each event to `handle` with the discord.js client of its bot. While that client
 * isn't connected to Discord with all its shards, events are retried on the service's schedule.
 */
export function discordWebhooks<Client extends DiscordClient>(
  clientOf: (botId: string) => Client | undefined,
  handle: (client: Client, event: WebhookEvent, context: WebhookContext) => unknown,
): WebhookHandler {
  return (event, context) => {
    const client = clientOf(event.botId)
    if (client === undefined || !isConnected(client)) throw new Error('the bot is not connected to Discord')
    return handle(client, event, context)
  }
}

/** `isReady` stays true while discord.js reconnects, so the shards are checked too. */
function isConnected(client: DiscordClient): boolean {
  return client.isReady() && [...client.ws.shards.values()].every(({ status = shardReady }) => status === shardReady)
}

function reportOf(client: DiscordClient): BotReport {
  if (!isConnected(client)) return { ready: false }
  return {
    ready: true,
    presence: presences[client.user?.presence.status ?? ''] ?? null,
    uptimeMs: client.uptime,
    guildCount: client.guilds.cache.size,
    shardCount: client.options.shardCount ?? client.ws.shards.size,
  }
}

import type { BotReport, BotReportSource, Presence } from './bot-report.ts'

/** The part of a discord.js `Client` that is needed for reports. */
export interface DiscordClient {
  isReady(): boolean
  /** Milliseconds since the client became ready. */
  readonly uptime: number | null
  readonly user: { readonly presence: { readonly status: string } } | null
  readonly guilds: { readonly cache: { readonly size: number } }
  readonly options: { readonly shardCount?: number | undefined }
  readonly ws: { readonly shards: { readonly size: number } }
}

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

function reportOf(client: DiscordClient): BotReport {
  if (!client.isReady()) return { ready: false }
  return {
    ready: true,
    presence: presences[client.user?.presence.status ?? ''] ?? null,
    uptimeMs: client.uptime,
    guildCount: client.guilds.cache.size,
    shardCount: client.options.shardCount ?? client.ws.shards.size,
  }
}

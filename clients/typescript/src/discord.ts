import type { BotReport, BotReportSource, Presence } from './bot-report.ts'

/** What of a discord.js `Client` is looked at. Its own type fits, and so does anything shaped like it. */
export interface DiscordClient {
  isReady(): boolean
  /** Milliseconds since it became ready. */
  readonly uptime: number | null
  readonly user: { readonly presence: { readonly status: string } } | null
  readonly guilds: { readonly cache: { readonly size: number } }
  readonly options: { readonly shardCount?: number | undefined }
  readonly ws: { readonly shards: { readonly size: number } }
}

/** Discord shows a bot that is `offline` to itself as what others see of an invisible one. */
const presences: Record<string, Presence> = {
  online: 'online',
  idle: 'idle',
  dnd: 'dnd',
  invisible: 'invisible',
  offline: 'invisible',
}

/**
 * Fills heartbeats from discord.js.
 *
 * @param clientOf the client of a bot, by the bot's id; undefined for a bot that is not started here, of which nothing
 *   is then reported. With `ShardingManager` a client knows the guilds of its own shards only.
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

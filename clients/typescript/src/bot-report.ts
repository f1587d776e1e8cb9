export type Presence = 'online' | 'idle' | 'dnd' | 'invisible'

/** How a bot is at this moment. What is left out or null is not known. */
export interface BotReport {
  /** Whether the bot's connection to the chat platform is ready. */
  ready: boolean
  presence?: Presence | null
  /** Milliseconds since that connection became ready. */
  uptimeMs?: number | null
  guildCount?: number | null
  shardCount?: number | null
}

/** Asked with each heartbeat for each hosted bot. Of a bot without an answer nothing is reported. */
export type BotReportSource = (botId: string) => BotReport | undefined

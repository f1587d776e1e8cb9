export type Presence = 'online' | 'idle' | 'dnd' | 'invisible'

/** A bot's current state. Omit members whose value is unknown, or set them to null. */
export interface BotReport {
  /** Whether the bot's connection to the chat platform is ready. */
  ready: boolean
  presence?: Presence | null
  /** Milliseconds since the bot's connection to the chat platform became ready. */
  uptimeMs?: number | null
  guildCount?: number | null
  shardCount?: number | null
}

/**
 * Returns a hosted bot's state. Called for each bot on every heartbeat. If it returns `undefined`, nothing is reported
 * and the bot counts as offline.
 */
export type BotReportSource = (botId: string) => BotReport | undefined

import type { CoworkerRole } from '../../../domain/bots/bot.ts'
import type { BotId, ChatPlatformId, UserId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { ProfileReading } from '../../../domain/profile/profile.ts'

export interface ProfileRow {
  name: string
  email: string | null
  email_verified: number
  chat_platform_id: string | null
  code_hosting_id: string | null
  has_passkey: number
  bot_count: number
}

export interface GuildsRow {
  bot_id: BotId
  guild_ids: string
}

export interface CoworkerRow {
  bot_id: BotId
  user_id: UserId
  name: string
  role: CoworkerRole
  capabilities: string
}

/** Converts the user's row to a profile. The caller adds the lists. */
export function profileOf(row: ProfileRow): Omit<ProfileReading, 'bots' | 'flows' | 'guilds' | 'logs' | 'coworkers'> {
  return {
    name: row.name,
    email: row.email,
    emailVerified: row.email_verified === 1,
    chatPlatformId: row.chat_platform_id as ChatPlatformId | null,
    hasCodeHosting: row.code_hosting_id !== null,
    hasPasskey: row.has_passkey === 1,
    botCount: row.bot_count,
  }
}

/** Returns the guild IDs of each bot, at most `userinfoGuildIdsMax` across all bots. */
export function guildsOf(rows: Iterable<GuildsRow>): ProfileReading['guilds'] {
  const guilds: ProfileReading['guilds'] = []
  let room = limits.userinfoGuildIdsMax
  for (const row of rows) {
    const guildIds = (JSON.parse(row.guild_ids) as string[]).slice(0, room)
    room -= guildIds.length
    guilds.push({ botId: row.bot_id, guildIds })
  }
  return guilds
}

export function coworkerOf(row: CoworkerRow): ProfileReading['coworkers'][number] {
  const { bot_id: botId, user_id: userId, name, role, capabilities } = row
  return { botId, userId, name, role, capabilities: JSON.parse(capabilities) }
}

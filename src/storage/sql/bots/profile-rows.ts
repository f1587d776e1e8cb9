import type { CollaboratorRole } from '../../../domain/bots/bot.ts'
import type { BotId, ChatPlatformId, UserId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { ProfileReading } from '../../../domain/profile/profile.ts'

export interface ProfileRow {
  name: string
  email: string | null
  emailVerified: number
  chatPlatformId: string | null
  codeHostingId: string | null
  hasPasskey: number
  botCount: number
}

export interface GuildsRow {
  botId: BotId
  guildIds: string
}

export interface CollaboratorRow {
  botId: BotId
  userId: UserId
  name: string
  role: CollaboratorRole
  capabilities: string
}

/** Converts the user's row to a profile. The caller adds the lists. */
export function profileOf(row: ProfileRow): Omit<ProfileReading, 'bots' | 'flows' | 'guilds' | 'logs' | 'coworkers'> {
  return {
    name: row.name,
    email: row.email,
    emailVerified: row.emailVerified === 1,
    chatPlatformId: row.chatPlatformId as ChatPlatformId | null,
    hasCodeHosting: row.codeHostingId !== null,
    hasPasskey: row.hasPasskey === 1,
    botCount: row.botCount,
  }
}

/** Returns the guild IDs of each bot, at most `userinfoGuildIdsMax` across all bots. */
export function guildsOf(rows: Iterable<GuildsRow>): ProfileReading['guilds'] {
  const guilds: ProfileReading['guilds'] = []
  let room = limits.userinfoGuildIdsMax
  for (const row of rows) {
    const guildIds = (JSON.parse(row.guildIds) as string[]).slice(0, room)
    room -= guildIds.length
    guilds.push({ botId: row.botId, guildIds })
  }
  return guilds
}

export function collaboratorOf(row: CollaboratorRow): ProfileReading['coworkers'][number] {
  const { botId, userId, name, role, capabilities } = row
  return { botId, userId, name, role, capabilities: JSON.parse(capabilities) }
}

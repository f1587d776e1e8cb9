import type { ChatPlatformId } from '../../ids.ts'
import type { Bot, HostingLocation } from '../bot.ts'
import { type GatewaySnapshot, isFresh, type Presence } from '../flows/gateway-snapshot.ts'

/** The bot status record (specification) in its order, without `checkedAt`, which is the response's. */
export interface BotStatus {
  online: boolean
  chatPlatformId: ChatPlatformId
  name: string
  hostingEnabled: boolean
  hostingLocation: HostingLocation | null
  presence: Presence | null
  /** As of `reportedAt`. */
  uptimeMs: number | null
  /** When the last heartbeat was received, in milliseconds since the epoch. */
  reportedAt: number | null
  guildCount: number | null
  shardCount: number | null
}

/** How the bot is, in one word: as a page says it, and the same as `online` in the record. */
export type BotState = 'online' | 'connecting' | 'offline' | 'hosting-off'

export function botState(bot: Bot, snapshot: GatewaySnapshot | undefined, nowMs: number): BotState {
  if (!bot.hostingEnabled) return 'hosting-off'
  if (snapshot === undefined || !isFresh(snapshot, nowMs)) return 'offline'
  return snapshot.ready ? 'online' : 'connecting'
}

/**
 * The bot's status record at `nowMs`. Online takes all three: hosting on, a fresh snapshot, a ready connection.
 * A snapshot that is not fresh tells nothing but when it was made.
 */
export function botStatus(bot: Bot, snapshot: GatewaySnapshot | undefined, nowMs: number): BotStatus {
  const fresh = snapshot !== undefined && isFresh(snapshot, nowMs) ? snapshot : undefined
  return {
    online: botState(bot, snapshot, nowMs) === 'online',
    chatPlatformId: bot.chatPlatformId,
    name: bot.name,
    hostingEnabled: bot.hostingEnabled,
    hostingLocation: bot.hostingLocation,
    presence: fresh?.presence ?? null,
    uptimeMs: fresh?.ready === true ? fresh.uptimeMs : null,
    reportedAt: snapshot?.reportedAtMs ?? null,
    guildCount: fresh?.guildCount ?? null,
    shardCount: fresh?.shardCount ?? null,
  }
}

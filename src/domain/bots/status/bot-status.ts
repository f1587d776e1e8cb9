import type { ChatPlatformId } from '../../ids-and-secrets.ts'
import type { Bot, HostingLocation } from '../bot.ts'
import { type GatewaySnapshot, isFresh, type Presence } from './snapshots.ts'

/** The record from the specification, with its fields in the same order. The response adds `checkedAt`. */
export interface BotStatus {
  online: boolean
  chatPlatformId: ChatPlatformId
  name: string
  hostingEnabled: boolean
  hostingLocation: HostingLocation | null
  presence: Presence | null
  /** As of `reportedAt`. `null` unless the snapshot is fresh and the bot is ready. */
  uptimeMs: number | null
  /** Time of the last heartbeat, in milliseconds since the epoch. */
  reportedAt: number | null
  guildCount: number | null
  shardCount: number | null
}

export const botStates = ['online', 'connecting', 'offline', 'hosting-off'] as const
/** `online` exactly when `online` is true in the status record. */
export type BotState = (typeof botStates)[number]

export function botState(
  bot: Pick<Bot, 'hostingEnabled'>,
  snapshot: GatewaySnapshot | undefined,
  nowMs: number,
): BotState {
  if (!bot.hostingEnabled) return 'hosting-off'
  if (snapshot === undefined || !isFresh(snapshot, nowMs)) return 'offline'
  return snapshot.ready ? 'online' : 'connecting'
}

/** If the snapshot is stale, only its time is reported. */
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

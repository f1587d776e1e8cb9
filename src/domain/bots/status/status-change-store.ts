import type { BotId } from '../../ids.ts'
import type { BotState } from './bot-status.ts'

/** A bot's state as stored in its status changes, where `connecting` counts as `offline`. */
export type ConnectionState = Exclude<BotState, 'connecting'>

export function connectionState(state: BotState): ConnectionState {
  return state === 'connecting' ? 'offline' : state
}

export interface StatusChange {
  atMs: number
  /** The bot's state since `atMs`. */
  state: ConnectionState
}

/**
 * Stores when bots changed their state, up to {@link statusChangesPerBot} changes per bot. `AnnouncementStore.announce`
 * adds a change in the transaction that stores its announcement.
 */
export interface StatusChangeStore {
  /** Returns the bot's status changes, oldest first. */
  changesOf(botId: BotId): Promise<StatusChange[]>
  /** Deletes at most `limit` status changes from before `atMs`. Returns the number deleted. */
  prune(atMs: number, limit: number): Promise<number>
}

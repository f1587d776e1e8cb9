import type { BotId } from '../../ids.ts'
import type { BotState } from './bot-status.ts'

/** A bot's state, with connecting counted as offline. Its changes are stored. */
export type ConnectionState = Exclude<BotState, 'connecting'>

export function connectionState(state: BotState): ConnectionState {
  return state === 'connecting' ? 'offline' : state
}

export interface StatusChange {
  atMs: number
  /** The state since `atMs`. */
  state: ConnectionState
}

/**
 * Stores when bots changed their state, up to {@link statusChangesPerBot} per bot. `AnnouncementStore.announce` adds
 * changes, in the transaction that announces them.
 */
export interface StatusChangeStore {
  /** Returns the bot's changes, oldest first. */
  changesOf(botId: BotId): Promise<StatusChange[]>
  /** Deletes at most `limit` changes from before `atMs`. Returns the number deleted. */
  prune(atMs: number, limit: number): Promise<number>
}

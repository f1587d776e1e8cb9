import type { Clock } from '../../clock.ts'
import type { BotId } from '../../ids.ts'
import * as limits from '../../limits/limits.ts'
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

/** A period during which a bot had hosting on but wasn't online. */
export interface Incident {
  beganAtMs: number
  /** When the incident ended. `null` while the incident lasts. */
  endedAtMs: number | null
  /** Whether the incident ended because hosting was turned off, rather than because the bot came back. */
  isHostingOff: boolean
}

/** Lists the incidents of bots in the last 90 days. */
export function createIncidents({ store, clock }: { store: StatusChangeStore; clock: Clock }) {
  return {
    /** Returns the bot's incidents, newest first. The caller checks access. */
    async of(botId: BotId): Promise<Incident[]> {
      return incidentsOf(await store.changesOf(botId))
    },

    /** Deletes status changes that are too old to be shown. */
    prune: (limit: number) => store.prune(clock.nowMs() - limits.statusDaysKept * limits.statusDayMs, limit),
  }
}

/**
 * Marks an ongoing incident as ended at `nowMs`. Used for a bot that is online again while that change isn't stored
 * yet.
 */
export function withoutOngoing(incidents: readonly Incident[], nowMs: number): Incident[] {
  return incidents.map((incident) => (incident.endedAtMs === null ? { ...incident, endedAtMs: nowMs } : incident))
}

/**
 * Returns the incidents, newest first.
 *
 * @param changes oldest first.
 */
export function incidentsOf(changes: readonly StatusChange[]): Incident[] {
  return changes
    .flatMap(({ atMs, state }, at) => {
      if (state !== 'offline') return []
      const next = changes[at + 1]
      return [{ beganAtMs: atMs, endedAtMs: next?.atMs ?? null, isHostingOff: next?.state === 'hosting-off' }]
    })
    .reverse()
}

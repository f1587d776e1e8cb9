import type { Clock } from '../../clock.ts'
import type { BotId } from '../../ids.ts'
import * as limits from '../../limits/limits.ts'
import type { BotState } from './bot-status.ts'

/** `connecting` counts as `offline`. */
export type ConnectionState = Exclude<BotState, 'connecting'>

export function connectionState(state: BotState): ConnectionState {
  return state === 'connecting' ? 'offline' : state
}

export interface StatusChange {
  atMs: number
  state: ConnectionState
}

/**
 * Stores up to {@link statusChangesPerBot} changes per bot, oldest first. `AnnouncementStore.announce` adds a change in
 * the transaction that stores its announcement.
 */
export interface StatusChangeStore {
  changesOf(botId: BotId): Promise<StatusChange[]>
  prune(atMs: number, limit: number): Promise<number>
}

/** A period during which a bot had hosting on but wasn't online. */
export interface Incident {
  beganAtMs: number
  /** `null` while the incident lasts. */
  endedAtMs: number | null
  /** Whether it ended because hosting was turned off, rather than because the bot came back. */
  isHostingOff: boolean
}

export function createIncidents({ store, clock }: { store: StatusChangeStore; clock: Clock }) {
  return {
    async of(botId: BotId): Promise<Incident[]> {
      return incidentsOf(await store.changesOf(botId))
    },

    prune: (limit: number) => store.prune(clock.nowMs() - limits.statusDaysKept * limits.statusDayMs, limit),
  }
}

/** Ends an ongoing incident at `nowMs`, for a bot that is online again while that change isn't stored yet. */
export function withoutOngoing(incidents: readonly Incident[], nowMs: number): Incident[] {
  return incidents.map((incident) => (incident.endedAtMs === null ? { ...incident, endedAtMs: nowMs } : incident))
}

/** Returns the incidents, newest first. */
export function incidentsOf(changes: readonly StatusChange[]): Incident[] {
  return changes
    .flatMap(({ atMs, state }, at) => {
      if (state !== 'offline') return []
      const next = changes[at + 1]
      return [{ beganAtMs: atMs, endedAtMs: next?.atMs ?? null, isHostingOff: next?.state === 'hosting-off' }]
    })
    .reverse()
}

import { isolatedSteps, type OnFault, yieldToOthers } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import type { BotId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import type { Bot } from '../bot.ts'
import { type BotState, botState } from './bot-status.ts'
import { type GatewaySnapshot, isFresh, type Snapshots } from './snapshots.ts'
import { type ConnectionState, connectionState } from './status-board.ts'
import type { StatusHistoryStore } from './status-history-store.ts'

export interface Announcement {
  botId: BotId
  subject: 'connection' | 'queue'
  previous: string | undefined
  state: string
  sinceMs: number
}

export interface WatchedBot extends Pick<Bot, 'id' | 'ownerId' | 'name' | 'hostingEnabled' | 'createdAtMs'> {
  snapshot: GatewaySnapshot | undefined
  /** `undefined` if no state was announced. */
  announced: { state: string; sinceMs: number } | undefined
}

/** Each method is one transaction. */
export interface StatusAnnouncementStore {
  /** Returns bots by ID, except deleted ones; with `everyone`, also those of owners without an active subscription. */
  watchedBots(everyone: boolean, after: BotId | undefined, most: number): Promise<WatchedBot[]>
  /** Stores announcements whose previous state is still stored, and changes of connection as status changes. */
  announce(announcements: readonly Announcement[]): Promise<void>
}

export interface StatusEvent {
  is: 'online' | 'offline'
  bot: WatchedBot
  /** When its previous state began. `undefined` if the bot is online for the first time. */
  previousSinceMs: number | undefined
  /** If the bot is online again. Includes time with hosting off. */
  offlineForMs: number | undefined
  state: BotState
  snapshot: GatewaySnapshot | undefined
  atMs: number
}

/**
 * Compares bots with the connection that was last announced, publishes the differences, and stores them as status
 * changes, from which the status pages make incidents. A crash loses none, because publishing comes first.
 */
export function createStatusWatch(parts: {
  announcements: StatusAnnouncementStore
  statusHistory: Pick<StatusHistoryStore, 'changesOf'>
  snapshots: Snapshots
  publish: (event: StatusEvent) => Promise<void>
  clock: Clock
  onFault: OnFault
}) {
  const { announcements, statusHistory, snapshots, publish, clock } = parts
  const attempt = isolatedSteps(parts.onFault)
  const startedAtMs = clock.nowMs()
  /** Before this time, a bot without heartbeats isn't announced as offline, because its runtime may be reconnecting. */
  const knowsFromMs = startedAtMs + limits.snapshotFreshForMs
  /** When bots that had been online were first found without a snapshot. A crash of PostgreSQL deletes all snapshots. */
  const snapshotLostAtMs = new Map<BotId, number>()
  let comparedAtMs = startedAtMs

  /**
   * Returns an announcement that the bot was online, if it went silent before it was first compared. This only happens
   * if the database was slow or unavailable for a while. Without it, nobody would be told about the bot's outage.
   */
  function missedOnline(
    { id: botId, announced }: WatchedBot,
    snapshot: GatewaySnapshot | undefined,
  ): Announcement | undefined {
    if (announced !== undefined || snapshot === undefined || !snapshot.ready || snapshot.hasLeft) return undefined
    const { reportedAtMs: sinceMs } = snapshot
    // From a heartbeat before this process started, the bot may have been silent for long.
    if (sinceMs < startedAtMs || isFresh(snapshot, clock.nowMs())) return undefined
    return { botId, subject: 'connection', previous: undefined, state: 'online', sinceMs }
  }

  /** Returns whether the bot's runtime still has time to reconnect, or to send another heartbeat for a lost one. */
  function mayBeOnline(botId: BotId, snapshot: GatewaySnapshot | undefined, nowMs: number): boolean {
    if (snapshot !== undefined) return !snapshot.hasLeft && nowMs < knowsFromMs
    return nowMs < snapshotLostAtMs.getOrInsert(botId, nowMs) + limits.snapshotFreshForMs
  }

  /**
   * Publishes a change of the bot's connection. Returns the announcement to store, or `undefined` if nothing changed.
   */
  async function changeOf(bot: WatchedBot, snapshot: GatewaySnapshot | undefined): Promise<Announcement | undefined> {
    const nowMs = clock.nowMs()
    const state = botState(bot, snapshot, nowMs)
    const connection = connectionState(state)
    const previous = bot.announced?.state
    // A bot's first announcement is that it is online. Until then, nothing is interrupted.
    if (previous === connection || (previous === undefined && connection !== 'online')) return undefined
    if (state === 'offline' && mayBeOnline(bot.id, snapshot, nowMs)) return undefined
    const sinceMs = Math.max(beganAtMs(bot, snapshot, { connection, nowMs }), (bot.announced?.sinceMs ?? 0) + 1)
    const announcement: Announcement = { botId: bot.id, subject: 'connection', previous, state: connection, sinceMs }
    // Subscriptions don't distinguish offline and hosting off.
    if (previous !== 'online' && connection !== 'online') return announcement
    const is = connection === 'online' ? 'online' : 'offline'
    const previousSinceMs = bot.announced?.sinceMs
    const offlineForMs =
      is === 'offline' || previousSinceMs === undefined
        ? undefined
        : sinceMs - ((await offlineSinceMs(bot.id)) ?? previousSinceMs)
    await publish({ is, bot, previousSinceMs, offlineForMs, state, snapshot, atMs: nowMs })
    return announcement
  }

  /** Returns when the bot stopped being online, if that is stored. Its hosting may have been turned off or on since. */
  async function offlineSinceMs(botId: BotId): Promise<number | undefined> {
    const changes = await statusHistory.changesOf(botId)
    return changes[changes.findLastIndex(({ state }) => state === 'online') + 1]?.atMs
  }

  /** Returns when the bot's new state began: for a bot that fell silent, when its last heartbeat expired. */
  function beganAtMs(
    { announced }: WatchedBot,
    snapshot: GatewaySnapshot | undefined,
    { connection, nowMs }: { connection: ConnectionState; nowMs: number },
  ): number {
    if (snapshot === undefined) return nowMs
    if (connection === 'online') return snapshot.reportedAtMs
    const wentSilent = connection === 'offline' && announced?.state === 'online' && snapshot.ready && !snapshot.hasLeft
    return wentSilent ? Math.max(snapshot.reportedAtMs + limits.snapshotFreshForMs, knowsFromMs) : nowMs
  }

  return {
    /** @param everyone whether to compare all bots, or only those of owners with an active subscription. */
    async compare(everyone: boolean): Promise<void> {
      const nowMs = clock.nowMs()
      // Another node has compared the bots since.
      if (nowMs - comparedAtMs > limits.snapshotFreshForMs) snapshotLostAtMs.clear()
      comparedAtMs = nowMs
      let after: BotId | undefined
      do {
        const over = snapshots.overlay()
        const bots = await announcements.watchedBots(everyone, after, limits.botsPerWatchRead)
        const announced: Announcement[] = []
        for (const bot of bots) {
          const snapshot = over(bot.id, bot.snapshot)
          if (snapshot !== undefined) snapshotLostAtMs.delete(bot.id)
          const missed = missedOnline(bot, snapshot)
          const seen = missed === undefined ? bot : { ...bot, announced: missed }
          const change = await attempt('bot connection event', { botId: bot.id }, () => changeOf(seen, snapshot))
          if (change !== undefined) announced.push(...(missed === undefined ? [] : [missed]), change)
        }
        if (announced.length > 0) await announcements.announce(announced)
        after = bots.length < limits.botsPerWatchRead ? undefined : bots.at(-1)?.id
        await yieldToOthers()
      } while (after !== undefined)
    },
  }
}

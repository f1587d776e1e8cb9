import type { Clock } from '../../clock.ts'
import type { BotId, UserId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import type { StatusNotice } from '../bot.ts'
import { type Bot, type BotRef, type BotStore, parseBotRef, type Role } from '../bot.ts'
import { type BotState, type BotStatus, botState, botStatus } from './bot-status.ts'
import { type GatewaySnapshot, isFresh, type Snapshots } from './snapshots.ts'

export interface PublicBot {
  id: BotId
  avatar: string | null
  status: BotStatus
  state: BotState
  /** However old. `undefined` if there was none. */
  lastReport: GatewaySnapshot | undefined
  notice: StatusNotice | undefined
  createdAtMs: number
}

interface Reading {
  bot: PublicBot
  /** After a second, or as soon as the bot's snapshot becomes stale. */
  validUntilMs: number
}

/**
 * Caches public statuses for at most a second. Concurrent reads of the same bot share a query. Changes made on this
 * node invalidate the cache immediately. A missing or private status is never cached.
 */
export class StatusBoard {
  readonly #bots: BotStore
  readonly #snapshots: Snapshots
  readonly #clock: Clock
  /** Keyed by the ID in the request, so that a cache hit costs one lookup. */
  readonly #readings = new Map<string, Reading>()
  readonly #textsOfBot = new Map<BotId, Set<string>>()
  readonly #underWay = new Map<string, Promise<PublicBot | undefined>>()
  /** Number of `changed` calls. What was read since before such a call may be stale, so it isn't cached. */
  #changes = 0

  constructor({ bots, snapshots, clock }: { bots: BotStore; snapshots: Snapshots; clock: Clock }) {
    this.#bots = bots
    this.#snapshots = snapshots
    this.#clock = clock
  }

  /** Returns the cached status if it is still valid. Until then, all calls return the same object. */
  recall(text: string): PublicBot | undefined {
    const reading = this.#readings.get(text)
    const leftMs = (reading?.validUntilMs ?? 0) - this.#clock.nowMs()
    // More is left if the clock was set back to before the read.
    return leftMs > 0 && leftMs <= limits.botStatusSharedForMs ? reading?.bot : undefined
  }

  async find(text: string): Promise<PublicBot | undefined> {
    return this.recall(text) ?? this.read(text)
  }

  /** Resolves with `undefined` unless the bot's status is public. `text` is the bot's chat-platform ID or bot ID. */
  read(text: string): Promise<PublicBot | undefined> {
    const underWay = this.#underWay.get(text)
    if (underWay !== undefined) return underWay
    const ref = parseBotRef(text)
    if (ref === undefined) return Promise.resolve(undefined)
    const reading = this.#read(text, ref).finally(() => {
      if (this.#underWay.get(text) === reading) this.#underWay.delete(text)
    })
    this.#underWay.set(text, reading)
    return reading
  }

  /** Invalidates the entry after a change of record or a `bye`. Later reads query again: a running one may be stale. */
  changed(botId: BotId): void {
    this.#changes += 1
    this.#underWay.clear()
    this.reported(botId)
  }

  /** Invalidates the entry after a heartbeat. A running query may miss it, but is cached nevertheless for a second. */
  reported(botId: BotId): void {
    const texts = this.#textsOfBot.get(botId)
    if (texts === undefined) return
    for (const text of texts) this.#readings.delete(text)
    this.#textsOfBot.delete(botId)
  }

  async #read(text: string, ref: BotRef): Promise<PublicBot | undefined> {
    const changes = this.#changes
    const over = this.#snapshots.overlay()
    const found = await this.#bots.findPublic(ref)
    if (found === undefined) return undefined
    const nowMs = this.#clock.nowMs()
    const snapshot = over(found.bot.id, found.snapshot)
    const bot = {
      id: found.bot.id,
      avatar: found.bot.avatar,
      status: botStatus(found.bot, snapshot, nowMs),
      state: botState(found.bot, snapshot, nowMs),
      lastReport: snapshot,
      notice: found.notice,
      createdAtMs: found.bot.createdAtMs,
    }
    if (changes !== this.#changes) return bot
    const fresh = snapshot !== undefined && isFresh(snapshot, nowMs)
    const staleAtMs = fresh ? snapshot.reportedAtMs + limits.snapshotFreshForMs + 1 : Number.POSITIVE_INFINITY
    this.#remember(found.bot.id, text, { bot, validUntilMs: Math.min(nowMs + limits.botStatusSharedForMs, staleAtMs) })
    return bot
  }

  #remember(botId: BotId, text: string, reading: Reading): void {
    if (this.#readings.size >= limits.botStatusesKeptMax) {
      // Entries expire within a second anyway, so evicting only the oldest ones isn't worth the effort.
      this.#readings.clear()
      this.#textsOfBot.clear()
    }
    this.#readings.set(text, reading)
    this.#textsOfBot.getOrInsertComputed(botId, () => new Set()).add(text)
  }
}

export interface ListedBotState {
  bot: Bot
  role: Role
  state: BotState
  /** `null` if the bot never had one. */
  reportedAtMs: number | null
}

export function createOwnStatus(parts: { bots: BotStore; snapshots: Snapshots; clock: Clock }) {
  const { bots: store, snapshots, clock } = parts

  return {
    async list(userId: UserId): Promise<ListedBotState[]> {
      const over = snapshots.overlay()
      const listed = await store.listOfUser(userId, limits.botsListedMax)
      const nowMs = clock.nowMs()
      return listed.map(({ bot, role, snapshot: stored }) => {
        const snapshot = over(bot.id, stored)
        return { bot, role, state: botState(bot, snapshot, nowMs), reportedAtMs: snapshot?.reportedAtMs ?? null }
      })
    },

    /** The caller checks access. */
    async find(botId: BotId): Promise<Pick<PublicBot, 'status' | 'state'> | undefined> {
      const over = snapshots.overlay()
      const found = await store.findWithStatus(botId)
      if (found === undefined) return undefined
      const nowMs = clock.nowMs()
      const snapshot = over(botId, found.snapshot)
      return { status: botStatus(found.bot, snapshot, nowMs), state: botState(found.bot, snapshot, nowMs) }
    },
  }
}

/** `connecting` counts as `offline`. */
export type ConnectionState = Exclude<BotState, 'connecting'>

export function connectionState(state: BotState): ConnectionState {
  return state === 'connecting' ? 'offline' : state
}

export interface StatusChange {
  atMs: number
  state: ConnectionState
}

/** A period during which a bot had hosting on but wasn't online. */
export interface Incident {
  beganAtMs: number
  /** `null` while the incident lasts. */
  endedAtMs: number | null
  /** Whether it ended because hosting was turned off, rather than because the bot came back. */
  isHostingOff: boolean
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

import type { Clock } from '../../clock.ts'
import type { BotId } from '../../ids.ts'
import { botStatusesKeptMax, botStatusSharedForMs, snapshotFreshForMs } from '../../limits/limits.ts'
import { type BotRef, parseBotRef } from '../bot-ref.ts'
import type { BotStore } from '../bot-store.ts'
import { isFresh } from '../flows/gateway-snapshot.ts'
import type { Snapshots } from '../flows/snapshots.ts'
import { type BotState, type BotStatus, botState, botStatus } from './bot-status.ts'
import type { StatusNotice } from './status-notice.ts'

/** What anybody may know of a bot. */
export interface PublicBot {
  id: BotId
  /** Address of its picture. */
  avatar: string | null
  status: BotStatus
  state: BotState
  /** What the owner tells those who look. */
  notice: StatusNotice | undefined
}

interface Reading {
  bot: PublicBot
  /** From here on it is read again: it is old, or its snapshot is not fresh any more. */
  validUntilMs: number
}

/**
 * The public statuses as they are read: remembered for a second at most, and read once for all who ask at the
 * same time. What changes at this node is seen at once. That there is nothing to see is never remembered.
 */
export class StatusBoard {
  readonly #bots: BotStore
  readonly #snapshots: Snapshots
  readonly #clock: Clock
  /** By the text that names the bot, so that a remembered one costs one look-up. */
  readonly #readings = new Map<string, Reading>()
  readonly #textsOfBot = new Map<BotId, Set<string>>()
  readonly #underWay = new Map<string, Promise<PublicBot | undefined>>()
  /** Raised by each change, so that what was read before one is not remembered after it. */
  #changes = 0

  constructor({ bots, snapshots, clock }: { bots: BotStore; snapshots: Snapshots; clock: Clock }) {
    this.#bots = bots
    this.#snapshots = snapshots
    this.#clock = clock
  }

  /** What is remembered and still holds: the same object for as long as it is remembered. */
  recall(text: string): PublicBot | undefined {
    const reading = this.#readings.get(text)
    return reading !== undefined && this.#clock.nowMs() < reading.validUntilMs ? reading.bot : undefined
  }

  /** Returns the bot as remembered, or as stored now; see {@link read}. */
  async find(text: string): Promise<PublicBot | undefined> {
    return this.recall(text) ?? this.read(text)
  }

  /**
   * The status as stored now; undefined when there is no such bot, it is deleted, or its status is not public.
   *
   * @param text the bot's chat-platform id or our own id.
   */
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

  /** The bot's record changed, or it left: whoever asks from now on gets it as it is now. */
  changed(botId: BotId): void {
    this.#changes += 1
    this.#underWay.clear()
    this.reported(botId)
  }

  /** A heartbeat of the bot came. A read that is under way may miss it, and is good for its second all the same. */
  reported(botId: BotId): void {
    const texts = this.#textsOfBot.get(botId)
    if (texts === undefined) return
    for (const text of texts) this.#readings.delete(text)
    this.#textsOfBot.delete(botId)
  }

  async #read(text: string, ref: BotRef): Promise<PublicBot | undefined> {
    const changes = this.#changes
    const found = await this.#bots.findPublic(ref)
    if (found === undefined) return undefined
    const nowMs = this.#clock.nowMs()
    const snapshot = this.#snapshots.over(found.bot.id, found.snapshot)
    const bot = {
      id: found.bot.id,
      avatar: found.bot.avatar,
      status: botStatus(found.bot, snapshot, nowMs),
      state: botState(found.bot, snapshot, nowMs),
      notice: found.notice,
    }
    if (changes !== this.#changes) return bot
    const fresh = snapshot !== undefined && isFresh(snapshot, nowMs)
    const staleAtMs = fresh ? snapshot.reportedAtMs + snapshotFreshForMs + 1 : Number.POSITIVE_INFINITY
    this.#remember(found.bot.id, text, { bot, validUntilMs: Math.min(nowMs + botStatusSharedForMs, staleAtMs) })
    return bot
  }

  #remember(botId: BotId, text: string, reading: Reading): void {
    if (this.#readings.size >= botStatusesKeptMax) {
      // All are at most a second old: reading them again is cheaper than keeping them in order of age.
      this.#readings.clear()
      this.#textsOfBot.clear()
    }
    this.#readings.set(text, reading)
    const texts = this.#textsOfBot.get(botId)
    if (texts === undefined) this.#textsOfBot.set(botId, new Set([text]))
    else texts.add(text)
  }
}

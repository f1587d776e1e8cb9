import type { BotId, ChatPlatformId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { StatusChange } from '../status/incidents.ts'
import type { LastNotified, StatusMailRound } from './status-mail-round.ts'

/** An address that gets mail about a bot's outages once it is confirmed. */
export interface StatusSubscriber {
  number: number
  botId: BotId
  botName: string
  chatPlatformId: ChatPlatformId
  /** Whether the bot's status is public. If not, no mail is sent. */
  isPublic: boolean
  address: string
  language: Language
  requestedAtMs: number
  confirmedAtMs: number | null
}

export interface SubscriptionRequest {
  botId: BotId
  address: string
  /** For comparison, see `emailKey`. */
  addressKey: string
  language: Language
}

/**
 * Stores subscriptions to the status of bots. Each method is one transaction. Subscribers of deleted bots don't exist.
 */
export interface StatusMailStore {
  /**
   * Adds an unconfirmed subscriber, or finds the one with this address, and queues a confirmation mail if one is due:
   * unless the address is confirmed, was sent one for this bot less than `statusMailAgainAfterMs` ago, or was sent
   * `confirmationsPerAddress` for all bots in `statusMailLinkLifetimeMs`. Writes in every case, so that the time it
   * takes doesn't reveal which one applies. Deletes the oldest unconfirmed subscribers of a bot that has too many.
   *
   * @returns `full` if the bot has the maximum number of confirmed subscribers, whether or not the address is one.
   */
  request(request: SubscriptionRequest, nowMs: number): Promise<'accepted' | 'full'>
  find(number: number): Promise<StatusSubscriber | undefined>
  /**
   * Confirms the subscriber if it was last requested at this time. Repeating it is harmless.
   *
   * @param since the link is valid if it was requested after this time.
   */
  confirm(
    number: number,
    requestedAtMs: number,
    { nowMs, since }: { nowMs: number; since: number },
  ): Promise<'confirmed' | 'link-invalid' | 'full'>
  /** Deletes the subscriber and mail that waits for them. Returns `false` if there is no such subscriber. */
  remove(number: number): Promise<boolean>
  /** Returns bots whose state is due to be compared with the last notification, the longest due first. */
  dueBots(nowMs: number, most: number): Promise<BotId[]>
  /**
   * Queues the mail that the rule asks for, to each confirmed subscriber of the bot. Mail about an earlier state that
   * still waits is dropped. Returns the number of emails queued.
   */
  notify(
    botId: BotId,
    rule: (notified: LastNotified, changes: readonly StatusChange[]) => StatusMailRound,
    nowMs: number,
  ): Promise<number>
  /** Deletes up to `most` unconfirmed subscribers requested before this time, and subscribers of deleted bots. */
  prune(requestedBeforeMs: number, most: number): Promise<number>
}

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
   * Adds an unconfirmed subscriber, unless the address already has one, and queues a confirmation mail.
   *
   * Queues no mail if the address is already confirmed, was sent a confirmation mail for this bot less than
   * `statusMailAgainAfterMs` ago, or was sent `confirmationsPerAddress` of them for all bots in
   * `statusMailLinkLifetimeMs`. Writes in every case, so that the duration doesn't reveal which case applies. If the
   * bot has too many unconfirmed subscribers, deletes the oldest.
   *
   * @returns `full` if the bot has the maximum number of confirmed subscribers, whether or not the address is one.
   */
  request(request: SubscriptionRequest, nowMs: number): Promise<'accepted' | 'full'>
  find(number: number): Promise<StatusSubscriber | undefined>
  /**
   * Confirms the subscriber if the last request was made at this time. Idempotent.
   *
   * @param since the link is valid if it was requested after this time.
   */
  confirm(
    number: number,
    requestedAtMs: number,
    { nowMs, since }: { nowMs: number; since: number },
  ): Promise<'confirmed' | 'link-invalid' | 'full'>
  /** Deletes the subscriber and their unsent mail. Returns `false` if there is no such subscriber. */
  remove(number: number): Promise<boolean>
  /** Returns bots whose state is due to be compared with the last notification, the longest due first. */
  dueBots(nowMs: number, most: number): Promise<BotId[]>
  /**
   * Queues the mail that `rule` decides on for each of the bot's confirmed subscribers. Drops unsent mail about an
   * earlier state. Returns the number of emails queued.
   */
  notify(
    botId: BotId,
    rule: (notified: LastNotified, changes: readonly StatusChange[]) => StatusMailRound,
    nowMs: number,
  ): Promise<number>
  /** Deletes up to `most` unconfirmed subscribers requested before this time, and subscribers of deleted bots. */
  prune(requestedBeforeMs: number, most: number): Promise<number>
}

import { AccountRefusal } from '../../accounts/account-refusal.ts'
import { parseEmail } from '../../accounts/credential-rules.ts'
import type { OutgoingMail } from '../../accounts/mail/outgoing-mail.ts'
import type { BrowserInfo } from '../../accounts/sessions/session.ts'
import { network } from '../../accounts/sessions/sign-in-limits.ts'
import { type Attempt, isolatedSteps, type OnFault } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import type { SingletonDuty } from '../../duty.ts'
import type { BotId } from '../../ids.ts'
import {
  statusMailBotsPerPoll,
  statusMailLinkLifetimeMs,
  statusMailPollMs,
  statusSubscriptionRequests,
} from '../../limits/limits.ts'
import { SlidingLog } from '../../limits/sliding-log.ts'
import { statusMailRound } from './status-mail-round.ts'
import type { StatusMailStore, StatusSubscriber } from './status-mail-store.ts'
import type { StatusMailLinks } from './status-mail-writer.ts'

/**
 * Emails about outages of bots: subscribing with confirmation, unsubscribing, and queueing mail when a bot's state
 * changes.
 */
export class StatusMail {
  /** Whether mail can be sent. Without it, subscribers can still unsubscribe. */
  readonly isAvailable: boolean
  readonly #store: StatusMailStore
  readonly #links: StatusMailLinks
  readonly #mail: OutgoingMail | undefined
  readonly #duty: SingletonDuty
  readonly #clock: Clock
  readonly #attempt: Attempt
  readonly #requests = new SlidingLog(statusSubscriptionRequests)
  #running: Promise<unknown> | undefined
  #stopClock = () => {}

  constructor(parts: {
    store: StatusMailStore
    links: StatusMailLinks
    /** `undefined` if no mail server is configured. */
    mail: OutgoingMail | undefined
    /** Lets only one node queue mail at a time. */
    duty: SingletonDuty
    clock: Clock
    onFault: OnFault
  }) {
    this.isAvailable = parts.mail !== undefined
    this.#store = parts.store
    this.#links = parts.links
    this.#mail = parts.mail
    this.#duty = parts.duty
    this.#clock = parts.clock
    this.#attempt = isolatedSteps(parts.onFault)
  }

  /**
   * Accepts an address and emails it a confirmation link. Neither the outcome nor its timing reveals whether the
   * address is already subscribed. The caller checks that the bot's status is public.
   *
   * @returns `full` if the bot can't take further subscribers.
   * @throws AccountRefusal `email-missing`, `email-malformed`, `too-many-mails`.
   */
  async request(botId: BotId, email: string, browser: BrowserInfo): Promise<'accepted' | 'full'> {
    const parsed = parseEmail(email)
    if ('fault' in parsed) throw new AccountRefusal(parsed.fault)
    const nowMs = this.#clock.nowMs()
    const client = network(browser.address)
    const retryAfterMs = this.#requests.waitMs(client, nowMs)
    if (retryAfterMs > 0) throw new AccountRefusal('too-many-mails', { retryAfterMs })
    this.#requests.add(client, nowMs)
    const { address, key: addressKey } = parsed.value
    const outcome = await this.#store.request({ botId, address, addressKey, language: browser.language }, nowMs)
    this.#mail?.startSending()
    return outcome
  }

  /** Returns the subscriber if the confirmation link is valid, or was used before. */
  async toConfirm(clearTextToken: string): Promise<StatusSubscriber | undefined> {
    const link = this.#links.read('confirm', clearTextToken)
    const subscriber = link && (await this.#store.find(link.number))
    return link && subscriber && this.#isValid(subscriber, link.requestedAtMs) ? subscriber : undefined
  }

  /** @throws AccountRefusal `link-invalid`. */
  async confirm(clearTextToken: string): Promise<'confirmed' | 'full'> {
    const link = this.#links.read('confirm', clearTextToken)
    if (link === undefined) throw new AccountRefusal('link-invalid')
    const nowMs = this.#clock.nowMs()
    const since = nowMs - statusMailLinkLifetimeMs
    const outcome = await this.#store.confirm(link.number, link.requestedAtMs, { nowMs, since })
    if (outcome === 'link-invalid') throw new AccountRefusal('link-invalid')
    return outcome
  }

  /** Returns the subscriber, or `gone` after they have unsubscribed. `undefined` if the link is invalid. */
  async toUnsubscribe(clearTextToken: string): Promise<StatusSubscriber | 'gone' | undefined> {
    const link = this.#links.read('unsubscribe', clearTextToken)
    return link && ((await this.#store.find(link.number)) ?? 'gone')
  }

  /** Idempotent. @throws AccountRefusal `link-invalid`. */
  async unsubscribe(clearTextToken: string): Promise<void> {
    const link = this.#links.read('unsubscribe', clearTextToken)
    if (link === undefined) throw new AccountRefusal('link-invalid')
    await this.#store.remove(link.number)
  }

  /** Starts queueing mail for bots whose state has changed. */
  start(): void {
    if (this.#mail === undefined) return
    this.#stopClock = this.#clock.every(statusMailPollMs, () => {
      if (!this.#duty.isOurs) return undefined
      this.#running ??= this.#attempt('status mail', {}, () => this.#notifyAll()).finally(() => {
        this.#running = undefined
      })
      return this.#running
    })
  }

  async stop(): Promise<void> {
    this.#stopClock()
    await this.#running
  }

  /** Deletes up to `most` subscribers who didn't confirm in time, or whose bot was deleted. */
  prune(most: number): Promise<number> {
    return this.#store.prune(this.#clock.nowMs() - statusMailLinkLifetimeMs, most)
  }

  async #notifyAll(): Promise<void> {
    let queued = 0
    for (const botId of await this.#store.dueBots(this.#clock.nowMs(), statusMailBotsPerPoll)) {
      const nowMs = this.#clock.nowMs()
      queued +=
        (await this.#attempt('status mail of a bot', { botId }, () =>
          this.#store.notify(botId, (notified, changes) => statusMailRound(notified, changes, nowMs), nowMs),
        )) ?? 0
    }
    if (queued > 0) this.#mail?.startSending()
  }

  #isValid(subscriber: StatusSubscriber, requestedAtMs: number): boolean {
    const { confirmedAtMs } = subscriber
    if (subscriber.requestedAtMs !== requestedAtMs) return false
    return confirmedAtMs !== null || requestedAtMs > this.#clock.nowMs() - statusMailLinkLifetimeMs
  }
}

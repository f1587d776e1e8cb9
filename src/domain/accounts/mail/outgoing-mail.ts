import type { SingletonDuty } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import type { Secrets } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import { emailKey } from '../credential-rules.ts'
import type { LinkPurpose, OneTimeLinkStore } from '../recovery/one-time-link-store.ts'
import type { User, UserStore } from '../user-store.ts'
import type { Mail, MailStore, MailTransport, NewMail, QueuedMail } from './mail-limits.ts'

interface OutgoingMailParts {
  queue: MailStore
  users: UserStore
  links: OneTimeLinkStore
  transport: MailTransport
  /** Lets only one node send emails at a time, so that no email goes out twice. */
  duty: SingletonDuty
  secrets: Secrets
  clock: Clock
  /** Includes neither the address nor the link. */
  onFault: (error: unknown, what: string) => void
}

/**
 * Sends queued emails in the background, one at a time. An email leaves the queue only once the mail server accepts it,
 * so a crash loses none, but may send it twice. Links are created when their email is sent, so none is stored in clear
 * text. A new link replaces the previous one.
 */
export class OutgoingMail {
  readonly #parts: OutgoingMailParts
  readonly #domains = new MailDomains()
  #stopClock = () => {}
  #running: Promise<void> | undefined
  #sendAgain = false
  #stopped = false

  constructor(parts: OutgoingMailParts) {
    this.#parts = parts
  }

  start(): void {
    this.#stopClock = this.#parts.clock.every(limits.mailPollMs, () => this.startSending())
    this.startSending()
  }

  /** Resolves once the email is durably queued. */
  async add(mail: NewMail): Promise<void> {
    await this.#parts.queue.addMail(mail, this.#parts.clock.nowMs())
    this.startSending()
  }

  /** Called after another store has queued an email in its own transaction. Resolves once nothing is due. */
  startSending(): Promise<void> {
    if (!this.#maySend) return Promise.resolve()
    this.#sendAgain = true
    this.#running ??= this.#sendAllDue()
    return this.#running
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopClock()
    await this.#running
  }

  get #maySend(): boolean {
    return !this.#stopped && this.#parts.duty.isOurs
  }

  async #sendAllDue(): Promise<void> {
    try {
      while (this.#sendAgain && this.#maySend) {
        this.#sendAgain = false
        let failuresInARow = 0
        let queued = await this.#parts.queue.nextDue(this.#parts.clock.nowMs())
        while (queued !== undefined && !this.#stopped) {
          failuresInARow = (await this.#sendOne(queued)) === 'failed' ? failuresInARow + 1 : 0
          // The problem probably isn't specific to these emails. The remaining ones wait for the next poll.
          if (failuresInARow === limits.mailFailuresPerPoll) return
          queued = await this.#parts.queue.nextDue(this.#parts.clock.nowMs())
        }
      }
    } catch (error) {
      this.#parts.onFault(error, 'mail queue read or update failed, retrying')
    } finally {
      // In the same step as the last check of `#sendAgain`, so that no email queued in between waits for the next poll.
      this.#running = undefined
    }
  }

  /** Returns `failed` if sending failed for a reason unrelated to the email, such as an unreachable mail server. */
  async #sendOne(queued: QueuedMail): Promise<'done' | 'failed'> {
    const domain = queued.address.slice(queued.address.lastIndexOf('@') + 1).toLowerCase()
    const heldUntilMs = this.#domains.heldUntilMs(domain, this.#parts.clock.nowMs())
    if (heldUntilMs !== undefined) {
      if (this.#isTooOld(queued)) await this.#giveUp(queued, new Error('recipient domain defers all mail'))
      else await this.#parts.queue.postponeMail(queued.number, heldUntilMs, false)
      return 'done'
    }
    try {
      const mail = await this.#render(queued)
      const outcome = mail === undefined ? undefined : await this.#parts.transport.send(mail)
      if (outcome?.kind === 'deferred') {
        this.#domains.countDeferral(domain, this.#parts.clock.nowMs())
        await this.#tryAgainLater(queued, new Error(outcome.why))
        return 'done'
      }
      if (outcome !== undefined) this.#domains.resetDeferrals(domain)
      if (outcome?.kind === 'refused') {
        this.#parts.onFault(
          new Error(outcome.why),
          `mail ${queued.number} (${queued.kind}) refused by the mail server, giving up`,
        )
      }
      await this.#parts.queue.removeMail(queued.number)
      return 'done'
    } catch (error) {
      await this.#tryAgainLater(queued, error)
      return 'failed'
    }
  }

  async #tryAgainLater(queued: QueuedMail, error: unknown): Promise<void> {
    if (this.#isTooOld(queued)) return this.#giveUp(queued, error)
    this.#parts.onFault(error, `mail ${queued.number} (${queued.kind}) failed, retrying`)
    const waitMs = limits.mailRetryWaitsMs[Math.min(queued.attempts, limits.mailRetryWaitsMs.length - 1)] as number
    await this.#parts.queue.postponeMail(queued.number, this.#parts.clock.nowMs() + waitMs, true)
  }

  async #giveUp(queued: QueuedMail, error: unknown): Promise<void> {
    this.#parts.onFault(error, `mail ${queued.number} (${queued.kind}) failed for too long, giving up`)
    await this.#parts.queue.removeMail(queued.number)
  }

  #isTooOld({ createdAtMs }: QueuedMail): boolean {
    return this.#parts.clock.nowMs() - createdAtMs >= limits.mailAgeLimitMs
  }

  /** Returns `undefined` if the email has no recipient or is obsolete. */
  async #render(queued: QueuedMail): Promise<Mail | undefined> {
    const { kind, userId, address, language } = queued
    const user = await (userId === null
      ? this.#parts.users.findUserByEmail(emailKey(address))
      : this.#parts.users.findUser(userId))
    if (user === undefined) return undefined
    switch (kind) {
      case 'email-changed':
        return { kind, to: address, language }
      case 'verify-email': {
        if (!awaitsVerification(user, address)) return undefined
        const clearTextToken = await this.#newLink(user, kind, address, limits.emailLinkLifetimeMs)
        return { kind, to: address, language, clearTextToken }
      }
      case 'reset-password': {
        // Send to the stored address. The requested address has the same comparison key but may reach a different
        // mailbox.
        if (user.email === null) return undefined
        const clearTextToken = await this.#newLink(user, kind, user.email, limits.passwordLinkLifetimeMs)
        return { kind, to: user.email, language, clearTextToken }
      }
    }
  }

  async #newLink(user: User, purpose: LinkPurpose, address: string, lifetimeMs: number): Promise<string> {
    const { clearText, digest } = this.#parts.secrets.make('oneTimeLink')
    const expiresAtMs = this.#parts.clock.nowMs() + lifetimeMs
    await this.#parts.links.putLink({ userId: user.id, purpose, digest, emailKey: emailKey(address), expiresAtMs })
    return clearText
  }
}

function awaitsVerification(user: User, address: string): boolean {
  const is = (other: string | null) => other !== null && emailKey(other) === emailKey(address)
  return (is(user.email) && !user.emailVerified) || is(user.pendingEmail)
}

interface Deferrals {
  inARow: number
  heldUntilMs: number
}

/** After {@link mailDeferralsPerDomain} in a row, holds back a domain's email, ever longer, to delay no other. */
class MailDomains {
  readonly #deferrals = new Map<string, Deferrals>()

  /** Returns `undefined` if email to the domain is not held back. */
  heldUntilMs(domain: string, nowMs: number): number | undefined {
    const heldUntilMs = this.#deferrals.get(domain)?.heldUntilMs ?? 0
    return heldUntilMs > nowMs ? heldUntilMs : undefined
  }

  countDeferral(domain: string, nowMs: number): void {
    const inARow = (this.#deferrals.get(domain)?.inARow ?? 0) + 1
    const step = Math.min(inARow - limits.mailDeferralsPerDomain, limits.mailRetryWaitsMs.length - 1)
    const waitMs = step < 0 ? 0 : (limits.mailRetryWaitsMs[step] as number)
    this.#deferrals.delete(domain)
    this.#deferrals.set(domain, { inARow, heldUntilMs: nowMs + waitMs })
    const [oldest = domain] = this.#deferrals.keys()
    if (this.#deferrals.size > limits.mailDomainsHeldMax) this.#deferrals.delete(oldest)
  }

  resetDeferrals(domain: string): void {
    this.#deferrals.delete(domain)
  }
}

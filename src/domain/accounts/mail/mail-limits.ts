import type { UserId } from '../../ids-and-secrets.ts'
import type { Language } from '../../language.ts'
import { network } from '../../limits/budget.ts'
import * as limits from '../../limits/limits.ts'
import { SlidingLog } from '../../limits/sliding-log.ts'
import { AccountRefusal } from '../account-refusal.ts'

/** The clear-text token goes into the email's link and nowhere else. */
export type Mail = { to: string; language: Language } & (
  | { kind: 'verify-email' | 'reset-password'; clearTextToken: string }
  | { kind: 'email-changed' }
)

export interface MailTransport {
  /**
   * `refused`: the server will never accept the email. `deferred`: it asks for a retry. `why` is its response, for the
   * log.
   *
   * @throws if the server is unreachable, or fails for a reason unrelated to this email.
   */
  send(mail: Mail): Promise<{ kind: 'sent' } | { kind: 'refused' | 'deferred'; why: string }>
}

export type MailKind = 'verify-email' | 'reset-password' | 'email-changed'

export interface NewMail {
  kind: MailKind
  /** `null` if the user is looked up by address when the email is sent. */
  userId: UserId | null
  address: string
  language: Language
}

export interface QueuedMail extends NewMail {
  number: number
  attempts: number
  createdAtMs: number
}

/** Stores the queue of emails to send. Each method runs in one transaction. */
export interface MailStore {
  addMail(mail: NewMail, nowMs: number): Promise<void>
  /** Returns the email that has been due the longest. */
  nextDue(nowMs: number): Promise<QueuedMail | undefined>
  removeMail(number: number): Promise<void>
  postponeMail(number: number, dueAtMs: number, hasFailed: boolean): Promise<void>
}

const windowMs = limits.mailWindowMs
const maxKeys = 50_000

interface MailRequest {
  kind: MailKind
  /** Key of the email address. Limits apply to unknown addresses too, so that the response reveals nothing. */
  account: string
  address: string
  /** Key of a known requester: a browser that has signed in before, or the signed-in user. Absent for strangers. */
  knownAs?: string | undefined
}

/**
 * Prevents strangers from flooding a mailbox and from using up its owner's limit. Per hour, limits the emails that one
 * client requests for one account, that one client requests in total, and that all clients request for one account.
 * Each kind of email counts separately, except in total. A known requester has only the first limit. Kept in memory.
 */
export class MailLimits {
  readonly #byRequester = new SlidingLog({ limit: limits.mailsPerAccount, windowMs, maxKeys })
  readonly #byAddress = new SlidingLog({ limit: limits.mailsPerAddress, windowMs, maxKeys })
  readonly #byAccount = new SlidingLog({ limit: limits.mailsPerAccountInAll, windowMs, maxKeys })

  /** Counts one email unless it is rejected. Throws AccountRefusal `too-many-mails` with the wait for the next. */
  take({ kind, account, address, knownAs }: MailRequest, nowMs: number): void {
    const client = network(address)
    const mail = `${kind} ${account}`
    const counts: [SlidingLog, string][] =
      knownAs === undefined
        ? [
            [this.#byRequester, `${mail} ${client}`],
            [this.#byAddress, client],
            [this.#byAccount, mail],
          ]
        : [[this.#byRequester, `${mail} ${knownAs}`]]
    this.#count(counts, nowMs)
  }

  /** Counts against the client only: an address signs up only once. Throws AccountRefusal like {@link take}. */
  takeForSignUp(address: string, nowMs: number): void {
    this.#count([[this.#byAddress, network(address)]], nowMs)
  }

  #count(counts: readonly [SlidingLog, string][], nowMs: number): void {
    const retryAfterMs = Math.max(...counts.map(([log, key]) => log.waitMs(key, nowMs)))
    if (retryAfterMs > 0) throw new AccountRefusal('too-many-mails', { retryAfterMs })
    for (const [log, key] of counts) log.add(key, nowMs)
  }
}

import * as limits from '../../limits/limits.ts'
import { SlidingLog } from '../../limits/sliding-log.ts'
import { network } from '../../network.ts'
import { AccountRefusal } from '../account-refusal.ts'
import type { MailKind } from './mail.ts'

const windowMs = limits.mailWindowMs
const maxKeys = 50_000

export interface MailRequest {
  kind: MailKind
  /**
   * Key of the email address. Limits apply even if the address has no account, so that the response doesn't reveal
   * whether it has one.
   */
  account: string
  address: string
  /** Key of a known requester: a browser that has signed in before, or the signed-in user. Absent for strangers. */
  knownAs?: string | undefined
}

/**
 * Prevents strangers from flooding a mailbox and from using up its owner's limit.
 *
 * Three limits apply per hour: emails that one client requests for one account, emails that one client requests in
 * total, and emails that all clients request for one account. The per-account limits count each kind of email
 * separately. For a known requester, only the first limit applies. The counts are kept in memory.
 */
export class MailLimits {
  readonly #byRequester = new SlidingLog({ limit: limits.mailsPerAccount, windowMs, maxKeys })
  readonly #byAddress = new SlidingLog({ limit: limits.mailsPerAddress, windowMs, maxKeys })
  readonly #byAccount = new SlidingLog({ limit: limits.mailsPerAccountInAll, windowMs, maxKeys })

  /**
   * Counts one requested email.
   *
   * @throws AccountRefusal `too-many-mails` with the wait before the next request. The rejected request is not counted.
   */
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

  /**
   * Counts a sign-up email against the client's limit only, because an email address can sign up only once.
   *
   * @throws AccountRefusal like {@link take}.
   */
  takeForSignUp(address: string, nowMs: number): void {
    this.#count([[this.#byAddress, network(address)]], nowMs)
  }

  #count(counts: readonly [SlidingLog, string][], nowMs: number): void {
    const retryAfterMs = Math.max(...counts.map(([log, key]) => log.waitMs(key, nowMs)))
    if (retryAfterMs > 0) throw new AccountRefusal('too-many-mails', { retryAfterMs })
    for (const [log, key] of counts) log.add(key, nowMs)
  }
}

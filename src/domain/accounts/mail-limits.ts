import { mailsPerAccount, mailsPerAddress, mailWindowMs } from '../limits.ts'
import { SlidingLog } from '../sliding-log.ts'
import { AccountRefusal } from './account-refusal.ts'
import { network } from './sign-in-limits.ts'

/** Keeps strangers from filling a mailbox: so many mails per account and per client address in an hour. In memory. */
export class MailLimits {
  readonly #byAccount = new SlidingLog({ limit: mailsPerAccount, windowMs: mailWindowMs, maxKeys: 50_000 })
  readonly #byAddress = new SlidingLog({ limit: mailsPerAddress, windowMs: mailWindowMs, maxKeys: 50_000 })

  /**
   * Counts one mail that is asked for.
   *
   * @param account key of an e-mail address, whether or not anybody has it: the answer must not tell. Undefined at
   * sign-up, which mails to one address once.
   * @param address of the client.
   * @throws AccountRefusal `too-many-mails`, with the time after which one more is taken; then nothing is counted.
   */
  take(account: string | undefined, address: string, nowMs: number): void {
    const client = network(address)
    const accountMs = account === undefined ? 0 : this.#byAccount.waitMs(account, nowMs)
    const retryAfterMs = Math.max(accountMs, this.#byAddress.waitMs(client, nowMs))
    if (retryAfterMs > 0) throw new AccountRefusal('too-many-mails', { retryAfterMs })
    if (account !== undefined) this.#byAccount.add(account, nowMs)
    this.#byAddress.add(client, nowMs)
  }
}

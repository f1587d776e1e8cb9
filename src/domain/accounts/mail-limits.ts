import { mailsPerAccount, mailsPerAccountInAll, mailsPerAddress, mailWindowMs } from '../limits.ts'
import { SlidingLog } from '../sliding-log.ts'
import { AccountRefusal } from './account-refusal.ts'
import type { MailKind } from './mail-store.ts'
import { network } from './sign-in-limits.ts'

const windowMs = mailWindowMs
const maxKeys = 50_000

/** Which mail is asked for. */
export interface MailRequest {
  kind: MailKind
  /** Key of an email address, whether or not anybody has it: the answer must not tell. */
  account: string
  /** Of the client. */
  address: string
  /** Name of a browser that has signed in to this account before. */
  knownAs?: string | undefined
}

/**
 * Keeps strangers from filling a mailbox, and from using up what its owner may ask for: so many mails in an hour for one
 * account by one client, by one client to all, and for one account by all. A known browser counts by itself alone,
 * and each kind of mail by itself. In memory.
 */
export class MailLimits {
  readonly #byRequester = new SlidingLog({ limit: mailsPerAccount, windowMs, maxKeys })
  readonly #byAddress = new SlidingLog({ limit: mailsPerAddress, windowMs, maxKeys })
  readonly #byAccount = new SlidingLog({ limit: mailsPerAccountInAll, windowMs, maxKeys })

  /**
   * Counts one mail that is asked for.
   *
   * @throws AccountRefusal `too-many-mails`, with the time after which one more is taken; then nothing is counted.
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

  /** Counts the mail of a sign-up, which goes to one address once. @throws as {@link take}. */
  takeForSignUp(address: string, nowMs: number): void {
    this.#count([[this.#byAddress, network(address)]], nowMs)
  }

  #count(counts: readonly [SlidingLog, string][], nowMs: number): void {
    const retryAfterMs = Math.max(...counts.map(([log, key]) => log.waitMs(key, nowMs)))
    if (retryAfterMs > 0) throw new AccountRefusal('too-many-mails', { retryAfterMs })
    for (const [log, key] of counts) log.add(key, nowMs)
  }
}

import { signInFailuresPerAccount, signInFailuresPerAddress, signInWindowMs } from '../limits.ts'
import { SlidingLog } from '../sliding-log.ts'
import { AccountRefusal } from './account-refusal.ts'
import type { HashingSlot } from './credential-hashing.ts'

const accountsMax = 50_000
const addressesMax = 50_000

/**
 * Slows guessing of passwords: so many failures per account and per client address in a window, after which
 * even the right password waits. In memory: a restart forgets it, and a guess beyond the limits writes nothing, not even to the audit.
 */
export class SignInLimits {
  readonly #byAccount = new SlidingLog({
    limit: signInFailuresPerAccount,
    windowMs: signInWindowMs,
    maxKeys: accountsMax,
  })
  readonly #byAddress = new SlidingLog({
    limit: signInFailuresPerAddress,
    windowMs: signInWindowMs,
    maxKeys: addressesMax,
  })

  /**
   * @param account key of the account, whether or not it exists: the answer must not tell. Undefined where no
   * password is given.
   * @param address undefined where a session already says whose password is guessed.
   * @throws AccountRefusal `slow-down`, with the time after which one more attempt is taken.
   */
  check(account: string | undefined, address: string | undefined, nowMs: number): void {
    const accountMs = account === undefined ? 0 : this.#byAccount.waitMs(account, nowMs)
    const addressMs = address === undefined ? 0 : this.#byAddress.waitMs(network(address), nowMs)
    const retryAfterMs = Math.max(accountMs, addressMs)
    if (retryAfterMs > 0) throw new AccountRefusal('slow-down', { retryAfterMs })
  }

  /**
   * Whether this is the password, within the limits. The caller holds a slot, and few are to be had, so what
   * is let through at once can't outrun the count either.
   *
   * @param password null stands for nothing to compare with, which takes as long and is never right.
   * @throws AccountRefusal `slow-down`.
   */
  async verifyPassword(
    slot: HashingSlot,
    password: { clearText: string; hash: string | null },
    { account, address }: { account: string; address: string | undefined },
    nowMs: number,
  ): Promise<boolean> {
    this.check(account, address, nowMs)
    // Counted before it is looked at: another slot may be verifying a guess at the same account.
    this.#byAccount.add(account, nowMs)
    const right = await slot.verify(password.clearText, password.hash)
    // The account starts anew; the address does not, or one own account would let it guess on at others.
    if (right) this.#byAccount.clear(account)
    else if (address !== undefined) this.#byAddress.add(network(address), nowMs)
    return right
  }

  /** The account has another password now: what was guessed before counts no more. */
  forget(account: string): void {
    this.#byAccount.clear(account)
  }

  /** Somebody asked whether an address has an account. The account itself is not slowed for it. */
  probed(address: string, nowMs: number): void {
    this.#byAddress.add(network(address), nowMs)
  }
}

/** One subscriber holds a whole IPv6 /64, so that is what counts as one address. */
export function network(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const tailGroups = tail === '' ? [] : tail.split(':')
    while (groups.length + tailGroups.length < 8) groups.push('0')
    groups.push(...tailGroups)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}

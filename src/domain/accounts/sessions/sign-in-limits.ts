import { createHmac, randomBytes } from 'node:crypto'
import { sameDigest } from '../../ids-and-secrets.ts'
import { network } from '../../limits/budget.ts'
import * as limits from '../../limits/limits.ts'
import { SlidingLog } from '../../limits/sliding-log.ts'
import { AccountRefusal } from '../account-refusal.ts'
import type { HashingSlot } from '../credential-hashing.ts'
import type { Credentials, UserStore } from '../user-store.ts'
import type { Session } from './sessions.ts'

const { signInFailuresPerAccount, signInFailuresPerAddress, signInWindowMs: windowMs } = limits
const maxKeys = 50_000

/**
 * A stranger's failures count against the account and the client address. A known source (a session, or a browser that
 * has signed in to the account before) has its own count, so that strangers can't lock the user out.
 */
export type Guesser =
  /** `account` is the key of the submitted email address, which may belong to no account. */
  { kind: 'stranger'; account: string; address: string } | { kind: 'known'; name: string }

export function sessionGuesser({ number }: { number: number }): Guesser {
  return { kind: 'known', name: `session ${number}` }
}

/**
 * Rate limits for password guesses and sign-ups. After too many failures per account or client address, even the
 * correct password has to wait. The counts are kept in memory, so a restart resets them. An attempt beyond the limits
 * writes nothing, not even to the audit log.
 */
export class SignInLimits {
  readonly #byAccount = new SlidingLog({ limit: signInFailuresPerAccount, windowMs, maxKeys })
  readonly #byAddress = new SlidingLog({ limit: signInFailuresPerAddress, windowMs, maxKeys })
  readonly #signUps = new SlidingLog({ limit: limits.signUpsPerAddress, windowMs: limits.signUpWindowMs, maxKeys })
  readonly #byKnown = new SlidingLog({ limit: signInFailuresPerAccount, windowMs, maxKeys })

  /** @throws AccountRefusal `slow-down`, with the wait before the next attempt. */
  check(guesser: Guesser, nowMs: number): void {
    const { log, key } = this.#countOf(guesser)
    const addressMs = guesser.kind === 'stranger' ? this.#byAddress.waitMs(network(guesser.address), nowMs) : 0
    refuseFor(Math.max(log.waitMs(key, nowMs), addressMs))
  }

  /** Like {@link check}, for requests without a password. */
  checkAddress(address: string, nowMs: number): void {
    refuseFor(this.#byAddress.waitMs(network(address), nowMs))
  }

  /**
   * Verifies a password within the limits. The number of hashing slots bounds how many concurrent guesses can pass the
   * check before the first of them is counted against the client address.
   *
   * @param password if `hash` is `null`, the verification takes as long as usual and fails.
   * @throws AccountRefusal `slow-down`.
   */
  async verifyPassword(
    slot: HashingSlot,
    password: { clearText: string; hash: string | null },
    guesser: Guesser,
    nowMs: number,
  ): Promise<boolean> {
    this.check(guesser, nowMs)
    // Counts the attempt before verifying it, because another slot may be verifying a guess at the same account.
    const { log, key } = this.#countOf(guesser)
    log.add(key, nowMs)
    const right = await slot.verify(password.clearText, password.hash)
    // Doesn't reset the client address's count: attackers could reset it by signing in to an account of their own.
    if (right) log.clear(key)
    else if (guesser.kind === 'stranger') this.#byAddress.add(network(guesser.address), nowMs)
    return right
  }

  forget(account: string): void {
    this.#byAccount.clear(account)
  }

  /** @throws AccountRefusal `too-many-sign-ups`, with the wait before the next sign-up. */
  checkSignUp(address: string, nowMs: number): void {
    const retryAfterMs = this.#signUps.waitMs(network(address), nowMs)
    if (retryAfterMs > 0) throw new AccountRefusal('too-many-sign-ups', { retryAfterMs })
  }

  /** Counts a sign-up unless it is rejected. Throws AccountRefusal like {@link checkSignUp}. */
  takeSignUp(address: string, nowMs: number): void {
    this.checkSignUp(address, nowMs)
    this.#signUps.add(network(address), nowMs)
  }

  /** Counts a request that revealed whether an email address has an account, against the client address. */
  countProbe(address: string, nowMs: number): void {
    this.#byAddress.add(network(address), nowMs)
  }

  #countOf(guesser: Guesser): { log: SlidingLog; key: string } {
    return guesser.kind === 'stranger'
      ? { log: this.#byAccount, key: guesser.account }
      : { log: this.#byKnown, key: guesser.name }
  }
}

/**
 * Checks that the person at the browser owns the account, for changes that could lock the owner out. A user with a
 * password must enter it. One with only a PIN must have unlocked the session, or the change would bypass the PIN.
 *
 * @throws AccountRefusal `password-wrong`, `unlock-first`, `slow-down`, `user-unknown`.
 */
export async function proveOwner(
  slot: HashingSlot,
  session: Session,
  clearTextPassword: string | undefined,
  { users, signInLimits, nowMs }: { users: UserStore; signInLimits: SignInLimits; nowMs: number },
): Promise<Credentials> {
  const stored = await users.findCredentials(session.userId)
  if (stored === undefined) throw new AccountRefusal('user-unknown')
  if (stored.passwordHash !== null) {
    const password = { clearText: clearTextPassword ?? '', hash: stored.passwordHash }
    const right = await signInLimits.verifyPassword(slot, password, sessionGuesser(session), nowMs)
    if (!right) throw new AccountRefusal('password-wrong')
  } else if (stored.pinHash !== null && !session.pinUnlocked) {
    throw new AccountRefusal('unlock-first')
  }
  return stored
}

/** 22 base64url characters. */
const markPart = /^[A-Za-z0-9_-]{22}$/

export type KnownDevices = ReturnType<typeof createKnownDevices>

/**
 * Recognizes browsers that have signed in to an account before, by a mark: a random device name and, for each account,
 * a signature over that name, the user and the stored password hash, so a new password invalidates it. A mark grants no
 * access. It only gives the browser its own attempt count, which strangers can't use up.
 *
 * @param keys the first one signs; any of them verifies.
 */
export function createKnownDevices(keys: readonly Uint8Array[]) {
  function signaturesOf(device: string, { userId, passwordHash }: Credentials): string[] {
    const signed = `${device}\n${userId}\n${passwordHash ?? ''}`
    return keys.map((key) => createHmac('sha256', key).update(signed).digest('base64url').slice(0, 22))
  }

  return {
    /** Adds the account to the browser's mark. Drops the least recently used accounts beyond the limit. */
    markAfterSignIn(mark: string | undefined, credentials: Credentials): string {
      const { device, signatures } = readMark(mark)
      const [own = ''] = signaturesOf(device, credentials)
      const latestFirst = [...new Set([own, ...signatures])]
      return [device, ...latestFirst.slice(0, limits.accountsPerDevice)].join('.')
    },

    /** Returns the key of this browser's attempts at the account, or `undefined` if its mark has no valid signature. */
    nameFor(mark: string | undefined, credentials: Credentials): string | undefined {
      const { device, signatures } = readMark(mark)
      const own = signaturesOf(device, credentials).map((signature) => Buffer.from(signature))
      const known = signatures.some((signature) => own.some((one) => sameDigest(one, Buffer.from(signature))))
      return known ? `device ${device} ${credentials.userId}` : undefined
    },
  }
}

/** A missing or malformed mark gets a new random device name without signatures. */
function readMark(mark: string | undefined): { device: string; signatures: string[] } {
  const [device = '', ...signatures] = (mark ?? '').split('.', limits.accountsPerDevice + 1)
  if (!markPart.test(device)) return { device: randomBytes(16).toString('base64url'), signatures: [] }
  return { device, signatures: signatures.filter((signature) => markPart.test(signature)) }
}

function refuseFor(retryAfterMs: number): void {
  if (retryAfterMs > 0) throw new AccountRefusal('slow-down', { retryAfterMs })
}

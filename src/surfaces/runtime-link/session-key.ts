import type { LiveRuntimeKey } from '../../domain/bots/runtimes/runtime.ts'
import { secretPrefixes } from '../../domain/secret.ts'
import { closeCodes } from './contract.ts'
import type { SessionEnd } from './link-session.ts'

/** The runtime key with which a session was opened. */
export class SessionKey {
  #key: LiveRuntimeKey

  constructor(key: LiveRuntimeKey) {
    this.#key = key
  }

  get number(): number {
    return this.#key.number
  }

  /**
   * Updates the session's key from the runtime's valid keys. Returns how the session ends if its key is no longer among
   * them.
   */
  update(keys: readonly LiveRuntimeKey[]): SessionEnd | undefined {
    const own = keys.find(({ number }) => number === this.#key.number)
    if (own !== undefined) {
      this.#key = own
      return undefined
    }
    return {
      code: closeCodes.keyRefused,
      reason: keys.length === 0 ? 'the runtime was removed' : 'the key was revoked',
    }
  }

  /** Returns how the session ends if its key has expired. */
  check(nowMs: number): SessionEnd | undefined {
    const { endsAtMs } = this.#key
    if (endsAtMs === null || endsAtMs > nowMs) return undefined
    return { code: closeCodes.keyRefused, reason: 'the key has expired; use the newer one' }
  }
}

/** Returns why a key was refused, without the key. */
export function keyRefusal(clearTextKey: string | undefined): string {
  if (clearTextKey === undefined) return `send a runtime key: Authorization: Bearer ${secretPrefixes.runtimeKey}…`
  if (clearTextKey.startsWith(secretPrefixes.runtimeKey)) return 'unknown runtime key'
  return `this is not a runtime key: one starts with ${secretPrefixes.runtimeKey}`
}

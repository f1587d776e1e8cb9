import { Refusal } from '../refusal.ts'

export type AccountRefusalReason =
  | 'sign-up-closed'
  | 'name-missing'
  | 'name-too-long'
  | 'email-missing'
  | 'email-malformed'
  | 'email-taken'
  | 'password-too-short'
  | 'password-too-long'
  | 'password-well-known'
  | 'password-wrong'
  | 'current-password-wrong'
  | 'credentials-wrong'
  | 'slow-down'
  | 'busy'
  | 'pin-malformed'
  | 'pin-not-set'
  | 'pin-wrong'
  | 'pin-locked'
  | 'unlock-first'
  | 'chat-platform-id-malformed'
  | 'chat-platform-id-taken'
  | 'code-hosting-id-malformed'
  | 'code-hosting-id-taken'
  | 'link-invalid'
  | 'sign-in-first'
  | 'too-many-sign-ups'
  | 'too-many-mails'
  | 'user-unknown'

/** An expected "no" of the accounts room. */
export class AccountRefusal extends Refusal<AccountRefusalReason> {
  /** Every reason, when a form has several faults; the first is `reason`. */
  readonly reasons: readonly AccountRefusalReason[]
  /**
   * With `slow-down`, `busy`, `pin-locked`, `too-many-sign-ups` and `too-many-mails`: the wait before the next
   * attempt.
   */
  readonly retryAfterMs: number | undefined
  /** With `pin-wrong`: how many wrong PINs are left before the lock. */
  readonly triesLeft: number | undefined

  constructor(
    reasons: AccountRefusalReason | readonly [AccountRefusalReason, ...AccountRefusalReason[]],
    context: { detail?: string; cause?: unknown; retryAfterMs?: number; triesLeft?: number } = {},
  ) {
    const all = typeof reasons === 'string' ? ([reasons] as const) : reasons
    super(all[0], context)
    this.reasons = all
    this.retryAfterMs = context.retryAfterMs
    this.triesLeft = context.triesLeft
  }
}

import { parserOfAll, Refusal } from '../refusal.ts'

export type AccountRefusalReason =
  | 'sign-up-closed'
  | 'name-missing'
  | 'name-too-long'
  | 'email-missing'
  | 'email-malformed'
  | 'email-taken'
  | 'email-unconfirmed'
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
  | 'user-disabled'

export class AccountRefusal extends Refusal<AccountRefusalReason> {
  /** Set for `slow-down`, `busy`, `pin-locked`, `too-many-sign-ups` and `too-many-mails`. */
  readonly retryAfterMs: number | undefined
  /** Number of PIN attempts left. Set for `pin-wrong`. */
  readonly triesLeft: number | undefined

  constructor(
    reasons: AccountRefusalReason | readonly [AccountRefusalReason, ...AccountRefusalReason[]],
    context: { detail?: string; cause?: unknown; retryAfterMs?: number; triesLeft?: number } = {},
  ) {
    super(reasons, context)
    this.retryAfterMs = context.retryAfterMs
    this.triesLeft = context.triesLeft
  }
}

export const parseAll = parserOfAll<AccountRefusalReason>(AccountRefusal)

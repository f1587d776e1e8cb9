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
  | 'chat-platform-id-taken'
  | 'code-hosting-id-malformed'
  | 'code-hosting-id-taken'
  | 'link-invalid'
  | 'sign-in-first'
  | 'too-many-sign-ups'
  | 'too-many-mails'
  | 'user-unknown'
  | 'user-disabled'

interface RefusedAccess {
  /** Set for `slow-down`, `busy`, `pin-locked`, `too-many-sign-ups` and `too-many-mails`. */
  retryAfterMs: number
  /** Number of PIN attempts left. Set for `pin-wrong`. */
  triesLeft: number
}

export class AccountRefusal extends Refusal<AccountRefusalReason, RefusedAccess> {}

export const parseAll = parserOfAll<AccountRefusalReason>(AccountRefusal)

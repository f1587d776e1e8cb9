import type { ApplicationId } from '../ids-and-secrets.ts'
import { Refusal } from '../refusal.ts'
import type { RedemptionOutcome, RotationOutcome } from './token-family.ts'

/** Of a code, a token or an authenticated client's request. */
export type AuthorizationRefusalReason =
  | Exclude<RedemptionOutcome['kind'], 'redeemed'>
  | Exclude<RotationOutcome['kind'], 'rotated'>
  | 'access-token-invalid'
  | 'access-token-expired'
  | 'access-token-revoked'

export class AuthorizationRefusal extends Refusal<AuthorizationRefusalReason, RefusedAuthorization> {}

interface RefusedAuthorization {
  /** Set only for `access-token-expired` and `access-token-revoked`. */
  applicationId: ApplicationId
  /** For the error description. */
  scope: string | undefined
}

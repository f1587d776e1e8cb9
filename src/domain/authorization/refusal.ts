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

export class AuthorizationRefusal extends Refusal<AuthorizationRefusalReason> {
  /** Set only for `access-token-expired` and `access-token-revoked`. */
  readonly applicationId: ApplicationId | undefined

  /** For the error description. */
  readonly scope: string | undefined

  constructor(
    reason: AuthorizationRefusalReason,
    context: { detail?: string; applicationId?: ApplicationId; scope?: string | undefined } = {},
  ) {
    super(reason, context)
    this.applicationId = context.applicationId
    this.scope = context.scope
  }
}

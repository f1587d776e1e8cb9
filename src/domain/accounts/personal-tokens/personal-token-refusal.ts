import { Refusal } from '../../refusal.ts'

export type PersonalTokenRefusalReason =
  | 'name-missing'
  | 'name-too-long'
  | 'scopes-missing'
  | 'lifetime-unknown'
  | 'tokens-too-many'

/** Thrown when a personal access token can't be created. */
export class PersonalTokenRefusal extends Refusal<PersonalTokenRefusalReason> {
  /** All validation errors of the form. `reason` is the first one. */
  readonly reasons: readonly PersonalTokenRefusalReason[]

  constructor(reasons: readonly [PersonalTokenRefusalReason, ...PersonalTokenRefusalReason[]]) {
    super(reasons[0])
    this.reasons = reasons
  }
}

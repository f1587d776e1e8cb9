import { Refusal } from '../../refusal.ts'

export type PasskeyRefusalReason =
  | 'response-malformed'
  | 'challenge-unknown'
  | 'passkey-unknown'
  | 'verification-failed'
  | 'counter-behind'
  | 'passkey-taken'
  | 'too-many-passkeys'
  | 'name-too-long'
  | 'no-passkey'
  | 'sign-in-again'
  | 'last-way-to-sign-in'

export class PasskeyRefusal extends Refusal<PasskeyRefusalReason> {}

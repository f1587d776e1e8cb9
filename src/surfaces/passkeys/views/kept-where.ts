import type { Passkey } from '../../../domain/accounts/passkeys.ts'

/** Where a passkey lives, as far as its authenticator told (WebAuthn section 6.1.3). */
export function keptWhere({ backupEligible, backedUp }: Passkey): string {
  if (!backupEligible) return 'On one device only'
  return backedUp ? 'In sync with your other devices' : 'On one device, not yet in sync'
}

import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import type { Text } from '../../../pages/html.ts'
import { passkeysWords } from '../words.ts'

const { oneDevice, inSync, notYetInSync } = passkeysWords.keptWhere

/** Where a passkey lives, as far as its authenticator told (WebAuthn section 6.1.3). */
export function keptWhere({ backupEligible, backedUp }: Passkey): Text {
  if (!backupEligible) return oneDevice
  return backedUp ? inSync : notYetInSync
}

import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import type { Text } from '../../../pages/html.ts'
import { passkeysWords } from '../words.ts'

const { oneDevice, inSync, notYetInSync } = passkeysWords.storage

/** Describes where a passkey is stored, judging by its authenticator's backup flags (WebAuthn section 6.1.3). */
export function storageWords({ backupEligible, backedUp }: Passkey): Text {
  if (!backupEligible) return oneDevice
  return backedUp ? inSync : notYetInSync
}

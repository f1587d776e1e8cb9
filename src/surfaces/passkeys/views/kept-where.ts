import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import type { Text } from '../../../pages/html.ts'
import { passkeysWords } from '../words.ts'

const { oneDevice, inSync, notYetInSync } = passkeysWords.keptWhere

/** Describes where a passkey is stored, by its authenticator's backup flags (WebAuthn section 6.1.3). */
export function keptWhere({ backupEligible, backedUp }: Passkey): Text {
  if (!backupEligible) return oneDevice
  return backedUp ? inSync : notYetInSync
}

import { sealedFor, signingSecrets } from '../domain/bots/flows.ts'
import type { BotId, FlowId } from '../domain/ids.ts'
import { type Secrets, sameDigest } from '../domain/secret.ts'
import { SecretKeyMismatch } from '../domain/secret-key-mismatch.ts'
import type { Database } from './database.ts'
import { changes, firstRow, rows, type Work } from './work.ts'

/** Reads the check value of the key that the data is made with. For readers that are not a {@link Database} too. */
export const readKeyCheck = 'SELECT check_value FROM secret_key_check'

export interface KeyCheckRow {
  check_value: Uint8Array | null
}

/** Texts that data of earlier releases, which has no check value, may hold sealed under its key. */
export const readSealedTexts =
  'SELECT bot_id, id, signing_secret FROM flows WHERE signing_secret IS NOT NULL ORDER BY bot_id, id LIMIT 100'

export interface SealedTextRow {
  bot_id: BotId
  id: FlowId
  signing_secret: Uint8Array
}

/**
 * Stops the start when the data was made with a key that `secrets` does not have. Otherwise the check value becomes
 * that of the current key: nodes that hold only the previous one are refused from then on.
 *
 * @throws SecretKeyMismatch, or StoreUnavailable.
 */
export async function confirmSecretKey(database: Database, secrets: Secrets): Promise<void> {
  if (!(await database.write(() => confirm(secrets)))) throw new SecretKeyMismatch()
}

function* confirm(secrets: Secrets): Work<boolean> {
  const stored = yield* firstRow<KeyCheckRow>(readKeyCheck)
  const sealed = stored === undefined ? yield* rows<SealedTextRow>(readSealedTexts) : []
  if (!secretKeyFits(secrets, stored, sealed)) return false
  const [current] = checkValues(secrets) as [Uint8Array]
  if (stored?.check_value && sameDigest(stored.check_value, current)) return true
  yield* changes(
    `INSERT INTO secret_key_check (id, check_value) VALUES (1, ?)
       ON CONFLICT (id) DO UPDATE SET check_value = excluded.check_value`,
    current,
  )
  return true
}

/**
 * Returns whether the data can have been made with the current or a previous key.
 *
 * @param stored undefined in data of earlier releases; then one of its sealed texts must open, if it has any.
 */
export function secretKeyFits(
  secrets: Secrets,
  stored: KeyCheckRow | undefined,
  sealed: readonly SealedTextRow[],
): boolean {
  const checkValue = stored?.check_value
  if (checkValue) return checkValues(secrets).some((known) => sameDigest(known, checkValue))
  return stored !== undefined || sealed.length === 0 || sealed.some((row) => opens(secrets, row))
}

/** Derived with a label of their own, so that they say nothing about the other keys derived from the secret key. */
function checkValues(secrets: Secrets): readonly Uint8Array[] {
  return secrets.keysFor('secret key check')
}

function opens(secrets: Secrets, { bot_id, id, signing_secret }: SealedTextRow): boolean {
  try {
    signingSecrets(secrets).open(signing_secret, sealedFor(bot_id, id))
    return true
  } catch {
    return false
  }
}

import { sealedFor, signingSecrets } from '../../domain/bots/flows/flow.ts'
import { type BotId, type FlowId, SecretKeyMismatch, type Secrets, sameDigest } from '../../domain/ids-and-secrets.ts'
import { type Database, put, raw, type Work } from './sql.ts'

/** Selects the check value, which shows the key that created the data. A string, to read without a {@link Database}. */
export const readKeyCheck = 'SELECT check_value AS "checkValue" FROM secret_key_check'

interface KeyCheckRow {
  checkValue: Uint8Array | null
}

/** Selects encrypted signing secrets, to check the key of data from releases that didn't store a check value. */
export const readSealedTexts = `SELECT bot_id AS "botId", id, signing_secret AS "signingSecret" FROM flows
  WHERE signing_secret IS NOT NULL ORDER BY bot_id, id LIMIT 100`

interface SealedTextRow {
  botId: BotId
  id: FlowId
  signingSecret: Uint8Array
}

/**
 * Throws if the data was created with a key that `secrets` doesn't have. Otherwise stores the current key's check
 * value. From then on, nodes that have only the previous key can't start.
 *
 * @throws SecretKeyMismatch, or StoreUnavailable.
 */
export async function confirmSecretKey(database: Database, secrets: Secrets): Promise<void> {
  if (!(await database.write({}, () => confirm(secrets)))) throw new SecretKeyMismatch()
}

/**
 * Returns whether the data may have been created with the current or a previous key.
 *
 * @param checks what {@link readKeyCheck} selects. Empty for data from earlier releases. In that case, at least one of
 * the encrypted texts in `sealed` must decrypt, if there are any.
 * @param sealed what {@link readSealedTexts} selects.
 */
export function secretKeyFits(secrets: Secrets, checks: readonly object[], sealed: readonly object[]): boolean {
  const [stored] = checks as readonly KeyCheckRow[]
  const checkValue = stored?.checkValue
  if (checkValue) return checkValues(secrets).some((known) => sameDigest(known, checkValue))
  const texts = sealed as readonly SealedTextRow[]
  return stored !== undefined || texts.length === 0 || texts.some((row) => opens(secrets, row))
}

function* confirm(secrets: Secrets): Work<boolean> {
  const checks = yield* raw(readKeyCheck).rows<KeyCheckRow>()
  const [stored] = checks
  const sealed = stored === undefined ? yield* raw(readSealedTexts).rows<SealedTextRow>() : []
  if (!secretKeyFits(secrets, checks, sealed)) return false
  const [current] = checkValues(secrets) as [Uint8Array]
  if (stored?.checkValue && sameDigest(stored.checkValue, current)) return true
  yield* put('secret_key_check', ['id'], { id: 1, checkValue: current }).run()
  return true
}

/** Returns the check value of each key, current key first. Their own label protects other derived keys. */
function checkValues(secrets: Secrets): readonly Uint8Array[] {
  return secrets.keysFor('secret key check')
}

function opens(secrets: Secrets, { botId, id, signingSecret }: SealedTextRow): boolean {
  return signingSecrets(secrets).find(signingSecret, sealedFor(botId, id)) !== undefined
}

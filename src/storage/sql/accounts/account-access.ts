import type { EndedByFirstProof } from '../../../domain/accounts/recovery/one-time-link-store.ts'
import type { RuntimeId, SubscriptionId } from '../../../domain/ids.ts'
import { changes, rows, type Work } from '../database.ts'

/**
 * Revokes everything that must not survive a password change: all sessions except the one to keep, personal access
 * tokens, the password reset link, and a pending change of the email address, which someone with the old password may
 * have requested.
 */
export function* endAccessByPassword(userId: string, keptSession?: number): Work<void> {
  if (keptSession === undefined) yield* changes('DELETE FROM sessions WHERE user_id = ?', userId)
  else yield* changes('DELETE FROM sessions WHERE user_id = ? AND number <> ?', userId, keptSession)
  yield* changes('DELETE FROM personal_tokens WHERE user_id = ?', userId)
  yield* changes("DELETE FROM one_time_links WHERE user_id = ? AND purpose = 'reset-password'", userId)
  yield* cancelPendingEmail(userId)
}

/** Cancels a pending change of email address. A link that verifies the current address stays valid. */
export function* cancelPendingEmail(userId: string): Work<void> {
  yield* changes(
    `DELETE FROM one_time_links WHERE user_id = ?1 AND purpose = 'verify-email'
       AND email_key IS DISTINCT FROM (SELECT email_key FROM users WHERE id = ?1)`,
    userId,
  )
  yield* changes('UPDATE users SET pending_email = NULL, pending_email_key = NULL WHERE id = ?', userId)
}

/**
 * Removes every way to sign in to the account except its password, and revokes all consents and tokens. Keeps the
 * user's applications, bots, runtimes and subscriptions, and roles in other users' bots (decision 0051).
 */
export function* removeAccess(userId: string, nowMs: number): Work<void> {
  yield* endAccessByPassword(userId)
  for (const sql of [
    'DELETE FROM one_time_links WHERE user_id = ?',
    'DELETE FROM passkeys WHERE user_id = ?',
    'DELETE FROM passkey_challenges WHERE user_id = ?',
    'DELETE FROM linked_accounts WHERE user_id = ?',
    'DELETE FROM provider_visits WHERE linking_user_id = ?',
    'DELETE FROM try_out_results WHERE user_id = ?',
    'DELETE FROM consents WHERE user_id = ?',
    `UPDATE users SET pin_hash = NULL, pin_failures = 0, pin_locked_until_ms = NULL, chat_platform_id = NULL,
       code_hosting_id = NULL WHERE id = ?`,
  ]) {
    yield* changes(sql, userId)
  }
  yield* revokeTokensOf(userId, nowMs)
}

/**
 * Ends everything with which programs act for the account's owner: runtimes with their keys, subscriptions, and the
 * secrets of the user's applications. Keeps the applications and bots themselves.
 */
export function* endProgramAccess(userId: string): Work<EndedByFirstProof> {
  const runtimes = yield* rows<{ id: RuntimeId }>('SELECT id FROM runtimes WHERE owner_id = ?', userId)
  const subscriptions = yield* rows<{ id: SubscriptionId }>('SELECT id FROM subscriptions WHERE owner_id = ?', userId)
  yield* changes('DELETE FROM runtimes WHERE owner_id = ?', userId)
  yield* changes('DELETE FROM subscriptions WHERE owner_id = ?', userId)
  const clientSecrets = yield* changes(
    `DELETE FROM client_secrets WHERE application_id IN
     (SELECT id FROM applications WHERE owner_id = ? AND deleted_at_ms IS NULL)`,
    userId,
  )
  return {
    runtimeIds: runtimes.map(({ id }) => id),
    subscriptionIds: subscriptions.map(({ id }) => id),
    clientSecrets,
  }
}

/** Revokes all the user's tokens and codes, including personal access tokens. */
export function* revokeTokensOf(userId: string, nowMs: number): Work<void> {
  yield* changes('DELETE FROM personal_tokens WHERE user_id = ?', userId)
  yield* changes(
    `UPDATE token_families SET revoked_at_ms = ?, revoked_because = 'access-removed'
     WHERE user_id = ? AND revoked_at_ms IS NULL`,
    nowMs,
    userId,
  )
}

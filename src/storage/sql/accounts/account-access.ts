import type { EndedByFirstProof } from '../../../domain/accounts/recovery/one-time-link-store.ts'
import type { RuntimeId, SubscriptionId } from '../../../domain/ids.ts'
import { raw, sql, type Work } from '../sql.ts'

/**
 * Revokes everything that must not survive a password change: all sessions except the one to keep, personal access
 * tokens, the password reset link, and a pending change of the email address, which someone with the old password may
 * have requested.
 */
export function* endAccessByPassword(userId: string, keptSession?: number): Work<void> {
  if (keptSession === undefined) yield* sql`DELETE FROM sessions WHERE user_id = ${userId}`.changes()
  else yield* sql`DELETE FROM sessions WHERE user_id = ${userId} AND number <> ${keptSession}`.changes()
  yield* sql`DELETE FROM personal_tokens WHERE user_id = ${userId}`.changes()
  yield* sql`DELETE FROM one_time_links WHERE user_id = ${userId} AND purpose = 'reset-password'`.changes()
  yield* cancelPendingEmail(userId)
}

/** Cancels a pending change of email address. A link that verifies the current address stays valid. */
export function* cancelPendingEmail(userId: string): Work<void> {
  yield* sql`DELETE FROM one_time_links WHERE user_id = ${userId} AND purpose = 'verify-email'
       AND email_key IS DISTINCT FROM (SELECT email_key FROM users WHERE id = ${userId})`.changes()
  yield* sql`UPDATE users SET pending_email = NULL, pending_email_key = NULL WHERE id = ${userId}`.changes()
}

/**
 * Removes every way to sign in to the account except its password, and revokes all consents and tokens. Keeps the
 * user's applications, bots, runtimes and subscriptions, and roles in other users' bots (decision 0051).
 */
export function* removeAccess(userId: string, nowMs: number): Work<void> {
  yield* endAccessByPassword(userId)
  for (const table of [
    'one_time_links',
    'passkeys',
    'passkey_challenges',
    'linked_accounts',
    'try_out_results',
    'consents',
  ]) {
    yield* sql`DELETE FROM ${raw(table)} WHERE user_id = ${userId}`.run()
  }
  yield* sql`DELETE FROM provider_visits WHERE linking_user_id = ${userId}`.run()
  yield* sql`UPDATE users SET pin_hash = NULL, pin_failures = 0, pin_locked_until_ms = NULL, chat_platform_id = NULL,
    code_hosting_id = NULL WHERE id = ${userId}`.run()
  yield* revokeTokensOf(userId, nowMs)
}

/**
 * Ends everything with which programs act for the account's owner: runtimes with their keys, subscriptions, and the
 * secrets of the user's applications. Keeps the applications and bots themselves.
 */
export function* endProgramAccess(userId: string): Work<EndedByFirstProof> {
  const runtimes = yield* sql`SELECT id FROM runtimes WHERE owner_id = ${userId}`.rows<{ id: RuntimeId }>()
  const subscriptions = yield* sql`SELECT id FROM subscriptions
    WHERE owner_id = ${userId}`.rows<{ id: SubscriptionId }>()
  yield* sql`DELETE FROM runtimes WHERE owner_id = ${userId}`.changes()
  yield* sql`DELETE FROM subscriptions WHERE owner_id = ${userId}`.changes()
  const clientSecrets = yield* sql`DELETE FROM client_secrets WHERE application_id IN
     (SELECT id FROM applications WHERE owner_id = ${userId} AND deleted_at_ms IS NULL)`.changes()
  return {
    runtimeIds: runtimes.map(({ id }) => id),
    subscriptionIds: subscriptions.map(({ id }) => id),
    clientSecrets,
  }
}

/** Revokes all the user's tokens and codes, including personal access tokens. */
export function* revokeTokensOf(userId: string, nowMs: number): Work<void> {
  yield* sql`DELETE FROM personal_tokens WHERE user_id = ${userId}`.changes()
  yield* sql`UPDATE token_families SET revoked_at_ms = ${nowMs}, revoked_because = 'access-removed'
     WHERE user_id = ${userId} AND revoked_at_ms IS NULL`.changes()
}

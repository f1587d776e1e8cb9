import type { ApplicationId, BotId, RuntimeId, SubscriptionId, UserId } from '../../../domain/ids.ts'
import type { RemovePersonOutcome } from '../../../domain/people/people.ts'
import { tablesOfBot } from '../bots/bots.ts'
import { userExists } from '../existence.ts'
import { changes, rows, type Work } from '../work.ts'

const applicationsOf = 'SELECT id FROM applications WHERE owner_id = ?'
const botsOf = 'SELECT id FROM bots WHERE owner_id = ?'

/**
 * Statements that delete data without a cascading foreign key to the user. Access tokens need no statement: without
 * their family they are rejected, and they are pruned once they have expired.
 */
const removals = [
  'DELETE FROM token_families WHERE user_id = ?',
  'DELETE FROM coworkers WHERE user_id = ?',
  'DELETE FROM runtimes WHERE owner_id = ?',
  'DELETE FROM outgoing_mail WHERE user_id = ?',
  'DELETE FROM outgoing_mail WHERE address IN (SELECT email FROM users WHERE id = ?)',
  'DELETE FROM status_subscribers WHERE address_key IN (SELECT email_key FROM users WHERE id = ?)',
  ...['client_secrets', 'failed_requests', 'application_days'].map(
    (table) => `DELETE FROM ${table} WHERE application_id IN (${applicationsOf})`,
  ),
  ...tablesOfBot.map((table) => `DELETE FROM ${table} WHERE bot_id IN (${botsOf})`),
]

/** See {@link PersonStore.remove}. */
export function* removePerson(userId: UserId, owned: 'delete' | 'refuse', nowMs: number): Work<RemovePersonOutcome> {
  if (!(yield* userExists(userId))) return { kind: 'unknown' }
  const live = 'AND deleted_at_ms IS NULL ORDER BY id'
  const applicationIds = (yield* rows<{ id: ApplicationId }>(`${applicationsOf} ${live}`, userId)).map(({ id }) => id)
  const botIds = (yield* rows<{ id: BotId }>(`${botsOf} ${live}`, userId)).map(({ id }) => id)
  if (owned === 'refuse' && applicationIds.length + botIds.length > 0) return { kind: 'owner', applicationIds, botIds }
  const runtimes = yield* rows<{ id: RuntimeId }>('SELECT id FROM runtimes WHERE owner_id = ?', userId)
  const subscriptions = yield* rows<{ id: SubscriptionId }>('SELECT id FROM subscriptions WHERE owner_id = ?', userId)

  for (const sql of removals) yield* changes(sql, userId)
  // Empties the rows of applications instead of deleting them, because tokens of other users refer to them (decision
  // 0010).
  yield* changes(
    `UPDATE applications SET owner_id = NULL, name = '', website_url = '', redirect_uris = '[]',
       deleted_at_ms = coalesce(deleted_at_ms, ?1), updated_at_ms = ?1 WHERE owner_id = ?2`,
    nowMs,
    userId,
  )
  yield* changes(
    'INSERT INTO deleted_bots (id, deleted_at_ms) SELECT id, CAST(? AS BIGINT) FROM bots WHERE owner_id = ?',
    nowMs,
    userId,
  )
  yield* changes('DELETE FROM bots WHERE owner_id = ?', userId)
  yield* changes('DELETE FROM users WHERE id = ?', userId)
  return {
    kind: 'removed',
    botIds,
    runtimeIds: runtimes.map(({ id }) => id),
    subscriptionIds: subscriptions.map(({ id }) => id),
  }
}

import type { UserStore } from '../../../domain/accounts/user-store.ts'
import type { UserId } from '../../../domain/ids.ts'
import type { Database } from '../database.ts'
import { changes, firstRow, type Work } from '../work.ts'
import { cancelPendingEmail } from './account-access.ts'
import { queueMail } from './outgoing-mail.ts'

export function sqlEmails(database: Database): Pick<UserStore, 'changeEmail' | 'requestEmail' | 'dropPendingEmail'> {
  return {
    changeEmail: (id, email, nowMs, recording) =>
      database.write({ row: `user ${id}`, recording }, function* () {
        if (yield* takenByAnother('email_key', email.key, id)) return 'email-taken'
        yield* changes(
          // The address stays verified if its key is unchanged, for example if only the case differs.
          `UPDATE users SET email = ?1, email_verified_at_ms = CASE WHEN email_key = ?2 THEN email_verified_at_ms END,
           email_key = ?2, updated_at_ms = ?3 WHERE id = ?4`,
          email.address,
          email.key,
          nowMs,
          id,
        )
        yield* cancelPendingEmail(id)
        return 'changed'
      }),

    requestEmail: (id, email, language, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        if (yield* takenByAnother('email_key', email.key, id)) return 'email-taken'
        yield* changes(
          'UPDATE users SET pending_email = ?1, pending_email_key = ?2 WHERE id = ?3 AND email_key IS DISTINCT FROM ?2',
          email.address,
          email.key,
          id,
        )
        yield* queueMail({ kind: 'verify-email', userId: id, address: email.address, language }, nowMs)
        return 'requested'
      }),

    dropPendingEmail: (id) => database.write({ row: `user ${id}` }, () => cancelPendingEmail(id)),
  }
}

export function* takenByAnother(
  column: 'email_key' | 'chat_platform_id' | 'code_hosting_id',
  value: string,
  id: UserId,
): Work<boolean> {
  return (yield* firstRow(`SELECT 1 FROM users WHERE ${column} = ? AND id <> ?`, value, id)) !== undefined
}

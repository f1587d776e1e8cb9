import type { MailStore, NewMail, QueuedMail } from '../../../domain/accounts/mail/mail-limits.ts'
import { type Database, insertInto, sql, type Work } from '../sql.ts'

export function sqlOutgoingMail(database: Database): MailStore {
  return {
    addMail: (mail, nowMs) => database.write({}, () => queueMail(mail, nowMs)),

    async nextDue(nowMs) {
      const [mail] = await database.queryOnce<QueuedMail>(
        sql`SELECT number, kind, user_id, address, language, attempts, created_at_ms FROM outgoing_mail
          WHERE due_at_ms <= ${nowMs} ORDER BY due_at_ms, number LIMIT 1`,
      )
      return mail
    },

    removeMail: (number) => database.write({}, () => sql`DELETE FROM outgoing_mail WHERE number = ${number}`.run()),

    postponeMail: (number, dueAtMs, hasFailed) =>
      database.write({}, () =>
        sql`UPDATE outgoing_mail SET attempts = attempts + ${hasFailed}, due_at_ms = ${dueAtMs}
          WHERE number = ${number}`.run(),
      ),
  }
}

export function* queueMail({ kind, userId, address, language }: NewMail, nowMs: number): Work<void> {
  yield* insertInto('outgoing_mail', { kind, userId, address, language, dueAtMs: nowMs, createdAtMs: nowMs }).changes()
}

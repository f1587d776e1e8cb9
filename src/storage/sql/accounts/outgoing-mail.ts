import type { MailStore, NewMail, QueuedMail } from '../../../domain/accounts/mail/mail.ts'
import type { UserId } from '../../../domain/ids.ts'
import type { Language } from '../../../domain/language.ts'
import { changes, type Database, type Work } from '../database.ts'

interface MailRow {
  number: number
  kind: QueuedMail['kind']
  userId: string | null
  address: string
  language: Language
  attempts: number
  createdAtMs: number
}

const firstDue = `SELECT number, kind, user_id, address, language, attempts, created_at_ms
  FROM outgoing_mail WHERE due_at_ms <= ? ORDER BY due_at_ms, number LIMIT 1`

export function sqlOutgoingMail(database: Database): MailStore {
  return {
    addMail: (mail, nowMs) => database.write({}, () => queueMail(mail, nowMs)),

    async nextDue(nowMs) {
      const [row] = await database.queryOnce<MailRow>(firstDue, nowMs)
      if (row === undefined) return undefined
      const { userId, createdAtMs, ...same } = row
      return { ...same, userId: userId as UserId | null, createdAtMs }
    },

    removeMail: (number) =>
      database.write({}, function* () {
        yield* changes('DELETE FROM outgoing_mail WHERE number = ?', number)
      }),

    holdMail: (number, dueAtMs) =>
      database.write({}, function* () {
        yield* changes('UPDATE outgoing_mail SET due_at_ms = ? WHERE number = ?', dueAtMs, number)
      }),

    postponeMail: (number, dueAtMs) =>
      database.write({}, function* () {
        yield* changes(
          'UPDATE outgoing_mail SET attempts = attempts + 1, due_at_ms = ? WHERE number = ?',
          dueAtMs,
          number,
        )
      }),
  }
}

/** Queues an email in the current transaction. */
export function* queueMail({ kind, userId, address, language }: NewMail, nowMs: number): Work<void> {
  yield* changes(
    'INSERT INTO outgoing_mail (kind, user_id, address, language, due_at_ms, created_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?5)',
    kind,
    userId,
    address,
    language,
    nowMs,
  )
}

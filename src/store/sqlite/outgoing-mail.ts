import type { MailKind, MailStore, NewMail } from '../../domain/accounts/mail-store.ts'
import type { UserId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface MailRow {
  number: number
  kind: MailKind
  user_id: string | null
  address: string
  attempts: number
  created_at_ms: number
}

/** Mail to be sent, in SQLite. */
export function sqliteOutgoingMail(file: SqliteFile): MailStore {
  const select = file.statement('SELECT * FROM outgoing_mail WHERE due_at_ms <= ? ORDER BY due_at_ms, number LIMIT 1')
  const remove = file.statement('DELETE FROM outgoing_mail WHERE number = ?')
  const postpone = file.statement('UPDATE outgoing_mail SET attempts = attempts + 1, due_at_ms = ? WHERE number = ?')
  return {
    addMail: (mail, nowMs) => file.write(() => queueMail(file, mail, nowMs)),

    async nextDue(nowMs) {
      const row = select.get(nowMs) as MailRow | undefined
      if (row === undefined) return undefined
      const { number, kind, user_id, address, attempts, created_at_ms } = row
      return { number, kind, userId: user_id as UserId | null, address, attempts, createdAtMs: created_at_ms }
    },

    removeMail: (number) =>
      file.write(() => {
        remove.run(number)
      }),

    postponeMail: (number, dueAtMs) =>
      file.write(() => {
        postpone.run(dueAtMs, number)
      }),
  }
}

/** Queues a mail as part of the transaction at hand. */
export function queueMail(file: SqliteFile, { kind, userId, address }: NewMail, nowMs: number): void {
  file
    .statement(
      'INSERT INTO outgoing_mail (kind, user_id, address, due_at_ms, created_at_ms) VALUES (?1, ?2, ?3, ?4, ?4)',
    )
    .run(kind, userId, address, nowMs)
}

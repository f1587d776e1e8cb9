import type { AuditActor, AuditEvent, AuditKind, NewAuditEvent, ShownEvent } from '../../domain/audit/audit-event.ts'
import type { AuditPage, AuditStore } from '../../domain/audit/audit-store.ts'
import type { ApplicationId, BotId, UserId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface EventRow {
  number: number
  at_ms: number
  kind: AuditKind
  actor: AuditActor
  user_id: string | null
  application_id: string | null
  bot_id: string | null
  address: string | null
  user_agent: string | null
  detail: string
}

interface ShownRow extends EventRow {
  application_name: string | null
}

/** The audit's events in SQLite, in the file of what they are about. */
export function sqliteAudit(file: SqliteFile): AuditStore {
  const insert = file.statement(
    `INSERT INTO audit_events (at_ms, kind, actor, user_id, application_id, bot_id, address, user_agent, detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const listOf = (column: 'user_id' | 'application_id') =>
    file.statement(
      `SELECT e.*, a.name AS application_name FROM audit_events e LEFT JOIN applications a ON a.id = e.application_id
       WHERE e.${column} = ? AND e.number < ? ORDER BY e.number DESC LIMIT ?`,
    )
  const selectOfUser = listOf('user_id')
  const selectOfApplication = listOf('application_id')
  const selectAfter = file.statement('SELECT * FROM audit_events WHERE number > ? ORDER BY number LIMIT ?')
  const selectOldest = file.statement('SELECT number, at_ms FROM audit_events ORDER BY number LIMIT ?')
  const deleteOne = file.statement('DELETE FROM audit_events WHERE number = ?')

  function append(event: NewAuditEvent): void {
    insert.run(
      event.atMs,
      event.kind,
      event.actor,
      event.userId,
      event.applicationId,
      event.botId,
      event.address,
      event.userAgent,
      JSON.stringify(event.detail),
    )
  }

  function list(statement: typeof selectOfUser, id: string, { before, atMost }: AuditPage): ShownEvent[] {
    const rows = statement.all(id, before ?? Number.MAX_SAFE_INTEGER, atMost) as unknown as ShownRow[]
    return rows.map((row) => ({ ...eventOf(row), applicationName: row.application_name }))
  }

  return {
    append: (event) => file.write(() => append(event)),

    appendAlong: (act, eventOf) =>
      file.writeAlong(act, (outcome) => {
        const event = eventOf(outcome)
        if (event !== undefined) append(event)
      }),

    listOfUser: async (userId, page) => list(selectOfUser, userId, page),
    listOfApplication: async (applicationId, page) => list(selectOfApplication, applicationId, page),

    // Read as a write is, so that it resolves after the sync of all it has read: what an exporter has seen
    // keeps its number, whatever happens to the power.
    listAfter: (number, atMost) =>
      file.write(() => (selectAfter.all(number, atMost) as unknown as EventRow[]).map(eventOf)),

    prune: (beforeMs, atMost) =>
      file.write(() => {
        const oldest = selectOldest.all(atMost) as unknown as Pick<EventRow, 'number' | 'at_ms'>[]
        // Up to the first that has to stay, also when the clock was set back in between.
        const staying = oldest.findIndex((event) => event.at_ms >= beforeMs)
        const over = staying === -1 ? oldest : oldest.slice(0, staying)
        for (const { number } of over) deleteOne.run(number)
        return over.length
      }),
  }
}

function eventOf(row: EventRow): AuditEvent {
  return {
    number: row.number,
    atMs: row.at_ms,
    kind: row.kind,
    actor: row.actor,
    userId: row.user_id as UserId | null,
    applicationId: row.application_id as ApplicationId | null,
    botId: row.bot_id as BotId | null,
    address: row.address,
    userAgent: row.user_agent,
    detail: JSON.parse(row.detail),
  }
}

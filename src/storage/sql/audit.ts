import type {
  AuditActor,
  AuditEvent,
  AuditKind,
  AuditPage,
  AuditStore,
  NewAuditEvent,
  ObjectNames,
  Recording,
  ShownEvent,
} from '../../domain/audit/audit.ts'
import type { ApplicationId, BotId, UserId } from '../../domain/ids.ts'
import { changes, type Database, rows, rowsOfEach, type Work } from './database.ts'

interface EventRow {
  number: number
  atMs: number
  kind: AuditKind
  actor: AuditActor
  userId: string | null
  applicationId: string | null
  botId: string | null
  address: string | null
  userAgent: string | null
  detail: string
}

interface ShownRow extends EventRow {
  applicationName: string | null
}

/**
 * Audit events, stored in the same database as the data they describe. `listAfter` is implemented per database, because
 * each ensures in its own way that no event appears later with a lower number than one already exported.
 */
export function sqlAudit(database: Database): Omit<AuditStore, 'listAfter'> {
  function list(condition: string, id: string, readerId: UserId, page: AuditPage): Promise<ShownEvent[]> {
    return database.read(function* () {
      const found = yield* rows<ShownRow>(
        `SELECT e.*, nullif(a.name, '') AS application_name FROM audit_events e LEFT JOIN applications a ON a.id = e.application_id
           WHERE ${condition} AND e.number < ?2 ORDER BY e.number DESC LIMIT ?3`,
        id,
        page.before ?? Number.MAX_SAFE_INTEGER,
        page.atMost,
      )
      const events = found.map((row) => ({ ...eventOf(row), applicationName: row.applicationName }))
      const named = yield* rowsOfEach<ObjectNames>(
        namesOfObjects,
        events.map(({ applicationId, botId, detail }) => [
          readerId,
          applicationId,
          botId,
          detail.flow ?? null,
          detail.runtime ?? null,
          detail.coworker ?? null,
          detail.subscription ?? null,
        ]),
      )
      return events.map((event, at) => ({ ...event, names: named[at]?.[0] as ObjectNames }))
    })
  }

  return {
    append: (event) => database.write({}, () => appendEvent(event)),

    // Excludes events from before the account was created: they belong to a deleted account with the same ID.
    listOfUser: (userId, page) =>
      list(
        'e.user_id = ?1 AND e.at_ms >= coalesce((SELECT created_at_ms FROM users WHERE id = ?1), 0)',
        userId,
        userId,
        page,
      ),
    listOfApplication: (applicationId, ownerId, page) => list('e.application_id = ?1', applicationId, ownerId, page),

    prune: (beforeMs, atMost) =>
      database.write({}, function* () {
        const oldest = yield* rows<Pick<EventRow, 'number' | 'atMs'>>(
          'SELECT number, at_ms FROM audit_events ORDER BY number LIMIT ?',
          atMost,
        )
        // Stops at the first event that must be kept, because times may be out of order if the clock was set back.
        const staying = oldest.findIndex((event) => event.atMs >= beforeMs)
        const last = (staying === -1 ? oldest : oldest.slice(0, staying)).at(-1)
        return last === undefined ? 0 : yield* changes('DELETE FROM audit_events WHERE number <= ?', last.number)
      }),
  }
}

/** The bot, if the reader has a role in it. */
const botOfReader = `FROM bots b WHERE b.id = ?3 AND b.deleted_at_ms IS NULL
  AND (b.owner_id = ?1 OR EXISTS (SELECT 1 FROM coworkers c WHERE c.bot_id = b.id AND c.user_id = ?1))`

/** Selects {@link ObjectNames} of one event. `?1` is the reader, the others are IDs of objects. */
const namesOfObjects = `SELECT
  (SELECT name FROM applications WHERE id = ?2 AND owner_id = ?1 AND deleted_at_ms IS NULL) AS application,
  (SELECT b.name ${botOfReader}) AS bot,
  (SELECT name FROM flows WHERE bot_id = ?3 AND id = ?4 AND EXISTS (SELECT 1 ${botOfReader})) AS flow,
  (SELECT name FROM runtimes WHERE id = ?5 AND owner_id = ?1) AS runtime,
  (SELECT name FROM users WHERE id = ?6) AS coworker,
  (SELECT url FROM subscriptions WHERE id = ?7 AND owner_id = ?1) AS subscription`

/** Returns events with a number higher than this one, oldest first. */
export function* eventsAfter(number: number, atMost: number): Work<AuditEvent[]> {
  const found = yield* rows<EventRow>(
    'SELECT * FROM audit_events WHERE number > ? ORDER BY number LIMIT ?',
    number,
    atMost,
  )
  return found.map(eventOf)
}

/** Runs the work, then appends the audit event for its outcome. */
export function* recorded<T>(work: Work<T>, recording: Recording<T>): Work<T> {
  const outcome = yield* work
  yield* appendEvent(recording(outcome))
  return outcome
}

/**
 * Appends the event, if there is one. Every revocation calls this function, so it is a hot path. It must stay a
 * top-level generator: V8 gives every generator function a hidden class, which keeps the function's scope alive until
 * the next full garbage collection.
 */
export function* appendEvent(event: NewAuditEvent | undefined): Work<void> {
  if (event === undefined) return
  yield [
    {
      sql: `INSERT INTO audit_events (at_ms, kind, actor, user_id, application_id, bot_id, address, user_agent, detail)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      values: [
        event.atMs,
        event.kind,
        event.actor,
        event.userId,
        event.applicationId,
        event.botId,
        event.address,
        event.userAgent,
        JSON.stringify(event.detail),
      ],
      wants: 'changes',
    },
  ]
}

function eventOf(row: EventRow): AuditEvent {
  return {
    number: row.number,
    atMs: row.atMs,
    kind: row.kind,
    actor: row.actor,
    userId: row.userId as UserId | null,
    applicationId: row.applicationId as ApplicationId | null,
    botId: row.botId as BotId | null,
    address: row.address,
    userAgent: row.userAgent,
    detail: JSON.parse(row.detail),
  }
}

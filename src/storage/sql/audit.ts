import {
  AccessEnded,
  type AuditEvent,
  type AuditPage,
  type AuditStore,
  type NewAuditEvent,
  type ObjectNames,
  type Recording,
  type ShownEvent,
} from '../../domain/audit/audit.ts'
import type { UserId } from '../../domain/ids-and-secrets.ts'
import { Rows } from './rows.ts'
import { type Database, rowsOfEach, type Sql, sql, type Work } from './sql.ts'

const audited = new Rows<AuditEvent>('audit_events', '*', { detail: 'json' })
const shown = new Rows<AuditEvent & Pick<ShownEvent, 'applicationName'>>(
  'audit_events e LEFT JOIN applications a ON a.id = e.application_id',
  `e.*, nullif(a.name, '') AS application_name`,
  { detail: 'json' },
)

/** All but `listAfter`: each database has its own way to let no event appear below a number already exported. */
export function sqlAudit(database: Database): Omit<AuditStore, 'listAfter'> {
  function list(condition: Sql, readerId: UserId, page: AuditPage): Promise<ShownEvent[]> {
    return database.read(function* () {
      const events = yield* shown.list(
        sql`WHERE ${condition} AND e.number < ${page.before ?? Number.MAX_SAFE_INTEGER}
          ORDER BY e.number DESC LIMIT ${page.atMost}`,
      )
      const named = yield* rowsOfEach<ObjectNames>(events.map((event) => namesOfObjects(event, readerId)))
      return events.map((event, at) => ({ ...event, names: named[at]?.[0] as ObjectNames }))
    })
  }

  return {
    append: (event) => database.write({}, () => appendEvent(event)),

    // Excludes events from before the account was created: they belong to a deleted account with the same ID.
    listOfUser: (userId, page) =>
      list(
        sql`e.user_id = ${userId} AND e.at_ms >= coalesce((SELECT created_at_ms FROM users WHERE id = ${userId}), 0)`,
        userId,
        page,
      ),
    listOfApplication: (applicationId, ownerId, page) => list(sql`e.application_id = ${applicationId}`, ownerId, page),

    prune: (beforeMs, atMost) =>
      database.write({}, function* () {
        const oldest = yield* sql`SELECT number, at_ms FROM audit_events
          ORDER BY number LIMIT ${atMost}`.rows<Pick<AuditEvent, 'number' | 'atMs'>>()
        // Stops at the first event that must be kept, because times may be out of order if the clock was set back.
        const staying = oldest.findIndex((event) => event.atMs >= beforeMs)
        const last = (staying === -1 ? oldest : oldest.slice(0, staying)).at(-1)
        return last === undefined ? 0 : yield* sql`DELETE FROM audit_events WHERE number <= ${last.number}`.changes()
      }),
  }
}

/** Selects {@link ObjectNames} of the event. */
function namesOfObjects({ applicationId, botId, detail }: AuditEvent, readerId: UserId): Sql {
  const { flow = null, runtime = null, coworker = null, subscription = null } = detail
  /** The bot, if the reader has a role in it. */
  const bot = sql`FROM bots b WHERE b.id = ${botId} AND b.deleted_at_ms IS NULL AND (b.owner_id = ${readerId}
    OR EXISTS (SELECT 1 FROM coworkers c WHERE c.bot_id = b.id AND c.user_id = ${readerId}))`
  return sql`SELECT
    (SELECT name FROM applications WHERE id = ${applicationId} AND owner_id = ${readerId} AND deleted_at_ms IS NULL)
      AS application,
    (SELECT b.name ${bot}) AS bot,
    (SELECT name FROM flows WHERE bot_id = ${botId} AND id = ${flow} AND EXISTS (SELECT 1 ${bot})) AS flow,
    (SELECT name FROM runtimes WHERE id = ${runtime} AND owner_id = ${readerId}) AS runtime,
    (SELECT name FROM users WHERE id = ${coworker}) AS coworker,
    (SELECT url FROM subscriptions WHERE id = ${subscription} AND owner_id = ${readerId}) AS subscription`
}

export function eventsAfter(number: number, atMost: number): Work<AuditEvent[]> {
  return audited.list(sql`WHERE number > ${number} ORDER BY number LIMIT ${atMost}`)
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
 *
 * @throws AccessEnded if what authenticated the write has ended.
 */
export function* appendEvent(event: NewAuditEvent | undefined): Work<void> {
  if (event === undefined) return
  const { atMs, kind, actor, userId, applicationId, botId, address, userAgent, by } = event
  const insert = sql`INSERT INTO audit_events (at_ms, kind, actor, user_id, application_id, bot_id, address, user_agent, detail)
      VALUES (${atMs}, ${kind}, ${actor}, ${userId}, ${applicationId}, ${botId}, ${address}, ${userAgent},
        ${JSON.stringify(event.detail)})`
  if (by === undefined) {
    yield [insert]
    return
  }
  const access =
    typeof by === 'number'
      ? sql`SELECT 1 FROM sessions WHERE number = ${by}`
      : sql`SELECT 1 FROM personal_tokens WHERE id = ${by}`
  // Together, so that PostgreSQL needs one round trip.
  const [found] = yield [access, insert]
  if (found?.rows.length === 0) throw new AccessEnded()
}

import type {
  DayOfRequests,
  FailedRequest,
  NotedRequests,
  RequestLogStore,
} from '../../domain/applications/request-log-store.ts'
import type { ApplicationId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** What applications did of late, in SQLite. */
export function sqliteRequestLog(file: SqliteFile): RequestLogStore {
  function add({ applicationId, days, failures }: NotedRequests, keep: number): void {
    for (const { day, grants, refreshes, errors } of days) {
      file
        .statement(
          `INSERT INTO application_days (application_id, day, grants, refreshes, errors) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET grants = grants + excluded.grants, refreshes = refreshes + excluded.refreshes,
             errors = errors + excluded.errors`,
        )
        .run(applicationId, day, grants, refreshes, errors)
    }
    for (const { atMs, place, error, description, redirectUri } of failures) {
      file
        .statement(
          `INSERT INTO failed_requests (application_id, at_ms, place, error, description, redirect_uri)
           VALUES (?, ?, ?, ?, ?, ?)`,
        )
        .run(applicationId, atMs, place, error, description, redirectUri)
    }
    if (failures.length === 0) return
    file
      .statement(
        `DELETE FROM failed_requests WHERE application_id = ?1 AND number <= (
           SELECT number FROM failed_requests WHERE application_id = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)`,
      )
      .run(applicationId, keep)
  }

  return {
    add: (noted, keep) =>
      file.write(() => {
        for (const each of noted) add(each, keep)
      }),

    listFailures: async (id) =>
      file
        .statement(
          `SELECT at_ms AS atMs, place, error, description, redirect_uri AS redirectUri FROM failed_requests
           WHERE application_id = ? ORDER BY number DESC`,
        )
        .all(id) as unknown as FailedRequest[],

    listDays: async (id, since) =>
      file
        .statement(
          `SELECT day, grants, refreshes, errors FROM application_days WHERE application_id = ? AND day >= ? ORDER BY day`,
        )
        .all(id, since) as unknown as DayOfRequests[],

    async countUsers(ids) {
      const rows = file
        .statement(
          `SELECT application_id AS id, count(*) AS users FROM consents
           WHERE application_id IN (SELECT value FROM json_each(?)) GROUP BY application_id`,
        )
        .all(JSON.stringify(ids))
      return new Map((rows as { id: ApplicationId; users: number }[]).map(({ id, users }) => [id, users]))
    },

    prune: ({ day, atMs }, limit) =>
      file.write(() => {
        const days = file
          .statement(
            `DELETE FROM application_days WHERE (application_id, day) IN (
               SELECT application_id, day FROM application_days WHERE day < ? LIMIT ?)`,
          )
          .run(day, limit)
        const failures = file
          .statement(
            'DELETE FROM failed_requests WHERE number IN (SELECT number FROM failed_requests WHERE at_ms < ? LIMIT ?)',
          )
          .run(atMs, limit)
        return Number(days.changes) + Number(failures.changes)
      }),
  }
}

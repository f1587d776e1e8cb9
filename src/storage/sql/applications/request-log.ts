import type {
  CollectedRequests,
  DayOfRequests,
  FailedRequest,
  RequestLogStore,
  Usage,
} from '../../../domain/applications/request-log.ts'
import type { ApplicationId } from '../../../domain/ids.ts'
import { changes, changesOfEach, type Database, type Work } from '../database.ts'

export function sqlRequestLog(database: Database): RequestLogStore {
  return {
    add: (noted, keep) =>
      database.write({}, function* () {
        for (const each of noted) yield* add(each, keep)
      }),

    listFailures: async (id) => [
      ...(await database.queryOnce<FailedRequest>(
        `SELECT at_ms AS "atMs", place, error, description, reason, parameter, redirect_uri AS "redirectUri" FROM failed_requests
           WHERE application_id = ? ORDER BY number DESC`,
        id,
      )),
    ],

    listDays: async (id, since) => [
      ...(await database.queryOnce<DayOfRequests>(
        'SELECT day, grants, refreshes, errors FROM application_days WHERE application_id = ? AND day >= ? ORDER BY day',
        id,
        since,
      )),
    ],

    async errorsSince(ids, day) {
      if (ids.length === 0) return new Map()
      const found = await database.queryOnce<{ id: ApplicationId; errors: number }>(
        `SELECT application_id AS id, CAST(sum(errors) AS integer) AS errors FROM application_days
           WHERE application_id IN (${ids.map(() => '?').join()}) AND day >= ?
           GROUP BY application_id HAVING sum(errors) > 0`,
        ...ids,
        day,
      )
      return new Map(found.map(({ id, errors }) => [id, errors]))
    },

    async usage(ids) {
      if (ids.length === 0) return new Map()
      const found = await database.queryOnce<Usage & { id: ApplicationId }>(
        `SELECT application_id AS id, count(*) AS users,
             max(CASE WHEN last_used_at_ms > last_granted_at_ms THEN last_used_at_ms ELSE last_granted_at_ms END)
               AS "latestAtMs" FROM consents
           WHERE application_id IN (${ids.map(() => '?').join()}) GROUP BY application_id`,
        ...ids,
      )
      return new Map(found.map(({ id, users, latestAtMs }) => [id, { users, latestAtMs }]))
    },

    prune: ({ day, atMs }, limit) =>
      database.write({}, function* () {
        const days = yield* changes(
          `DELETE FROM application_days WHERE (application_id, day) IN
             (SELECT application_id, day FROM application_days WHERE day < ? LIMIT ?)`,
          day,
          limit,
        )
        const failures = yield* changes(
          'DELETE FROM failed_requests WHERE number IN (SELECT number FROM failed_requests WHERE at_ms < ? LIMIT ?)',
          atMs,
          limit,
        )
        return days + failures
      }),
  }
}

function* add({ applicationId, days, failures }: CollectedRequests, keep: number): Work<void> {
  yield* changesOfEach(
    `INSERT INTO application_days AS a (application_id, day, grants, refreshes, errors) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (application_id, day) DO UPDATE SET grants = a.grants + excluded.grants,
         refreshes = a.refreshes + excluded.refreshes, errors = a.errors + excluded.errors`,
    days.map(({ day, grants, refreshes, errors }) => [applicationId, day, grants, refreshes, errors]),
  )
  yield* changesOfEach(
    `INSERT INTO failed_requests (application_id, at_ms, place, error, description, reason, parameter, redirect_uri)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    failures.map((failure) => [
      applicationId,
      failure.atMs,
      failure.place,
      failure.error,
      failure.description,
      failure.reason,
      failure.parameter,
      failure.redirectUri,
    ]),
  )
  yield* changesOfEach(
    `DELETE FROM failed_requests WHERE application_id = ?1 AND place = ?2 AND number <= (
       SELECT number FROM failed_requests WHERE application_id = ?1 AND place = ?2
       ORDER BY number DESC LIMIT 1 OFFSET ?3)`,
    [...new Set(failures.map(({ place }) => place))].map((place) => [applicationId, place, keep]),
  )
}

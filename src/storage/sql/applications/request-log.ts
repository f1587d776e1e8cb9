import type { CollectedRequests, RequestLogStore, Usage } from '../../../domain/applications/request-log.ts'
import type { ApplicationId } from '../../../domain/ids-and-secrets.ts'
import { changesOfEach, type Database, deleteSome, insertInto, joined, sql, type Work } from '../sql.ts'

export function sqlRequestLog(database: Database): RequestLogStore {
  return {
    add: (noted, keep) =>
      database.write({}, function* () {
        for (const each of noted) yield* add(each, keep)
      }),

    listFailures: (id) =>
      database.queryOnce(sql`SELECT at_ms, place, error, description, reason, parameter, redirect_uri
        FROM failed_requests WHERE application_id = ${id} ORDER BY number DESC`),

    listDays: (id, since) =>
      database.queryOnce(sql`SELECT day, grants, refreshes, errors FROM application_days
        WHERE application_id = ${id} AND day >= ${since} ORDER BY day`),

    async errorsSince(ids, day) {
      if (ids.length === 0) return new Map()
      const found = await database.queryOnce<{ id: ApplicationId; errors: number }>(
        sql`SELECT application_id AS id, CAST(sum(errors) AS integer) AS errors FROM application_days
          WHERE application_id IN (${joined(ids)}) AND day >= ${day}
          GROUP BY application_id HAVING sum(errors) > 0`,
      )
      return new Map(found.map(({ id, errors }) => [id, errors]))
    },

    async usage(ids) {
      if (ids.length === 0) return new Map()
      const found = await database.queryOnce<Usage & { id: ApplicationId }>(
        sql`SELECT application_id AS id, count(*) AS users,
            max(CASE WHEN last_used_at_ms > last_granted_at_ms THEN last_used_at_ms ELSE last_granted_at_ms END)
              AS latest_at_ms FROM consents
          WHERE application_id IN (${joined(ids)}) GROUP BY application_id`,
      )
      return new Map(found.map(({ id, users, latestAtMs }) => [id, { users, latestAtMs }]))
    },

    prune: ({ day, atMs }, limit) =>
      database.write({}, function* () {
        const days = yield* deleteSome('application_days', '(application_id, day)', sql`day < ${day}`, limit)
        const failures = yield* deleteSome('failed_requests', 'number', sql`at_ms < ${atMs}`, limit)
        return days + failures
      }),
  }
}

function* add({ applicationId, days, failures }: CollectedRequests, keep: number): Work<void> {
  yield* changesOfEach(
    days.map(
      ({ day, grants, refreshes, errors }) =>
        sql`INSERT INTO application_days AS a (application_id, day, grants, refreshes, errors)
          VALUES (${applicationId}, ${day}, ${grants}, ${refreshes}, ${errors})
          ON CONFLICT (application_id, day) DO UPDATE SET grants = a.grants + excluded.grants,
            refreshes = a.refreshes + excluded.refreshes, errors = a.errors + excluded.errors`,
    ),
  )
  yield* changesOfEach(failures.map((failure) => insertInto('failed_requests', { applicationId, ...failure })))
  const places = [...new Set(failures.map(({ place }) => place))]
  yield* changesOfEach(
    places.map((place) => {
      const atPlace = sql`application_id = ${applicationId} AND place = ${place}`
      return sql`DELETE FROM failed_requests WHERE ${atPlace} AND number <= (
        SELECT number FROM failed_requests WHERE ${atPlace} ORDER BY number DESC LIMIT 1 OFFSET ${keep})`
    }),
  )
}

import type { StoredCounts } from '../../queue/hourly-counts.ts'
import { raw, sql } from '../../sql/sql.ts'
import type { SqliteFile } from '../sqlite-file.ts'

export function storedCounts(file: SqliteFile): StoredCounts {
  return {
    add: (counts) =>
      file.commit(() => {
        for (const { botId, flowId, hour, accepted, delivered, failed, dead } of counts) {
          file.run(sql`INSERT INTO hourly_counts (bot_id, flow_id, hour, accepted, delivered, failed, dead)
            VALUES (${botId}, ${flowId}, ${hour}, ${accepted}, ${delivered}, ${failed}, ${dead})
            ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted,
              delivered = delivered + excluded.delivered, failed = failed + excluded.failed,
              dead = dead + excluded.dead`)
        }
      }),

    async read(botId, flowId, sinceHour) {
      const ofFlow = flowId === undefined ? raw('') : sql`AND flow_id = ${flowId}`
      return file.all(
        sql`SELECT hour, sum(accepted) AS accepted, sum(delivered) AS delivered, sum(failed) AS failed, sum(dead) AS dead
          FROM hourly_counts WHERE bot_id = ${botId} ${ofFlow} AND hour >= ${sinceHour} GROUP BY hour`,
      )
    },

    deadLetters: async (botIds, sinceHour) =>
      file.all(
        sql`SELECT bot_id, flow_id, sum(dead) AS dead FROM hourly_counts
          WHERE bot_id IN (SELECT value FROM json_each(${JSON.stringify(botIds)})) AND hour >= ${sinceHour} AND dead > 0
          GROUP BY bot_id, flow_id`,
      ),

    async prune(beforeHour, most) {
      const old = file.all<{ botId: string; flowId: string; hour: number }>(
        sql`SELECT bot_id, flow_id, hour FROM hourly_counts WHERE hour < ${beforeHour} LIMIT ${most}`,
      )
      if (old.length === 0) return
      await file.commit(() => {
        for (const { botId, flowId, hour } of old) {
          file.run(sql`DELETE FROM hourly_counts WHERE bot_id = ${botId} AND flow_id = ${flowId} AND hour = ${hour}`)
        }
      })
    },

    discard: (botId) => file.commit(() => file.run(sql`DELETE FROM hourly_counts WHERE bot_id = ${botId}`)),
  }
}

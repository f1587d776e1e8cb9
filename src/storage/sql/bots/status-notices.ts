import type { StatusNoticeStore } from '../../../domain/bots/status/status-notice.ts'
import type { Database } from '../database.ts'
import { botExists } from '../existence.ts'
import { sql } from '../sql.ts'
import { asNotice, type NoticeRow, noticeColumns } from './bot-rows.ts'

/** Stores the notices that owners put on their bots' status pages. */
export function sqlStatusNotices(database: Database): StatusNoticeStore {
  return {
    putNotice: (botId, notice) =>
      database.write({ row: `bot ${botId}` }, function* () {
        if (!(yield* botExists(botId))) return false
        if (notice === null) yield* sql`DELETE FROM status_notices WHERE bot_id = ${botId}`.changes()
        else {
          yield* sql`INSERT INTO status_notices (bot_id, ${noticeColumns})
            VALUES (${botId}, ${notice.text}, ${notice.setAtMs})
            ON CONFLICT (bot_id) DO UPDATE SET notice = excluded.notice, set_at_ms = excluded.set_at_ms
            WHERE status_notices.notice <> excluded.notice`.changes()
        }
        return true
      }),
    findNotice: async (botId) => {
      const row = await database.read(() =>
        sql`SELECT ${noticeColumns} FROM status_notices JOIN bots ON id = bot_id
           WHERE bot_id = ${botId} AND deleted_at_ms IS NULL`.first<NoticeRow>(),
      )
      return row && asNotice(row)
    },
  }
}

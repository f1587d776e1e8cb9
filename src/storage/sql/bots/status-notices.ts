import type { StatusNoticeStore } from '../../../domain/bots/status/status-notice.ts'
import { changes, type Database, firstRow } from '../database.ts'
import { botExists } from '../existence.ts'
import { asNotice, type NoticeRow, noticeColumns } from './bot-rows.ts'

/** Stores the notices that owners put on their bots' status pages. */
export function sqlStatusNotices(database: Database): StatusNoticeStore {
  return {
    putNotice: (botId, notice) =>
      database.write({ row: `bot ${botId}` }, function* () {
        if (!(yield* botExists(botId))) return false
        if (notice === null) yield* changes('DELETE FROM status_notices WHERE bot_id = ?', botId)
        else {
          yield* changes(
            `INSERT INTO status_notices (bot_id, ${noticeColumns}) VALUES (?, ?, ?)
             ON CONFLICT (bot_id) DO UPDATE SET notice = excluded.notice, set_at_ms = excluded.set_at_ms
               WHERE status_notices.notice <> excluded.notice`,
            botId,
            notice.text,
            notice.setAtMs,
          )
        }
        return true
      }),
    findNotice: async (botId) => {
      const row = await database.read(() =>
        firstRow<NoticeRow>(
          `SELECT ${noticeColumns} FROM status_notices JOIN bots ON id = bot_id
           WHERE bot_id = ? AND deleted_at_ms IS NULL`,
          botId,
        ),
      )
      return row && asNotice(row)
    },
  }
}

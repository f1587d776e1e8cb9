import type { StatusNotice } from '../../domain/bots/status-notice.ts'
import type { StatusNoticeStore } from '../../domain/bots/status-notice-store.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** A notice as read beside its bot; both null when there is none. */
export interface NoticeRow {
  notice: string | null
  set_at_ms: number | null
}

export const noticeColumns = 'notice, set_at_ms'

/** The notices of owners on their bots' status pages, in SQLite. */
export function sqliteStatusNotices(file: SqliteFile): StatusNoticeStore {
  const live = file.statement('SELECT 1 FROM bots WHERE id = ? AND deleted_at_ms IS NULL')
  const keep = file.statement(
    `INSERT INTO status_notices (bot_id, ${noticeColumns}) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET notice = excluded.notice, set_at_ms = excluded.set_at_ms`,
  )
  const clear = file.statement('DELETE FROM status_notices WHERE bot_id = ?')
  const find = file.statement(
    `SELECT ${noticeColumns} FROM status_notices JOIN bots ON id = bot_id WHERE bot_id = ? AND deleted_at_ms IS NULL`,
  )
  return {
    putNotice: (botId, notice) =>
      file.write(() => {
        if (live.get(botId) === undefined) return false
        if (notice === null) clear.run(botId)
        else keep.run(botId, notice.text, notice.setAtMs)
        return true
      }),
    findNotice: async (botId) => {
      const row = find.get(botId) as unknown as NoticeRow | undefined
      return row && asNotice(row)
    },
  }
}

export function asNotice({ notice, set_at_ms }: NoticeRow): StatusNotice | undefined {
  return notice === null || set_at_ms === null ? undefined : { text: notice, setAtMs: set_at_ms }
}

import type { Clock } from '../../clock.ts'
import type { BotId, UserId } from '../../ids-and-secrets.ts'
import type { BotAccess } from '../bot-access.ts'
import { BotRefusal, parseAll } from '../record-rules.ts'
import type { StatusBoard } from './status-board.ts'
import { parseNotice, type StatusNotice, type StatusNoticeStore } from './status-notice.ts'

export function createStatusNotices(parts: {
  statusNotices: StatusNoticeStore
  access: BotAccess
  board: StatusBoard
  clock: Clock
}) {
  const { statusNotices: store, access, board, clock } = parts

  return {
    /**
     * Blank text clears the notice.
     *
     * @throws BotRefusal `bot-unknown`, `not-allowed`, `notice-too-long`.
     */
    async put(userId: UserId, botId: BotId, text: string): Promise<StatusNotice | null> {
      await access.demand(userId, botId, 'change-status-page')
      const line = parseAll((take) => take(parseNotice(text)))
      const notice = line === null ? null : { text: line, setAtMs: clock.nowMs() }
      const put = await store.putNotice(botId, notice)
      if (!put) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
      board.changed(botId)
      return notice
    },

    find: (botId: BotId) => store.findNotice(botId),
  }
}

import { oneLine } from '../../clean-text.ts'
import type { Clock } from '../../clock.ts'
import type { BotId, UserId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import type { BotStore, StatusNotice } from '../bot.ts'
import type { BotAccess } from '../bot-access.ts'
import { BotRefusal, type Parsed, parseAll } from '../record-rules.ts'
import type { StatusBoard } from './status-board.ts'

export function createStatusNotices(parts: { bots: BotStore; access: BotAccess; board: StatusBoard; clock: Clock }) {
  const { bots: store, access, board, clock } = parts

  return {
    /** Blank text clears the notice. Throws BotRefusal `bot-unknown`, `not-allowed` or `notice-too-long`. */
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

/** Returns `null` for an empty text, which clears the notice. */
function parseNotice(text: string): Parsed<string | null> {
  const line = oneLine(text)
  if ([...line].length > limits.statusNoticeMaxCharacters) return { fault: 'notice-too-long' }
  return { value: line === '' ? null : line }
}

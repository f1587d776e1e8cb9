import type { BotId } from '../../ids.ts'
import type { StatusNotice } from './status-notice.ts'

/** Each method is one transaction. What is public of a bot is read with its notice: `BotStore.findPublic`. */
export interface StatusNoticeStore {
  /** Null clears it. False when there is no such bot. */
  putNotice(botId: BotId, notice: StatusNotice | null): Promise<boolean>
  findNotice(botId: BotId): Promise<StatusNotice | undefined>
}

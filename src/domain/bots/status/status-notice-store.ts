import type { BotId } from '../../ids.ts'
import type { StatusNotice } from './status-notice.ts'

/**
 * Stores the notices of bots' status pages. Each method is one transaction. `BotStore.findPublic` reads a notice
 * together with its bot.
 */
export interface StatusNoticeStore {
  /** Stores the notice; `null` clears it. Returns false if the bot does not exist. */
  putNotice(botId: BotId, notice: StatusNotice | null): Promise<boolean>
  findNotice(botId: BotId): Promise<StatusNotice | undefined>
}

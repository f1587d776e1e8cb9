import { oneLine } from '../../clean-text.ts'
import type { BotId } from '../../ids.ts'
import * as limits from '../../limits/limits.ts'
import type { Parsed } from '../record-rules.ts'

/** A message from the owner on a bot's status page, for example about planned maintenance. */
export interface StatusNotice {
  /** Text of the notice: a single line of 1 to 200 characters. */
  text: string
  setAtMs: number
}

/** Returns the text as a single line, or `null` if it is empty, which clears the notice. */
export function parseNotice(text: string): Parsed<string | null> {
  const line = oneLine(text)
  if ([...line].length > limits.statusNoticeMaxCharacters) return { fault: 'notice-too-long' }
  return { value: line === '' ? null : line }
}

/**
 * Stores the notices of bots' status pages. Each method is one transaction. `BotStore.findPublic` reads a notice
 * together with its bot.
 */
export interface StatusNoticeStore {
  /**
   * Stores the notice; `null` clears it. A notice with the stored text keeps its time. Returns false if the bot does not
   * exist.
   */
  putNotice(botId: BotId, notice: StatusNotice | null): Promise<boolean>
  findNotice(botId: BotId): Promise<StatusNotice | undefined>
}

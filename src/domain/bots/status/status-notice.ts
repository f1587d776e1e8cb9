import { oneLine } from '../../clean-text.ts'
import type { BotId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import type { Parsed } from '../record-rules.ts'

export interface StatusNotice {
  /** A single line of 1 to 200 characters. */
  text: string
  setAtMs: number
}

/** Returns `null` for an empty text, which clears the notice. */
export function parseNotice(text: string): Parsed<string | null> {
  const line = oneLine(text)
  if ([...line].length > limits.statusNoticeMaxCharacters) return { fault: 'notice-too-long' }
  return { value: line === '' ? null : line }
}

/** Each method is one transaction. `BotStore.findPublic` reads a notice together with its bot. */
export interface StatusNoticeStore {
  /** `null` clears the notice. One with the stored text keeps its time. Returns false if the bot does not exist. */
  putNotice(botId: BotId, notice: StatusNotice | null): Promise<boolean>
  findNotice(botId: BotId): Promise<StatusNotice | undefined>
}

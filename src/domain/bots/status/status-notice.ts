import { statusNoticeMaxCharacters } from '../../limits/limits.ts'
import { oneLine } from '../../one-line.ts'
import type { Parsed } from '../record-rules.ts'

/** An owner's message on a bot's status page, such as planned maintenance. */
export interface StatusNotice {
  /** One line of 1 to 200 characters. */
  text: string
  setAtMs: number
}

/** Returns the text on one line. Returns `null` if it is empty, which clears the notice. */
export function parseNotice(text: string): Parsed<string | null> {
  const line = oneLine(text)
  if ([...line].length > statusNoticeMaxCharacters) return { fault: 'notice-too-long' }
  return { value: line === '' ? null : line }
}

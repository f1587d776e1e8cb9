import { statusNoticeMaxCharacters } from '../../limits/limits.ts'
import { oneLine } from '../../one-line.ts'
import type { Parsed } from '../record-rules.ts'

/** What the owner of a bot tells those who look at its status page, such as planned maintenance. */
export interface StatusNotice {
  /** One line, of 1 to 200 characters. */
  text: string
  setAtMs: number
}

/** The text as kept, on one line; null when nothing is left of it, which clears the notice. */
export function parseNotice(text: string): Parsed<string | null> {
  const line = oneLine(text)
  if ([...line].length > statusNoticeMaxCharacters) return { fault: 'notice-too-long' }
  return { value: line === '' ? null : line }
}

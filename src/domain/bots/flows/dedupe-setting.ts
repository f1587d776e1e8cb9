import { dedupePointerMaxCharacters, dedupeWindowMaxSeconds } from '../../limits/limits.ts'
import type { Parsed, Take } from '../record-rules.ts'
import { parseHeaderName } from './signature-setting.ts'

/**
 * By what a webhook is known to be the same as an earlier one: the value of a header, or what a JSON pointer (RFC 6901)
 * names in the body. The window begins with the first one and is not lengthened by its repetitions.
 */
export type DedupeSetting = ({ header: string } | { pointer: string }) & { windowSeconds: number }

/** What is wanted of it: one of header and pointer. */
export interface DedupeChange {
  header?: string | undefined
  pointer?: string | undefined
  /** Absent: 24 hours, the longest. */
  windowSeconds?: number | undefined
}

export function readDedupe({ header, pointer, windowSeconds }: DedupeChange, take: Take): DedupeSetting {
  const window = { windowSeconds: take(parseWindow(windowSeconds ?? dedupeWindowMaxSeconds)) }
  if ((header === undefined) === (pointer === undefined)) take({ fault: 'dedupe-needs-one-place' })
  if (pointer !== undefined) return { pointer: take(parsePointer(pointer)), ...window }
  return { header: take(parseHeaderName(header ?? 'none', 'dedupe-header-malformed')), ...window }
}

function parseWindow(seconds: number): Parsed<number> {
  const within = Number.isInteger(seconds) && seconds >= 1 && seconds <= dedupeWindowMaxSeconds
  return within ? { value: seconds } : { fault: 'dedupe-window-malformed' }
}

/** One that names something inside the body; the empty pointer names the whole of it. */
function parsePointer(text: string): Parsed<string> {
  const within = text.length <= dedupePointerMaxCharacters && /^(?:\/(?:[^~/]|~[01])*)+$/.test(text)
  return within ? { value: text } : { fault: 'dedupe-pointer-malformed' }
}

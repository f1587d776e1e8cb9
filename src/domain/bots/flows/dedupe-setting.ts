import * as limits from '../../limits/limits.ts'
import type { Check, Parsed } from '../record-rules.ts'
import { parseHeaderName } from './signature-setting.ts'

/** How duplicates are recognized: by a header, or a JSON pointer into the body (RFC 6901). None extends the window. */
export type DedupeSetting = ({ header: string } | { pointer: string }) & { windowSeconds: number }

/** Exactly one of `header` and `pointer` must be given. */
export interface DedupeChange {
  header?: string | undefined
  pointer?: string | undefined
  /** Default: 24 hours, which is also the maximum. */
  windowSeconds?: number | undefined
}

/** For a flow that starts to check Standard Webhooks without a setting: `webhook-id` is the same for each retry. */
export const standardWebhooksDedupe: DedupeSetting = {
  header: 'webhook-id',
  windowSeconds: limits.dedupeWindowMaxSeconds,
}

export function readDedupe({ header, pointer, windowSeconds }: DedupeChange, check: Check): DedupeSetting {
  const window = { windowSeconds: check(parseWindow(windowSeconds ?? limits.dedupeWindowMaxSeconds)) }
  if ((header === undefined) === (pointer === undefined)) check({ fault: 'dedupe-needs-one-place' })
  if (pointer !== undefined) return { pointer: check(parsePointer(pointer)), ...window }
  return { header: check(parseHeaderName(header ?? 'none', 'dedupe-header-malformed')), ...window }
}

function parseWindow(seconds: number): Parsed<number> {
  const within = Number.isInteger(seconds) && seconds >= 1 && seconds <= limits.dedupeWindowMaxSeconds
  return within ? { value: seconds } : { fault: 'dedupe-window-malformed' }
}

/** An empty pointer, which would refer to the whole body, is malformed. */
function parsePointer(text: string): Parsed<string> {
  const within = [...text].length <= limits.dedupePointerMaxCharacters && /^(?:\/(?:[^~/]|~[01])*)+$/.test(text)
  return within ? { value: text } : { fault: 'dedupe-pointer-malformed' }
}

import { hash } from 'node:crypto'
import type { DedupeSetting } from '../bots/flows/dedupe-setting.ts'
import type { FlowId } from '../ids.ts'
import { pointedScalar } from './pointed-scalar.ts'
import { type RequestHeaders, singleHeader } from './request-headers.ts'

/** Identifies a webhook, so that the sender's retries are recognized as duplicates until it expires. */
export interface DedupeMark {
  /** 32 bytes. */
  digest: Uint8Array
  untilMs: number
}

/**
 * Returns the mark of a webhook, built from the header or the place in the JSON body that the flow names.
 *
 * Returns `undefined` if the value is missing or empty, isn't a string, number or boolean, or if the body isn't JSON.
 * Such a webhook is never a duplicate.
 */
export function dedupeMark(
  flowId: FlowId,
  setting: DedupeSetting,
  { headers, body }: { headers: RequestHeaders; body: Uint8Array },
  acceptedAtMs: number,
): DedupeMark | undefined {
  const [place, value] =
    'header' in setting
      ? [setting.header.toLowerCase(), singleHeader(headers, setting.header.toLowerCase())]
      : [setting.pointer, valueAt(setting.pointer, body)]
  if (value === undefined || value === '') return undefined
  const known = JSON.stringify([flowId, place, value])
  return {
    digest: hash('sha256', known, 'buffer'),
    untilMs: acceptedAtMs + setting.windowSeconds * 1_000,
  }
}

/** Returns the value at the pointer as JSON text. */
function valueAt(pointer: string, body: Uint8Array): string | undefined {
  const text = decoded(body)
  const written = text === undefined ? undefined : pointedScalar(pointer, text)
  if (written === undefined) return undefined
  const value: unknown = JSON.parse(written)
  if (value === null || value === '') return undefined
  // JSON.parse rounds large numbers, so different IDs could become equal. Unsafe numbers are compared as written.
  return typeof value === 'number' && !Number.isSafeInteger(value) ? written : JSON.stringify(value)
}

/** Returns `undefined` if the body isn't UTF-8. */
function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

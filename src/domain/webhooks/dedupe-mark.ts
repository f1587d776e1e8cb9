import { hash } from 'node:crypto'
import type { DedupeSetting } from '../bots/flows/dedupe-setting.ts'
import type { Listener } from './listener.ts'
import { pointedScalar } from './pointed-scalar.ts'
import { type RequestHeaders, singleHeader } from './signature-check.ts'

/** Identifies retries of a webhook until it expires, or earlier if the flow's window was shortened since. */
export interface DedupeMark {
  /** SHA-256 of the flow and the identifying value (32 bytes). */
  digest: Uint8Array
  untilMs: number
}

/** Returns `undefined` without a string, number or boolean in its place: such a webhook is never a duplicate. */
export function dedupeMark(
  { flowId, eventsBefore }: Pick<Listener, 'flowId' | 'eventsBefore'>,
  setting: DedupeSetting,
  { headers, body }: { headers: RequestHeaders; body: Uint8Array },
  acceptedAtMs: number,
): DedupeMark | undefined {
  const [place, value] =
    'header' in setting
      ? [setting.header.toLowerCase(), singleHeader(headers, setting.header.toLowerCase())]
      : [setting.pointer, valueAt(setting.pointer, body)]
  if (value === undefined || value === '') return undefined
  // The mark of a removed flow must not match for a later flow with the same ID.
  const flow = eventsBefore === 0 ? [flowId] : [flowId, eventsBefore]
  const known = JSON.stringify([...flow, place, value])
  return { digest: hash('sha256', known, 'buffer'), untilMs: acceptedAtMs + setting.windowSeconds * 1_000 }
}

function valueAt(pointer: string, body: Uint8Array): string | undefined {
  const text = decoded(body)
  const written = text === undefined ? undefined : pointedScalar(pointer, text)
  if (written === undefined) return undefined
  const value: unknown = JSON.parse(written)
  if (value === null || value === '') return undefined
  // `JSON.parse` rounds large numbers, so different IDs could become equal. All but safe integers are compared as
  // written.
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

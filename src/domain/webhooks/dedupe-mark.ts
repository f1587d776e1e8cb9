import { hash } from 'node:crypto'
import type { DedupeSetting } from '../bots/flows/dedupe-setting.ts'
import type { FlowId } from '../ids.ts'
import { pointedScalar } from './pointed-scalar.ts'
import { type RequestHeaders, singleHeader } from './request-headers.ts'

/** What stands for a webhook as long as repetitions of it are known as such. */
export interface DedupeMark {
  /** 32 bytes. */
  digest: Uint8Array
  untilMs: number
}

/**
 * The mark of a webhook, or undefined when it has nothing to be known by: no such header, no such place in the body, a
 * body that is no JSON, or something else there than a text, a number, true or false. It is an event then.
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

/** What the pointer names, as JSON. */
function valueAt(pointer: string, body: Uint8Array): string | undefined {
  const text = decoded(body)
  const written = text === undefined ? undefined : pointedScalar(pointer, text)
  if (written === undefined) return undefined
  const value: unknown = JSON.parse(written)
  if (value === null || value === '') return undefined
  // Large numbers lose digits when they are read, and two ids would be one: these are compared as written.
  return typeof value === 'number' && !Number.isSafeInteger(value) ? written : JSON.stringify(value)
}

/** Returns `undefined` when the body is not UTF-8. */
function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

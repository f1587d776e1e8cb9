import { hash } from 'node:crypto'
import type { DedupeSetting } from '../bots/dedupe-setting.ts'
import type { FlowId } from '../ids.ts'
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
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const value = resolve(pointer, JSON.parse(text))
    // Large numbers lose digits when they are read, and two ids would be one: these are compared as written.
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return asJson(value)
    const written = resolve(pointer, JSON.parse(text, numbersAsWritten as Reviver))
    return typeof written === 'string' ? written : undefined
  } catch {
    // Not JSON, or not UTF-8.
    return undefined
  }
}

function asJson(value: unknown): string | undefined {
  if (value === '') return undefined
  return ['string', 'number', 'boolean'].includes(typeof value) ? JSON.stringify(value) : undefined
}

function numbersAsWritten(_name: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' ? source : value
}

/** The third argument is of ECMAScript 2026, which the compiler's library does not know yet. */
type Reviver = (name: string, value: unknown) => unknown

/** RFC 6901 section 4. */
function resolve(pointer: string, whole: unknown): unknown {
  let value = whole
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    if (Array.isArray(value) && !/^(?:0|[1-9][0-9]*)$/.test(name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

import { isUtf8 } from 'node:buffer'
import type { WebhookEvent } from '../../../typescript/src/runtime.ts'
import { printable, printableLine } from '../printable.ts'
import type { Forwarding } from './forward.ts'

/** An event of a runtime, or a copy. */
export type ShownEvent = Pick<
  WebhookEvent,
  'id' | 'acceptedAt' | 'flowId' | 'path' | 'clientIp' | 'attempt' | 'headers' | 'body'
> & { replayOf?: string | null | undefined; test?: boolean }

/** A webhook that the gateway refused. It has the path if no flow listens there. */
export interface ShownRefusal extends Pick<WebhookEvent, 'clientIp'> {
  flowId?: string
  path?: string
  cause: string
  at: string
}

export function formatEvent(event: ShownEvent, paint: Paint): string {
  const { id, acceptedAt, flowId, path, clientIp, attempt, replayOf, test, headers, body } = event
  const about = [
    `event ${printableLine(id)}`,
    `flow ${printableLine(flowId)}`,
    `from ${printableLine(clientIp)}`,
    `${body.length} bytes`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(!replayOf ? [] : ['a replay']),
    ...(test ? ['a test'] : []),
  ]
  const headerLines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : `${paint('dim', `${name}:`)} ${printableLine(value)}`,
  )
  return [
    '',
    `${paint('name', timeOfDay(acceptedAt))}  ${paint('string', `/${printableLine(path)}`)}  ${paint('dim', about.join(' · '))}`,
    ...headerLines,
    formatBody(body, paint),
  ].join('\n')
}

/**
 * Describes how forwarding an event ended.
 *
 * @param about.copyOf the event, if it is a copy. Copies are handled concurrently, so the text names the event. It
 *   doesn't mention a retry, because copies are not retried.
 */
export function formatForwarding(
  forwarding: Forwarding,
  { tookMs, copyOf }: { tookMs: number; copyOf: ShownEvent | undefined },
  paint: Paint,
): string {
  const of = copyOf === undefined ? '' : ` · /${printableLine(copyOf.path)} · event ${printableLine(copyOf.id)}`
  const next = copyOf === undefined ? ' It will be retried.' : ''
  if (forwarding.kind === 'unanswered') return paint('number', `→ failed: ${forwarding.why}.${next}${of}`)
  const answer = `→ ${forwarding.status} after ${Math.round(tookMs)} ms`
  return isDone(forwarding)
    ? paint('string', `${answer}: done${of}`)
    : paint('number', `${answer}: failed.${next}${of}`)
}

/** Descriptions of the causes of refused webhooks. A newer service may send causes that are not listed. */
const refusalCauses: Readonly<Record<string, string>> = {
  'key-missing': 'no key',
  'key-wrong': 'wrong key',
  'signature-missing': 'no signature',
  'signature-mismatch': "signature doesn't match",
  'timestamp-stale': 'timestamp too old or in the future',
  'secret-unreadable': "signing secret can't be decrypted",
  'too-large': 'body too large',
  'queue-full': 'queue full',
  'path-unknown': 'no flow listens on this path',
}

export function formatRefused({ flowId, path, cause, clientIp, at }: ShownRefusal): string {
  const to = flowId === undefined ? `/${printableLine(path ?? '')}` : `flow ${printableLine(flowId)}`
  const why = refusalCauses[cause] ?? printableLine(cause)
  return `${timeOfDay(new Date(at))}  refused: ${why} · ${to} · from ${printableLine(clientIp)}`
}

export function isDone(forwarding: Forwarding): boolean {
  return forwarding.kind === 'answered' && forwarding.status >= 200 && forwarding.status < 300
}

/** Returns the local time, accurate to the second. */
export function timeOfDay(at: Date): string {
  return at.toTimeString().slice(0, 8)
}

export type Style = 'name' | 'string' | 'number' | 'word' | 'dim'
/** Colors the text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string

/** Maximum lengths. Longer bodies are hard to read and could exhaust the terminal's memory. */
const textMaxCharacters = 8_192
const hexMaxBytes = 512
const bytesPerLine = 16
/** TypeScript's library doesn't declare `JSON.rawJSON` yet, and Node 20 doesn't have it. */
const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown }

/** Formats a body for reading: indented JSON, plain text, or a hex dump. Truncates long bodies. */
function formatBody(body: Uint8Array, paint: Paint): string {
  if (body.length === 0) return paint('dim', '(no body)')
  if (!isUtf8(body) || body.includes(0)) return hexDump(body, paint)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const json = indented(text)
  const shown = printable(cutAt(json ?? text, textMaxCharacters))
  const rest = (json ?? text).length - textMaxCharacters
  const painted = json === undefined ? shown : paintJson(shown, paint)
  return rest > 0 ? `${painted}\n${paint('dim', `… and ${rest} more characters`)}` : painted
}

/** Indents only objects and arrays. Other JSON values are readable as they are. */
function indented(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  // Without `rawJSON`, long numbers would lose precision, so bodies that contain long numbers are shown as sent.
  if (rawJSON === undefined && /\d{16}/.test(text)) return undefined
  try {
    // Keeps numbers as sent. Numbers beyond 2^53 would otherwise lose precision.
    return JSON.stringify(JSON.parse(text.replace(/^\uFEFF/, ''), asWritten), undefined, 2)
  } catch {
    return undefined
  }
}

function asWritten(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined && rawJSON !== undefined
    ? rawJSON(context.source)
    : value
}

const jsonParts = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

function paintJson(json: string, paint: Paint): string {
  return json.replace(jsonParts, (part, quoted?: string, colon?: string) => {
    if (quoted === undefined) return paint(/^[tfn]/.test(part) ? 'word' : 'number', part)
    return colon === undefined ? paint('string', quoted) : paint('name', quoted) + colon
  })
}

function hexDump(body: Uint8Array, paint: Paint): string {
  const lines: string[] = []
  for (let at = 0; at < Math.min(body.length, hexMaxBytes); at += bytesPerLine) {
    const bytes = [...body.subarray(at, Math.min(at + bytesPerLine, hexMaxBytes))]
    const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const letters = bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(
      `${paint('dim', at.toString(16).padStart(8, '0'))}  ${hex.padEnd(3 * bytesPerLine - 1)}  ${paint('dim', letters)}`,
    )
  }
  if (body.length > hexMaxBytes) lines.push(paint('dim', `… and ${body.length - hexMaxBytes} more bytes`))
  return lines.join('\n')
}

/** Truncates the text without splitting a surrogate pair. */
function cutAt(text: string, most: number): string {
  const cut = text.slice(0, most)
  return text.length > most && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

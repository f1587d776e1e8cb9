import type { RefusedWebhook, WebhookEvent } from '../../../typescript/src/runtime.ts'
import { printableLine } from '../printable.ts'
import { formatBody, type Paint } from './format-body.ts'
import type { Forwarding } from './forward.ts'

export function formatEvent(event: WebhookEvent, paint: Paint): string {
  const { id, acceptedAt, flowId, path, clientIp, attempt, replayOf, headers, body } = event
  const about = [
    `event ${printableLine(id)}`,
    `flow ${printableLine(flowId)}`,
    `from ${printableLine(clientIp)}`,
    `${body.length} bytes`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(replayOf === undefined ? [] : ['a replay']),
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
  { tookMs, copyOf }: { tookMs: number; copyOf: WebhookEvent | undefined },
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
  'too-large': 'body too large',
  'queue-full': 'queue full',
  'path-unknown': 'no flow listens on this path',
}

export function formatRefused({ flowId, path, cause, clientIp, refusedAt }: RefusedWebhook): string {
  const to = flowId === undefined ? `/${printableLine(path ?? '')}` : `flow ${printableLine(flowId)}`
  const why = refusalCauses[cause] ?? printableLine(cause)
  return `${timeOfDay(refusedAt)}  refused: ${why} · ${to} · from ${printableLine(clientIp)}`
}

export function isDone(forwarding: Forwarding): boolean {
  return forwarding.kind === 'answered' && forwarding.status >= 200 && forwarding.status < 300
}

/** Returns the local time, accurate to the second. */
export function timeOfDay(at: Date): string {
  return at.toTimeString().slice(0, 8)
}

import {
  overloadRetryAfterSeconds,
  queueFullRetryAfterSeconds,
  unavailableRetryAfterSeconds,
} from '../../domain/limits/limits.ts'
import type { WebhookRefusalReason } from '../../domain/webhooks/webhooks.ts'
import { type Answer, answer } from './answer.ts'

const unavailable = '{"error": "Webhook gateway unavailable."}'

/** The specification's table: every refusal of the domain, byte for byte. */
export const wireErrors: Record<WebhookRefusalReason, Answer> = {
  'key-rejected': answer(401, '{"error": "Unauthorized."}'),
  'signature-rejected': answer(401, '{"error": "Unauthorized."}'),
  'no-listener': answer(404, '{"error": "Not found."}'),
  'queue-full': answer(503, unavailable, { 'Retry-After': String(queueFullRetryAfterSeconds) }),
  'gateway-unavailable': answer(503, unavailable, { 'Retry-After': String(unavailableRetryAfterSeconds) }),
}

/** What only HTTP knows, and faults. */
export const accepted = answer(202, '{"ok": true}')
export const notFound = wireErrors['no-listener']
export const methodNotAllowed = answer(405, '{"error": "Method not allowed."}', { Allow: 'POST' })
export const overloaded = answer(503, unavailable, { 'Retry-After': String(overloadRetryAfterSeconds) })
export const payloadTooLarge = answer(413, '{"error": "Payload too large."}')
export const internalError = answer(500, '{"error": "Internal error."}')

/** Requests that are no HTTP, or take too long to become some. */
export const badRequest = answer(400, '{"error": "Bad request."}')
export const requestTimeout = answer(408, '{"error": "Request timeout."}')
export const headersTooLarge = answer(431, '{"error": "Request header fields too large."}')

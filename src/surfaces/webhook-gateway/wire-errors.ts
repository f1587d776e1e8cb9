import * as limits from '../../domain/limits/limits.ts'
import type { WebhookRefusalReason } from '../../domain/webhooks/webhooks.ts'
import { jsonResponse, type RawResponse } from '../../http/raw-exchange.ts'

export const webhookPattern = '/:botId/:path'

const unavailable = '{"error": "Webhook gateway unavailable."}'

const gatewayUnavailable = jsonResponse(503, unavailable, ['Retry-After', String(limits.unavailableRetryAfterSeconds)])

export const notFound = jsonResponse(404, '{"error": "Not found."}')

/** Response bodies defined by the specification, byte for byte. */
export const wireErrors: Record<WebhookRefusalReason, RawResponse> = {
  'key-rejected': jsonResponse(401, '{"error": "Unauthorized."}'),
  'signature-rejected': jsonResponse(401, '{"error": "Unauthorized."}'),
  'secret-unreadable': gatewayUnavailable,
  'bot-unknown': notFound,
  'no-listener': notFound,
  'queue-full': jsonResponse(503, unavailable, ['Retry-After', String(limits.queueFullRetryAfterSeconds)]),
  'gateway-unavailable': gatewayUnavailable,
}

export const accepted = jsonResponse(202, '{"ok": true}')
export const methodNotAllowed = jsonResponse(405, '{"error": "Method not allowed."}', ['Allow', 'POST'])
export const overloaded = jsonResponse(503, unavailable, ['Retry-After', String(limits.overloadRetryAfterSeconds)])
export const payloadTooLarge = jsonResponse(413, '{"error": "Payload too large."}')
export const internalError = jsonResponse(500, '{"error": "Internal error."}')

/** Responses to input that the HTTP parser rejects or that doesn't arrive in time. */
export const badRequest = jsonResponse(400, '{"error": "Bad request."}')
export const requestTimeout = jsonResponse(408, '{"error": "Request timeout."}')
export const headersTooLarge = jsonResponse(431, '{"error": "Request header fields too large."}')

import { botStatusCacheSeconds, botStatusRequestsPerMinute } from '../../domain/limits/limits.ts'
import type { Answer } from '../../http/answer-batch.ts'

/** The wire of `GET {base_url}/botstatus/{botRef}/api` (specification, "Bot status API"; contract, section 8). */
const anyOrigin = ['access-control-allow-origin', '*']

export const statusHeaders: readonly string[] = [
  ...anyOrigin,
  ...['cache-control', `public, max-age=${botStatusCacheSeconds}, s-maxage=${botStatusCacheSeconds}`],
  ...['content-type', 'application/json; charset=utf-8'],
]

/** Of answers that hold for this moment and this client only. */
const passingHeaders = [
  ...anyOrigin,
  ...['cache-control', 'no-store'],
  ...['content-type', 'application/json; charset=utf-8'],
]

export const preflight: Answer = {
  status: 204,
  headers: [
    ...anyOrigin,
    ...['access-control-allow-methods', 'GET, HEAD, OPTIONS'],
    ...['access-control-allow-headers', '*'],
    ...['access-control-max-age', '86400'],
  ],
  body: '',
}

export const notFound: Answer = { status: 404, headers: statusHeaders, body: JSON.stringify({ error: 'Not found' }) }

export const internalFailure: Answer = {
  status: 500,
  headers: passingHeaders,
  body: JSON.stringify({ error: 'Internal server error' }),
}

/** HTTP's own, which the specification leaves open. */
export const methodNotAllowed: Answer = {
  status: 405,
  headers: [...passingHeaders, 'allow', 'GET, HEAD, OPTIONS'],
  body: JSON.stringify({ error: 'Method not allowed' }),
}

export function limitExceeded(retryAfterSec: number): Answer {
  return {
    status: 429,
    headers: [
      ...passingHeaders,
      ...['retry-after', String(retryAfterSec)],
      // Without it scripts of other origins can't read when to come back.
      ...['access-control-expose-headers', 'Retry-After'],
    ],
    body: JSON.stringify({ error: 'Rate limit exceeded', retryAfterSec, limit: botStatusRequestsPerMinute }),
  }
}

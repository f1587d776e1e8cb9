import { botStatusCacheSeconds, botStatusRequestsPerMinute } from '../../domain/limits/limits.ts'
import { type RawResponse, rawResponse } from '../../http/raw-response.ts'

/**
 * The wire format of `GET {base_url}/botstatus/{botRef}/api` (specification, "Bot status API").
 */
const anyOrigin = ['access-control-allow-origin', '*']

export const statusHeaders: readonly string[] = [
  ...anyOrigin,
  ...['cache-control', `public, max-age=${botStatusCacheSeconds}, s-maxage=${botStatusCacheSeconds}`],
  ...['content-type', 'application/json; charset=utf-8'],
]

/** Headers for responses that must not be cached. */
const passingHeaders = [
  ...anyOrigin,
  ...['cache-control', 'no-store'],
  ...['content-type', 'application/json; charset=utf-8'],
]

export const preflight = rawResponse(204, [
  ...anyOrigin,
  ...['access-control-allow-methods', 'GET, HEAD, OPTIONS'],
  ...['access-control-allow-headers', '*'],
  ...['access-control-max-age', '86400'],
])

export const notFound = rawResponse(404, statusHeaders, JSON.stringify({ error: 'Not found' }))

export const internalFailure = rawResponse(500, passingHeaders, JSON.stringify({ error: 'Internal server error' }))

/** The specification doesn't define this response. RFC 9110 section 15.5.6 requires `Allow`. */
export const methodNotAllowed = rawResponse(
  405,
  [...passingHeaders, 'allow', 'GET, HEAD, OPTIONS'],
  JSON.stringify({ error: 'Method not allowed' }),
)

export function limitExceeded(retryAfterSec: number): RawResponse {
  const headers = [
    ...passingHeaders,
    ...['retry-after', String(retryAfterSec)],
    // Lets scripts from other origins read Retry-After.
    ...['access-control-expose-headers', 'Retry-After'],
  ]
  const body = { error: 'Rate limit exceeded', retryAfterSec, limit: botStatusRequestsPerMinute }
  return rawResponse(429, headers, JSON.stringify(body))
}

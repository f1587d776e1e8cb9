/** All headers of a request, keyed by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Returns the header's value, or `undefined` if it wasn't sent. Repeated headers are joined with commas (RFC 9110,
 * section 5.3).
 */
export function singleHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return typeof value === 'object' ? value.join(', ') : value
}

/** The request headers that are forwarded to the runtime unchanged. A header that wasn't sent is `undefined`. */
export interface ForwardedHeaders {
  contentType: string | undefined
  userAgent: string | undefined
  forwardedFor: string | undefined
  requestId: string | undefined
}

/** Keyed by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Repeated headers are joined with commas (RFC 9110 section 5.3). */
export function singleHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return typeof value === 'object' ? value.join(', ') : value
}

/** Forwarded to the runtime unchanged. */
export interface ForwardedHeaders {
  contentType: string | undefined
  userAgent: string | undefined
  forwardedFor: string | undefined
  requestId: string | undefined
}

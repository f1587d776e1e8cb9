/** All headers of a request, by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A header's value; a repeated one is joined by commas, which is what HTTP says it means. Undefined when not sent. */
export function singleHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return typeof value === 'object' ? value.join(', ') : value
}

/** The four request headers that reach a runtime, as received; undefined when not sent. */
export interface ForwardedHeaders {
  contentType: string | undefined
  userAgent: string | undefined
  forwardedFor: string | undefined
  requestId: string | undefined
}

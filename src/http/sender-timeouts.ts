/** Time limits for clients, in milliseconds. The first four have the names of `http.createServer`. */
export interface SenderTimeouts {
  /** From the start of the connection, or the end of the previous request, to the end of the headers. */
  headersTimeout: number
  /** From the same start to the end of the body. */
  requestTimeout: number
  /** Interval at which Node checks both limits. */
  connectionsCheckingInterval: number
  /**
   * Between a response and the next request. Longer than proxies keep idle connections, so that the proxy closes them.
   */
  keepAliveTimeout: number
  /**
   * Without any progress, because the client stops in the middle of a request or doesn't read the response. Detection
   * can take a quarter longer.
   */
  stuckTimeout: number
}

export const senderTimeouts: SenderTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 75_000,
  stuckTimeout: 60_000,
}

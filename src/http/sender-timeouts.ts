/** Time limits for clients, in milliseconds. The first four are named after their `http.createServer` options. */
export interface SenderTimeouts {
  /** From the start of the connection, or the end of the previous request, until the headers are complete. */
  headersTimeout: number
  /** From the same start until the body is complete. */
  requestTimeout: number
  /** Interval at which Node checks both limits. */
  connectionsCheckingInterval: number
  /**
   * Between a response and the next request. Longer than proxies keep idle connections, so that it is the proxy that
   * closes them.
   */
  keepAliveTimeout: number
  /**
   * For a connection without any progress, because the client stops in the middle of a request or doesn't read the
   * response. Detection can take up to 25% longer.
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

/** Time limits for clients, in milliseconds. The first four are named after their `http.createServer` options. */
export interface SenderTimeouts {
  /**
   * Time from the first byte of a request until its headers are complete. On a new connection without any bytes, the
   * time starts with the connection.
   */
  headersTimeout: number
  /** Time from the first byte of a request until its body is complete. */
  requestTimeout: number
  /** Interval at which Node checks `headersTimeout` and `requestTimeout`. */
  connectionsCheckingInterval: number
  /**
   * Time between a response and the next request. Longer than proxies keep idle connections, so that the proxy closes
   * them.
   */
  keepAliveTimeout: number
  /**
   * Time without traffic while a response is in flight, for example because the client stops in the middle of the body
   * or doesn't read the response. Detection can take up to 25% longer.
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

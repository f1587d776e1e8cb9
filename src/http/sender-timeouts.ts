/** How long those who send may take, in milliseconds; the first four under the names of `http.createServer`. */
export interface SenderTimeouts {
  /** From the connection, or the end of the request before, to the end of the headers. */
  headersTimeout: number
  /** The same to the end of the body. */
  requestTimeout: number
  /** How often Node looks who took longer. */
  connectionsCheckingInterval: number
  /** Between one answer and the next request. Longer than proxies keep idle connections, so that it is they who close. */
  keepAliveTimeout: number
  /**
   * Nothing moves for so long, in the middle of a request or because its sender does not read the answer. It may take a
   * quarter more until it is seen.
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

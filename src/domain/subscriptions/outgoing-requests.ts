/** Error texts that pages translate. Any other error text comes from the receiver or the system. */
export const internalAddressError = 'the URL leads to an internal address'
export const subscriptionDisabledError = 'subscription disabled'
export const ownerDisabledError = 'the owner’s account is disabled'
export const sendingFailedError = 'the service failed to send the request'

/** Thrown when a request got no complete response. The message is shown to the subscription's owner. */
export class RequestFailed extends Error {}

export interface OutgoingResponse {
  status: number
  /** Beginning of the response body. Bytes that aren't UTF-8 are replaced. */
  text: string
  retryAfter?: string | undefined
}

/** Sends requests to URLs that users chose. */
export interface OutgoingRequests {
  /**
   * Returns whether the URL's host name says that each request to it would be refused as internal: an internal address,
   * or a `localhost` name. Other names are resolved only when a request is sent.
   */
  isInternalHost(hostname: string): boolean
  /**
   * Posts the body without following redirects.
   *
   * @throws RequestFailed if the URL is internal, the connection fails, or the response takes too long.
   */
  post(request: {
    url: string
    headers: Readonly<Record<string, string>>
    body: Uint8Array
    signal: AbortSignal
  }): Promise<OutgoingResponse>
}

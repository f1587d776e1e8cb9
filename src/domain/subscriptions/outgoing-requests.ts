/** Pages translate these error texts. Any other comes from the receiver or the system. */
export const internalAddressError = 'the URL leads to an internal address'
export const subscriptionDisabledError = 'subscription disabled'
export const ownerDisabledError = 'the owner’s account is disabled'
export const sendingFailedError = 'the service failed to send the request'

/** There was no complete response. The message is shown to the subscription's owner. */
export class RequestFailed extends Error {}

export interface OutgoingResponse {
  status: number
  /** The beginning. Bytes that aren't UTF-8 are replaced. */
  text: string
  retryAfter?: string | undefined
}

export interface OutgoingRequests {
  /** Whether it is an internal address or a `localhost` name. Other names are resolved only when a request is sent. */
  isInternalHost(hostname: string): boolean
  /** Follows no redirects. Throws RequestFailed if the URL is internal, the connection fails, or it takes too long. */
  post(request: {
    url: string
    headers: Readonly<Record<string, string>>
    body: Uint8Array
    signal: AbortSignal
  }): Promise<OutgoingResponse>
}

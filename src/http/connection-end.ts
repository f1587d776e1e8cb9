import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { refusedBodyIdleMs } from '../domain/limits/limits.ts'
import { lastResponseText, type RawResponse } from './raw-response.ts'

/**
 * Returns the response that is next to be sent on the connection. Reads the internal property in which Node stores it.
 */
export function responseInFlight(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

/**
 * Sends `raw` and ends the connection, because the parser rejected the input or timed out waiting for it.
 *
 * Responses to earlier complete requests are sent first. The events in those requests may already be stored, and a
 * sender that gets no response would send them again.
 */
export function endAfterResponses(socket: Duplex, raw: RawResponse): void {
  if (!socket.writable) return
  const response = responseInFlight(socket)
  if (response?.req.complete) {
    // Stop reading: further input would count as activity, so a client that reads no responses would never time out.
    socket.pause()
    response.once('close', () => endAfterResponses(socket, raw))
    return
  }
  socket.resume()
  endWith(socket, response, raw)
}

/** Ends the connection. If no response has been sent yet, sends `raw` as the response to the incomplete request. */
function endWith(socket: Duplex, response: ServerResponse | undefined, raw: RawResponse): void {
  if (response === undefined) {
    socket.end(lastResponseText(raw))
  } else {
    if (!response.headersSent) {
      response.shouldKeepAlive = false
      response.writeHead(raw.status, raw.headers)
      response.flushHeaders()
      response.write(raw.body)
    }
    socket.end()
  }
  // Closing a socket with unread bytes resets it, which loses the response. So incoming bytes are read and dropped for
  // a short time.
  const cut = setTimeout(() => socket.destroy(), refusedBodyIdleMs)
  socket.once('close', () => clearTimeout(cut))
}

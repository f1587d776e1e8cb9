import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { refusedBodyIdleMs } from '../domain/limits/limits.ts'
import { lastResponseText, type RawResponse } from './raw-response.ts'

/**
 * Returns the response that the connection sends next. Node stores it under this name and uses it for the same purpose.
 */
export function responseInFlight(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

/**
 * Ends the connection with `raw`, because the parser rejected the input or timed out waiting for it.
 *
 * Responses to earlier complete requests are sent first: their events may be stored, and a sender without a response
 * would repeat them.
 */
export function endAfterResponses(socket: Duplex, raw: RawResponse): void {
  if (!socket.writable) return
  const response = responseInFlight(socket)
  if (response?.req.complete) {
    // Stop reading: further bytes would count as activity, so a client that reads no responses would never time out.
    socket.pause()
    response.once('close', () => endAfterResponses(socket, raw))
    return
  }
  socket.resume()
  endWith(socket, response, raw)
}

/** Ends the connection with `raw` in place of the response to an incomplete request, unless that was already sent. */
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
  // Closing a socket with unread bytes resets it and loses the response. So they are read and dropped for a moment.
  const cut = setTimeout(() => socket.destroy(), refusedBodyIdleMs)
  socket.once('close', () => clearTimeout(cut))
}

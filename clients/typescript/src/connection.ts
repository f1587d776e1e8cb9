import { diagnoseFailure } from './diagnosis.ts'
import { type RuntimeFrame, readServiceFrame, type ServiceFrame } from './frames.ts'
import { webSocketWithHeaders } from './web-socket.ts'

/** How a connection ended. The code is 1006 if the peer did not send a close code. */
export interface ConnectionEnd {
  code: number
  reason: string
}

interface ConnectionParts {
  address: URL
  key: string
  subprotocol: string
  onFrame: (frame: ServiceFrame) => void
  /** Called exactly once, when the connection has ended. No other callback follows. */
  onEnd: (end: ConnectionEnd) => void
}

/** Value of `readyState` for an open WebSocket. */
const open = 1

/** Maximum time from the start of the connection attempt to the `hello` frame. */
const openingMs = 15_000
const closingMs = 2_000

/** A WebSocket to the service. It is guaranteed to end, even if the peer vanishes. */
export class Connection {
  readonly #socket: WebSocket
  readonly #onEnd: (end: ConnectionEnd) => void
  #deadline: ReturnType<typeof setTimeout> | undefined
  #receivedAtMs = performance.now()
  #closed = false
  #ended = false

  constructor({ address, key, subprotocol, onFrame, onEnd }: ConnectionParts) {
    this.#onEnd = onEnd
    let opened = false
    const headers = { authorization: `Bearer ${key}` }
    this.#socket = webSocketWithHeaders()(address, { protocols: [subprotocol], headers })
    this.#socket.addEventListener('message', ({ data }) => {
      if (this.#ended) return
      opened = true
      this.#receivedAtMs = performance.now()
      const frame = readServiceFrame(data)
      if (frame?.type === 'hello') clearTimeout(this.#deadline)
      if (frame !== undefined) onFrame(frame)
    })
    // A `close` event always follows an error.
    this.#socket.addEventListener('error', () => {})
    this.#socket.addEventListener('close', async ({ code, reason }) => {
      this.#closed = true
      this.#end({ code, reason: reason || opened || code !== 1006 ? reason : await diagnoseFailure(address) })
    })
    this.#endWithin(openingMs, 'the service sent no hello in time')
  }

  /** Milliseconds since the last frame from the service. */
  get silentMs(): number {
    return performance.now() - this.#receivedAtMs
  }

  /** Bytes that the network has not accepted yet. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** Sends a frame if the connection is open, and drops it otherwise. */
  send(frame: RuntimeFrame): void {
    if (this.#socket.readyState === open) this.#socket.send(JSON.stringify(frame))
  }

  /**
   * Closes the connection with a handshake. If the peer doesn't complete it within two seconds, ends the connection
   * anyway.
   */
  close(): void {
    // The socket has already closed. Don't wait for the diagnosis of the cause, which may still be running.
    if (this.#closed) {
      this.#end({ code: 1006, reason: '' })
      return
    }
    this.#socket.close(1000)
    this.#endWithin(closingMs, 'close handshake timed out')
  }

  /** Ends the connection immediately, without waiting for a peer that no longer responds. */
  abandon(reason: string): void {
    this.#socket.close()
    this.#end({ code: 1006, reason })
  }

  #endWithin(ms: number, reason: string): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.abandon(reason), ms)
  }

  #end(end: ConnectionEnd): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#deadline)
    this.#onEnd(end)
  }
}

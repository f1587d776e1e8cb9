import { whyNoConnection } from './diagnosis.ts'
import { type RuntimeFrame, readServiceFrame, type ServiceFrame } from './frames.ts'
import { webSocketWithHeaders } from './web-socket.ts'

/** How a connection ended: with the peer's close code, or 1006 when there was none. */
export interface ConnectionEnd {
  code: number
  reason: string
}

interface ConnectionParts {
  address: URL
  key: string
  subprotocol: string
  onFrame: (frame: ServiceFrame) => void
  /** Told once, and nothing after it. */
  onEnd: (end: ConnectionEnd) => void
}

/** `readyState` of an open WebSocket. */
const open = 1

/** From the first packet to `hello`. */
const openingMs = 15_000
/** How long the peer may take over the closing handshake. */
const closingMs = 2_000

/** One WebSocket to the service, from its opening to its end. It always ends, also when the peer has vanished. */
export class Connection {
  readonly #socket: WebSocket
  readonly #onEnd: (end: ConnectionEnd) => void
  #deadline: ReturnType<typeof setTimeout> | undefined
  #heardAtMs = performance.now()
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
      this.#heardAtMs = performance.now()
      const frame = readServiceFrame(data)
      if (frame?.type === 'hello') clearTimeout(this.#deadline)
      if (frame !== undefined) onFrame(frame)
    })
    // Behind an error there is always a close.
    this.#socket.addEventListener('error', () => {})
    this.#socket.addEventListener('close', async ({ code, reason }) => {
      this.#closed = true
      this.#end({ code, reason: reason || opened || code !== 1006 ? reason : await whyNoConnection(address) })
    })
    this.#endWithin(openingMs, 'the service did not greet in time')
  }

  /** For how long nothing was heard, in milliseconds. */
  get silentMs(): number {
    return performance.now() - this.#heardAtMs
  }

  /** Bytes that the network has not taken yet. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** Sends when the connection is open; otherwise the frame is lost. */
  send(frame: RuntimeFrame): void {
    if (this.#socket.readyState === open) this.#socket.send(JSON.stringify(frame))
  }

  /** Closes with the usual handshake, and after two seconds without it. */
  close(): void {
    // Only the cause of the failure is still being looked for.
    if (this.#closed) {
      this.#end({ code: 1006, reason: '' })
      return
    }
    this.#socket.close(1000)
    this.#endWithin(closingMs, 'the closing was not answered')
  }

  /** Ends at once, for a peer that is not there any more. */
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

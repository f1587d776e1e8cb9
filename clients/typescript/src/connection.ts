import { createRequire } from 'node:module'
import { type RuntimeFrame, readServiceFrame, type ServiceFrame } from './frames.ts'

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

/**
 * Node's WebSocket constructor, which accepts request headers. The one in browsers doesn't, so it can't send the key.
 */
type WebSocketWithHeaders = (address: URL, init: { protocols: string[]; headers: Record<string, string> }) => WebSocket

/**
 * Returns a function that opens a WebSocket. Before Node 22, which has no WebSocket, it uses the package `ws`.
 *
 * @throws Error that says what to install, if there is neither.
 */
function webSocketWithHeaders(): WebSocketWithHeaders {
  if (typeof globalThis.WebSocket === 'function') {
    const Own = globalThis.WebSocket as unknown as new (...from: Parameters<WebSocketWithHeaders>) => WebSocket
    return (address, init) => new Own(address, init)
  }
  try {
    const { WebSocket: Package } = createRequire(import.meta.url)('ws')
    return (address, { protocols, headers }) => new Package(address, protocols, { headers, perMessageDeflate: false })
  } catch {
    throw new Error(
      `Node ${process.versions.node} has no WebSocket; use Node 22 or newer, or run "npm install ws" beside this package`,
    )
  }
}

const probeMs = 3_000

/**
 * Returns why no WebSocket could be opened, which the WebSocket API doesn't reveal. Requests the gateway's health
 * endpoint, without the key. Never rejects.
 *
 * @param address of the runtime link, `ws://` or `wss://`.
 */
async function diagnoseFailure(address: URL): Promise<string> {
  const health = new URL(address)
  health.protocol = address.protocol.replace('ws', 'http')
  health.pathname = address.pathname.replace(/runtime$/, 'health')
  try {
    const response = await fetch(health, { signal: AbortSignal.timeout(probeMs), redirect: 'manual' })
    const record = (await response.json().catch(() => undefined)) as { service?: unknown } | null | undefined
    if (record?.service !== 'webhooks') {
      return `${health.origin} responds (${response.status}), but not as the API URL of Gatehouse; check the URL and its port`
    }
    return (
      `Gatehouse responds at ${health.origin}, but the WebSocket failed; check that proxies in between forward WebSockets, ` +
      'and that client and service have the same version'
    )
  } catch (error) {
    return explain(error, health)
  }
}

function explain(error: unknown, { origin, hostname }: URL): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `${origin} doesn't respond`
  switch (cause?.code) {
    case 'ECONNREFUSED':
      return `nothing is listening at ${origin}; check that the service runs, and that this is its API URL`
    case 'ENOTFOUND':
      return `unknown host ${hostname}; check the URL`
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `${origin} responds without TLS; use http:// if the service is on this machine`
    default:
      return `${origin} can't be reached: ${(cause?.message || cause?.code || String(error)).trim()}`
  }
}

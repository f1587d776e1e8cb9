import { type RuntimeFrame, readServiceFrame, type ServiceFrame, subprotocol } from './frames.ts'
import { ClientWebSocket, UpgradeRefused } from './web-socket.ts'

/** How a connection ended. The code is 1006 if the peer did not send a close code. */
export interface ConnectionEnd {
  code: number
  reason: string
}

interface ConnectionParts {
  address: URL
  key: string
  onFrame: (frame: ServiceFrame) => void
  /** Called exactly once, when the connection has ended. No other callback follows. */
  onEnd: (end: ConnectionEnd) => void
}

const frameMaxBytes = 2 * 1_048_576
/** Until `hello`, the connection ends after this time without a frame. */
const openingMs = 15_000
const closingMs = 10_000

/** A WebSocket to the service. It is guaranteed to end, even if the peer vanishes. */
export class Connection {
  readonly #socket: ClientWebSocket
  readonly #onEnd: (end: ConnectionEnd) => void
  #deadline: ReturnType<typeof setTimeout> | undefined
  #handshaking = false
  #ended = false

  constructor({ address, key, onFrame, onEnd }: ConnectionParts) {
    this.#onEnd = onEnd
    let heard = false
    const origin = address.origin.replace('ws', 'http')
    this.#socket = new ClientWebSocket({
      address,
      headers: { authorization: `Bearer ${key}` },
      subprotocol,
      messageMaxBytes: frameMaxBytes,
      onText: (text) => {
        if (this.#ended) return
        heard = true
        if (!this.#handshaking) this.#deadline?.refresh()
        const frame = readServiceFrame(text)
        if (frame !== undefined) onFrame(frame)
      },
      onEnd: async ({ code, reason, cause }) => {
        this.#handshaking = false
        this.#end({ code, reason: reason || heard || code !== 1006 ? reason : await diagnose(address, cause) })
      },
    })
    this.#deadline = setTimeout(
      () => this.abandon(this.isOpen ? 'the service sent no hello in time' : `${origin} doesn't respond`),
      openingMs,
    )
  }

  get isOpen(): boolean {
    return this.#socket.isOpen
  }

  /** Ends the connection once the service has sent nothing for this long. */
  limitSilence(ms: number): void {
    if (this.#handshaking) return
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.abandon('no frame from the service: connection timed out'), ms)
  }

  /** Bytes that the network has not accepted yet. */
  get unsentBytes(): number {
    return this.#socket.unsentBytes
  }

  /** Sends a frame if the connection is open, and drops it otherwise. */
  send(frame: RuntimeFrame): void {
    this.#socket.send(JSON.stringify(frame))
  }

  /**
   * Closes the connection with a handshake. If the peer doesn't complete it within {@link closingMs}, ends the connection
   * anyway.
   */
  close(): void {
    if (this.isOpen) {
      this.#handshaking = true
      this.#socket.close(1000)
      this.#endWithin(closingMs, 'close handshake timed out')
      // Without a handshake to wait for, doesn't wait for the diagnosis of the cause either.
    } else if (!this.#handshaking) this.abandon('')
  }

  /** Ends the connection immediately, without waiting for a peer that no longer responds. */
  abandon(reason: string): void {
    this.#socket.destroy()
    this.#end({ code: 1006, reason })
  }

  /** Ends the connection after this time, unless it has sent some of the unsent bytes. */
  #endWithin(ms: number, reason: string): void {
    clearTimeout(this.#deadline)
    const unsent = this.unsentBytes
    this.#deadline = setTimeout(() => {
      if (this.unsentBytes < unsent) this.#endWithin(ms, reason)
      else this.abandon(reason)
    }, ms)
  }

  #end(end: ConnectionEnd): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#deadline)
    this.#onEnd(end)
  }
}

const probeMs = 3_000

/**
 * Returns why the service sent nothing. Unless the cause says it, requests the gateway's health endpoint, without the
 * key. Never rejects.
 *
 * @param address of the runtime link, `ws://` or `wss://`.
 * @param cause what the WebSocket reported, if anything.
 */
async function diagnose(address: URL, cause: Error | undefined): Promise<string> {
  const health = new URL(address)
  health.protocol = address.protocol.replace('ws', 'http')
  health.pathname = address.pathname.replace(/runtime$/, 'health')
  if (cause instanceof UpgradeRefused) {
    if (cause.location !== undefined)
      return `${health.origin} redirects to ${cause.location}; use the URL of that service`
  } else if (cause !== undefined && codeOf(cause) !== 'ECONNRESET') return explain(cause, health)
  try {
    const response = await fetch(health, { signal: AbortSignal.timeout(probeMs), redirect: 'manual' })
    const record = (await response.json().catch(() => undefined)) as { service?: unknown } | null | undefined
    if (record?.service !== 'webhooks') {
      return `${health.origin} responds (${response.status}), but not as the API URL of Gatehouse; check the URL and its port`
    }
    return (
      `Gatehouse responds at ${health.origin}, but the WebSocket failed; check that proxies in between forward WebSockets, ` +
      `and that client and service have the same version${cause === undefined ? '' : ` (${cause.message})`}`
    )
  } catch (error) {
    return cause instanceof UpgradeRefused
      ? `${health.origin} responds (${cause.status}) without opening a WebSocket; check the URL and its port`
      : explain(error as Error, health)
  }
}

/** Returns the code of a network error. `fetch` has it in the cause. */
function codeOf({ code, cause }: Error & { code?: string }): string | undefined {
  return code ?? (cause as { code?: string } | undefined)?.code
}

function explain(error: Error, { origin, hostname }: URL): string {
  if (error.name === 'TimeoutError') return `${origin} doesn't respond`
  const code = codeOf(error)
  const { message } = (error.cause ?? error) as Error
  if (code === 'ECONNREFUSED')
    return `nothing is listening at ${origin}; check that the service runs, and that this is its API URL`
  if (code === 'ENOTFOUND') return `unknown host ${hostname}; check the URL`
  if (/wrong version number|packet length too long/.test(message))
    return `${origin} responds without TLS; use http:// if the service is on this machine`
  return `${origin} can't be reached: ${(message || code || String(error)).trim()}`
}

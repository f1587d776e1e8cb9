import { Buffer } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestEncrypted } from 'node:https'
import type { Socket } from 'node:net'

interface WebSocketParts {
  /** `ws://` or `wss://`. */
  address: URL
  headers: Record<string, string>
  subprotocol: string
  messageMaxBytes: number
  onText: (text: string) => void
  /** Called exactly once, unless the socket is destroyed first. No other callback follows. */
  onEnd: (end: WebSocketEnd) => void
}

/** A response other than an open WebSocket, with the URL to which it redirects. */
export class UpgradeRefused extends Error {
  readonly status: number
  readonly location: string | undefined

  constructor({ statusCode = 0, headers }: IncomingMessage) {
    super(`HTTP status ${statusCode}`)
    this.status = statusCode
    this.location = headers.location
  }
}

/** The close code is 1006 if the peer sent none. `cause` says why the connection was never opened, or broke. */
export interface WebSocketEnd {
  code: number
  reason: string
  cause?: Error
}

/** A violation of RFC 6455 by the peer, with the close code that reports it. */
class Violation extends Error {
  readonly closeCode: number

  constructor(closeCode: number, message: string) {
    super(message)
    this.closeCode = closeCode
  }
}

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
/** Maximum time until the peer ends a connection that both sides have closed. */
const closingMs = 2_000
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The client's side of a WebSocket (RFC 6455), without extensions. Node's own reports failures differently in each
 * version, and can't end a connection whose peer no longer responds (decision 0020).
 */
export class ClientWebSocket {
  readonly #parts: WebSocketParts
  readonly #request: ReturnType<typeof requestPlain>
  #socket: Socket | undefined
  #closing = false
  #ended = false
  /** Bytes that have arrived but are not parsed, and how many the next step needs. */
  #chunks: Buffer[] = []
  #arrived = 0
  #needed = 2
  /** Payloads of an unfinished message, and its type. */
  #fragments: Buffer[] = []
  #messageBytes = 0
  #messageType: number | undefined

  constructor(parts: WebSocketParts) {
    this.#parts = parts
    const { address, headers, subprotocol } = parts
    const encrypted = address.protocol === 'wss:'
    const key = randomBytes(16).toString('base64')
    const url = new URL(address)
    url.protocol = encrypted ? 'https:' : 'http:'
    this.#request = (encrypted ? requestEncrypted : requestPlain)(url, {
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
        'sec-websocket-protocol': subprotocol,
      },
    })
    this.#request.on('upgrade', (response, socket, head) => this.#open(response, socket as Socket, head, key))
    this.#request.on('response', (response) => {
      this.#end({ code: 1006, reason: '', cause: new UpgradeRefused(response) })
      this.#request.destroy()
    })
    this.#request.on('error', (cause) => this.#end({ code: 1006, reason: '', cause }))
    this.#request.end()
  }

  get isOpen(): boolean {
    return this.#socket !== undefined && !this.#closing
  }

  /** Bytes that the network has not accepted yet. */
  get unsentBytes(): number {
    return this.#socket?.writableLength ?? 0
  }

  /** Sends a message if the connection is open. */
  send(text: string): void {
    if (this.isOpen) this.#write(opcodes.text, Buffer.from(text))
  }

  /** Starts the close handshake. `onEnd` follows when the peer completes it. */
  close(code: number): void {
    if (!this.isOpen) return
    const payload = Buffer.alloc(2)
    payload.writeUInt16BE(code)
    this.#write(opcodes.close, payload)
    this.#closing = true
  }

  /** Ends the connection at once, without a callback. */
  destroy(): void {
    this.#ended = true
    this.#request.destroy()
    this.#socket?.destroy()
  }

  #open(response: IncomingMessage, socket: Socket, head: Buffer, key: string): void {
    this.#socket = socket
    socket.on('error', (cause) => this.#end({ code: 1006, reason: '', cause }))
    socket.on('close', () => this.#end({ code: 1006, reason: '' }))
    const { 'sec-websocket-accept': accept, 'sec-websocket-protocol': subprotocol } = response.headers
    if (accept !== acceptOf(key) || subprotocol !== this.#parts.subprotocol) {
      this.#end({ code: 1006, reason: '', cause: new UpgradeRefused(response) })
      socket.destroy()
      return
    }
    socket.setTimeout(0)
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#receive(chunk as Buffer))
    if (head.length > 0) this.#receive(head)
  }

  #receive(chunk: Buffer): void {
    if (this.#ended) return
    this.#chunks.push(chunk)
    this.#arrived += chunk.length
    if (this.#arrived < this.#needed) return
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    try {
      for (;;) {
        const frame = readFrame(bytes, this.#parts.messageMaxBytes)
        if (typeof frame === 'number') {
          this.#needed = frame
          break
        }
        bytes = bytes.subarray(frame.bytes)
        this.#take(frame)
        if (this.#ended) return
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      this.close(error.closeCode)
      this.#end({ code: 1006, reason: error.message, cause: error })
    }
    this.#chunks = [bytes]
    this.#arrived = bytes.length
  }

  #take({ opcode, last, payload }: Frame): void {
    switch (opcode) {
      case opcodes.ping:
        if (this.isOpen) this.#write(opcodes.pong, payload)
        return
      case opcodes.pong:
        return
      case opcodes.close: {
        const code = payload.length < 2 ? 1005 : payload.readUInt16BE()
        if (this.isOpen) this.#write(opcodes.close, payload.subarray(0, 2))
        this.#end({ code, reason: textOf(payload.subarray(2)) })
        return
      }
    }
    if ((opcode === opcodes.continuation) === (this.#messageType === undefined))
      throw new Violation(1002, 'the service sent fragments of a message in the wrong order')
    this.#messageType ??= opcode
    this.#fragments.push(payload)
    this.#messageBytes += payload.length
    if (this.#messageBytes > this.#parts.messageMaxBytes) throw tooLong(this.#parts.messageMaxBytes)
    if (!last) return
    const [message, type] = [Buffer.concat(this.#fragments), this.#messageType]
    this.#fragments = []
    this.#messageBytes = 0
    this.#messageType = undefined
    if (type === opcodes.text) this.#parts.onText(textOf(message))
  }

  #write(opcode: number, payload: Buffer): void {
    this.#socket?.write(maskedFrame(opcode, payload))
  }

  #end(end: WebSocketEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#closing = true
    // Sends what is left. A peer that stays silent doesn't keep the process alive.
    this.#socket?.end().unref()
    setTimeout(() => this.#socket?.destroy(), closingMs).unref()
    this.#parts.onEnd(end)
  }
}

interface Frame {
  opcode: number
  last: boolean
  payload: Buffer
  /** Length of the whole frame. */
  bytes: number
}

/**
 * Returns the frame at the start of `bytes`, or how many bytes it needs before it can be read.
 *
 * @throws Violation as soon as the header shows that the frame is invalid or too long.
 */
function readFrame(bytes: Buffer, payloadMaxBytes: number): Frame | number {
  if (bytes.length < 2) return 2
  const [first = 0, second = 0] = bytes
  const opcode = first & 0x0f
  const last = first >= 0x80
  if ((first & 0x70) !== 0 || second >= 0x80 || !(Object.values(opcodes) as number[]).includes(opcode))
    throw new Violation(1002, 'the service sent an invalid frame')
  if (opcode >= opcodes.close && (!last || second > 125 || (opcode === opcodes.close && second === 1)))
    throw new Violation(1002, 'the service sent an invalid control frame')
  const start = second === 126 ? 4 : second === 127 ? 10 : 2
  if (bytes.length < start) return start
  const length = second === 126 ? bytes.readUInt16BE(2) : second === 127 ? Number(bytes.readBigUInt64BE(2)) : second
  if (length > payloadMaxBytes) throw tooLong(payloadMaxBytes)
  const end = start + length
  return bytes.length < end ? end : { opcode, last, payload: bytes.subarray(start, end), bytes: end }
}

/** Returns a final frame, masked with random bytes as all frames of clients are (RFC 6455 section 5.3). */
function maskedFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(start + 4 + length)
  frame[0] = 0x80 | opcode
  frame[1] = 0x80 | (start === 2 ? length : start === 4 ? 126 : 127)
  if (start === 4) frame.writeUInt16BE(length, 2)
  if (start === 10) frame.writeBigUInt64BE(BigInt(length), 2)
  const mask = randomBytes(4)
  mask.copy(frame, start)
  for (let at = 0; at < length; at += 1) frame[start + 4 + at] = (payload[at] as number) ^ (mask[at & 3] as number)
  return frame
}

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Violation(1007, 'the service sent text that is not UTF-8')
  }
}

function tooLong(maxBytes: number): Violation {
  return new Violation(1009, `the service sent a message of more than ${maxBytes / 1_048_576} MiB`)
}

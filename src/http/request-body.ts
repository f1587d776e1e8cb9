import type { IncomingMessage } from 'node:http'
import { arrivingBodiesMaxBytes, uncountedBodyMaxBytes } from '../domain/limits/limits.ts'

/** The body exceeds its limit, according to its Content-Length or the bytes received. */
export class BodyTooLarge extends Error {}

/** A limit has been reached: on requests in flight, or on the memory for their bodies. */
export class Overloaded extends Error {}

/** Counts the bytes of incoming bodies in memory, across all senders. */
export class ArrivingBodies {
  #bytes = 0

  reserve(bytes: number): boolean {
    if (this.#bytes + bytes > arrivingBodiesMaxBytes) return false
    this.#bytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#bytes -= bytes
  }
}

/**
 * Returns the body if it is small and has fully arrived; otherwise `undefined`. {@link RequestBody} then reads the
 * body.
 *
 * Taking the body from Node's buffer avoids listening for chunks (decision 0005). Relies on Node behavior: a `complete`
 * request without readers buffers its whole body as separate chunks, and each `read()` returns one chunk.
 */
export function arrivedBodyOf(request: IncomingMessage): Buffer | undefined {
  const bytes = request.readableLength
  if (!request.complete || bytes > uncountedBodyMaxBytes) return undefined
  const first: Buffer = request.read() ?? emptyBody
  if (first.length === bytes) return first
  const chunks = [first]
  for (let chunk = request.read(); chunk !== null; chunk = request.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const emptyBody = Buffer.alloc(0)

/**
 * Reads a request's body and checks its size as it arrives. The size of a discarded body is still checked, but its
 * bytes are not kept.
 */
export class RequestBody {
  #chunks: Buffer[] | undefined = []
  #bytes = 0
  #ended = false
  #settle: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined
  #refused: Error | undefined
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  readonly #arriving: ArrivingBodies
  #countedBytes = 0

  constructor(request: IncomingMessage, { maxBytes, arriving }: { maxBytes: number; arriving: ArrivingBodies }) {
    this.#request = request
    this.#maxBytes = maxBytes
    this.#arriving = arriving
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) this.#refused = new BodyTooLarge()
    request.on('data', (chunk: Buffer) => this.#receive(chunk))
    request.on('end', () => this.#end())
  }

  /** Drops the bytes received so far and all later ones. Still checks the body's size. */
  discard(): void {
    this.#chunks = undefined
    this.#uncount()
  }

  /**
   * Resolves with the complete body, or with an empty one if it was discarded. Never settles if the sender disconnects.
   *
   * @throws BodyTooLarge, before the rest of the body has arrived; Overloaded.
   */
  whole(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#refused !== undefined) reject(this.#refused)
      else if (this.#ended) resolve(this.#body())
      else this.#settle = { resolve, reject }
    })
  }

  #receive(chunk: Buffer): void {
    if (this.#refused instanceof BodyTooLarge) return
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) this.#refuse(new BodyTooLarge())
    else if (this.#bytes > uncountedBodyMaxBytes && !this.#count()) this.#refuse(new Overloaded())
    else this.#chunks?.push(chunk)
  }

  #refuse(error: Error): void {
    this.#refused = error
    this.discard()
    this.#settle?.reject(error)
  }

  /** Counts the received bytes. Returns `false` if the memory for bodies is used up. */
  #count(): boolean {
    if (this.#chunks === undefined) return true
    if (!this.#arriving.reserve(this.#bytes - this.#countedBytes)) return false
    // If the sender disconnects, only 'close' is emitted.
    if (this.#countedBytes === 0) this.#request.once('close', () => this.#uncount())
    this.#countedBytes = this.#bytes
    return true
  }

  #uncount(): void {
    this.#arriving.release(this.#countedBytes)
    this.#countedBytes = 0
  }

  #end(): void {
    this.#ended = true
    if (this.#refused === undefined) this.#settle?.resolve(this.#body())
  }

  #body(): Buffer {
    const chunks = this.#chunks ?? []
    return chunks.length === 1
      ? (chunks[0] as Buffer)
      : Buffer.concat(chunks, this.#chunks === undefined ? 0 : this.#bytes)
  }
}

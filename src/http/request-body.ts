import type { IncomingMessage } from 'node:http'
import { bodiesUnderWayMaxBytes, uncountedBodyMaxBytes } from '../domain/limits.ts'

/** The body exceeds its limit; how much of it has arrived so far does not matter. */
export class BodyTooLarge extends Error {}

/** The bodies still arriving take all the memory they may. */
export class TooManyBodies extends Error {}

/** Counts the bytes held of bodies that are still arriving, over all senders. */
export class BodiesUnderWay {
  #bytes = 0

  take(bytes: number): boolean {
    if (this.#bytes + bytes > bodiesUnderWayMaxBytes) return false
    this.#bytes += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes
  }
}

/**
 * Returns the body of a request that is complete and small, as most are at the end of the tick that brought them;
 * `undefined` for any other, which {@link RequestBody} reads. Taking it from the buffer avoids listening for its chunks
 * (decision 0005).
 *
 * Relies on Node: a request that is `complete` and of which nothing was read holds its whole body in its buffer. The
 * buffer keeps the chunks as they arrived, and each `read()` returns only one of them.
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

/** Reads a request's body and checks its size while it arrives. A discarded body is counted but not kept. */
export class RequestBody {
  #chunks: Buffer[] | undefined = []
  #bytes = 0
  #ended = false
  #settle: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined
  #refused: Error | undefined
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  readonly #underWay: BodiesUnderWay
  #countedBytes = 0

  constructor(request: IncomingMessage, { maxBytes, underWay }: { maxBytes: number; underWay: BodiesUnderWay }) {
    this.#request = request
    this.#maxBytes = maxBytes
    this.#underWay = underWay
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) this.#refused = new BodyTooLarge()
    request.on('data', (chunk: Buffer) => this.#take(chunk))
    request.on('end', () => this.#end())
  }

  /** Drops what has arrived. From here on the body is only counted. */
  discard(): void {
    this.#chunks = undefined
    this.#uncount()
  }

  /**
   * Resolves with the body once it is whole; empty when discarded. Never settles when the sender goes away.
   *
   * @throws BodyTooLarge as soon as that is known; TooManyBodies.
   */
  whole(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#refused !== undefined) reject(this.#refused)
      else if (this.#ended) resolve(this.#body())
      else this.#settle = { resolve, reject }
    })
  }

  #take(chunk: Buffer): void {
    if (this.#refused instanceof BodyTooLarge) return
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) this.#refuse(new BodyTooLarge())
    else if (this.#bytes > uncountedBodyMaxBytes && !this.#count()) this.#refuse(new TooManyBodies())
    else this.#chunks?.push(chunk)
  }

  #refuse(error: Error): void {
    this.#refused = error
    this.discard()
    this.#settle?.reject(error)
  }

  /** Returns false when memory for bodies is used up. */
  #count(): boolean {
    if (this.#chunks === undefined) return true
    if (!this.#underWay.take(this.#bytes - this.#countedBytes)) return false
    // A sender that goes away ends nothing else.
    if (this.#countedBytes === 0) this.#request.once('close', () => this.#uncount())
    this.#countedBytes = this.#bytes
    return true
  }

  #uncount(): void {
    this.#underWay.giveBack(this.#countedBytes)
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

import type { IncomingMessage } from 'node:http'
import { webhookBodyMaxBytes } from '../../domain/limits.ts'

/** The body exceeds what is taken; how much of it has come so far does not matter. */
export class BodyTooLarge extends Error {}

/** Reads a request's body, judging its size while it comes. A body that is not wanted is counted but not kept. */
export class RequestBody {
  #chunks: Buffer[] | undefined = []
  #bytes = 0
  #ended = false
  #settle: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined
  #tooLarge = false

  constructor(request: IncomingMessage) {
    request.on('data', (chunk: Buffer) => this.#take(chunk))
    request.on('end', () => this.#end())
  }

  /** From here on the body is only counted. */
  discard(): void {
    this.#chunks = undefined
  }

  /**
   * Resolves with the body once it is whole; empty when discarded. Never settles when the sender goes away.
   *
   * @throws BodyTooLarge as soon as that is known.
   */
  whole(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#tooLarge) reject(new BodyTooLarge())
      else if (this.#ended) resolve(this.#body())
      else this.#settle = { resolve, reject }
    })
  }

  #take(chunk: Buffer): void {
    if (this.#tooLarge) return
    this.#bytes += chunk.length
    if (this.#bytes > webhookBodyMaxBytes) {
      this.#tooLarge = true
      this.#chunks = undefined
      this.#settle?.reject(new BodyTooLarge())
      return
    }
    this.#chunks?.push(chunk)
  }

  #end(): void {
    this.#ended = true
    if (!this.#tooLarge) this.#settle?.resolve(this.#body())
  }

  #body(): Buffer {
    const chunks = this.#chunks ?? []
    return chunks.length === 1
      ? (chunks[0] as Buffer)
      : Buffer.concat(chunks, this.#chunks === undefined ? 0 : this.#bytes)
  }
}

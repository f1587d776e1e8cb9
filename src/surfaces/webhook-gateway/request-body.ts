import type { IncomingMessage } from 'node:http'
import { bodiesUnderWayMaxBytes, uncountedBodyMaxBytes, webhookBodyMaxBytes } from '../../domain/limits.ts'

/** The body exceeds what is taken; how much of it has come so far does not matter. */
export class BodyTooLarge extends Error {}

/** More bodies are under way than memory may hold. */
export class TooManyBodies extends Error {}

/** How much of bodies that are still coming is held, over all senders. */
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

/** Reads a request's body, judging its size while it comes. A body that is not wanted is counted but not kept. */
export class RequestBody {
  #chunks: Buffer[] | undefined = []
  #bytes = 0
  #ended = false
  #settle: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined
  #refused: Error | undefined
  readonly #request: IncomingMessage
  readonly #underWay: BodiesUnderWay
  #countedBytes = 0

  constructor(request: IncomingMessage, underWay: BodiesUnderWay) {
    this.#request = request
    this.#underWay = underWay
    request.on('data', (chunk: Buffer) => this.#take(chunk))
    request.on('end', () => this.#end())
  }

  /** From here on the body is only counted. */
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
    if (this.#bytes > webhookBodyMaxBytes) this.#refuse(new BodyTooLarge())
    else if (this.#bytes > uncountedBodyMaxBytes && !this.#count()) this.#refuse(new TooManyBodies())
    else this.#chunks?.push(chunk)
  }

  #refuse(error: Error): void {
    this.#refused = error
    this.discard()
    this.#settle?.reject(error)
  }

  /** False when there is no room for what came. */
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

import type { IncomingMessage } from 'node:http'
import {
  arrivingBodiesMaxBytes,
  arrivingBodiesPerAddressMaxBytes,
  arrivingBodiesPerBotMaxBytes,
  uncountedBodyMaxBytes,
} from '../domain/limits/limits.ts'

/** The body exceeds its limit, according to its Content-Length or the bytes received. */
export class BodyTooLarge extends Error {}

/** A limit has been reached: on requests in flight, or on the memory for their bodies. */
export class Overloaded extends Error {}

/** The sender, or the bot, has used up its share of the memory for bodies. */
export class ShareFull extends Overloaded {}

/** Whose shares of the memory a body takes. */
export interface BodyParties {
  /** The sender's address block. */
  address: string
  /** The bot that the body is for, if any. */
  bot: string | undefined
}

/** Counts the bytes of incoming bodies in memory: in total, by address and by bot. */
export class ArrivingBodies {
  #bytes = 0
  readonly #addresses = new Shares(arrivingBodiesPerAddressMaxBytes)
  readonly #bots = new Shares(arrivingBodiesPerBotMaxBytes)

  /** Returns an error, and reserves nothing, if there is no room for the bytes. */
  reserve(bytes: number, { address, bot }: BodyParties): Overloaded | undefined {
    if (this.#bytes + bytes > arrivingBodiesMaxBytes) return new Overloaded()
    if (!this.#addresses.has(address, bytes) || !this.#bots.has(bot, bytes)) return new ShareFull()
    this.#add(bytes, { address, bot })
    return undefined
  }

  release(bytes: number, parties: BodyParties): void {
    this.#add(-bytes, parties)
  }

  #add(bytes: number, { address, bot }: BodyParties): void {
    this.#bytes += bytes
    this.#addresses.add(address, bytes)
    this.#bots.add(bot, bytes)
  }
}

/** The bytes that each party has taken of its share. */
class Shares {
  readonly #taken = new Map<string, number>()
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Returns whether the party's share has room for the bytes. */
  has(party: string | undefined, bytes: number): boolean {
    return party === undefined || (this.#taken.get(party) ?? 0) + bytes <= this.#maxBytes
  }

  add(party: string | undefined, bytes: number): void {
    if (party === undefined) return
    const taken = (this.#taken.get(party) ?? 0) + bytes
    if (taken === 0) this.#taken.delete(party)
    else this.#taken.set(party, taken)
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
  readonly #partiesOf: () => BodyParties
  #parties: BodyParties | undefined
  #countedBytes = 0

  constructor(
    request: IncomingMessage,
    { maxBytes, arriving, partiesOf }: { maxBytes: number; arriving: ArrivingBodies; partiesOf: () => BodyParties },
  ) {
    this.#request = request
    this.#maxBytes = maxBytes
    this.#arriving = arriving
    this.#partiesOf = partiesOf
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
    const refused = this.#bytes > this.#maxBytes ? new BodyTooLarge() : this.#count()
    if (refused === undefined) this.#chunks?.push(chunk)
    else this.#refuse(refused)
  }

  #refuse(error: Error): void {
    this.#refused = error
    this.discard()
    this.#settle?.reject(error)
  }

  /** Counts the received bytes. Returns an error if the memory for bodies, or a share of it, is used up. */
  #count(): Overloaded | undefined {
    if (this.#chunks === undefined || this.#bytes <= uncountedBodyMaxBytes) return undefined
    this.#parties ??= this.#partiesOf()
    const overloaded = this.#arriving.reserve(this.#bytes - this.#countedBytes, this.#parties)
    if (overloaded !== undefined) return overloaded
    // If the sender disconnects, only 'close' is emitted.
    if (this.#countedBytes === 0) this.#request.once('close', () => this.#uncount())
    this.#countedBytes = this.#bytes
    return undefined
  }

  #uncount(): void {
    if (this.#parties !== undefined) this.#arriving.release(this.#countedBytes, this.#parties)
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

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { count, network } from '../domain/limits/budget.ts'
import * as limits from '../domain/limits/limits.ts'
import { clientAddressOf } from './request-origin.ts'
import type { Turns } from './turns.ts'

/** The body is too large, or it or the query has too many parameters. */
export class BodyTooLarge extends Error {
  /** Read by Fastify. */
  readonly statusCode = 413
}

/** Returns the form or query. Throws BodyTooLarge if it has more than {@link limits.parametersMax} parameters. */
export function limitedParameters(encoded: string): string {
  const most = limits.parametersMax
  if (encoded.split('&', most + 1).length > most) throw new BodyTooLarge()
  return encoded
}

/** Too many requests are in flight, or their bodies fill the memory for them. */
export class Overloaded extends Error {
  /** Read by Fastify. */
  readonly statusCode = 503
}

/** The sender, or the bot, has used up its share of the memory for bodies. */
export class ShareFull extends Overloaded {}

export interface BodyParties {
  /** The sender's address block. */
  address: string
  bot: string | undefined
}

export class ArrivingBodies {
  #bytes = 0
  readonly #ofAddresses = new Map<string, number>()
  readonly #ofBots = new Map<string, number>()

  /**
   * Returns an error, and reserves nothing, if there is no room for the bytes. A bot gets at most as much as is then
   * left for all others, and an address half of that. So however many fill the memory, some of it stays free, and one
   * address can't use up a bot's share.
   */
  reserve(bytes: number, parties: BodyParties): Overloaded | undefined {
    const free = limits.arrivingBodiesMaxBytes - this.#bytes - bytes
    if (free < 0) return new Overloaded()
    const ofAddress = (this.#ofAddresses.get(parties.address) ?? 0) + bytes
    const ofBot = parties.bot === undefined ? 0 : (this.#ofBots.get(parties.bot) ?? 0) + bytes
    if (ofAddress > free / 2 || ofBot > free) return new ShareFull()
    this.#add(bytes, parties)
    return undefined
  }

  release(bytes: number, parties: BodyParties): void {
    this.#add(-bytes, parties)
  }

  #add(bytes: number, { address, bot }: BodyParties): void {
    this.#bytes += bytes
    count(this.#ofAddresses, address, bytes)
    if (bot !== undefined) count(this.#ofBots, bot, bytes)
  }
}

/** Divides the memory for the bodies that Fastify reads. Requests that exceed it fail with {@link Overloaded}. */
export function countArrivingBodies(app: FastifyInstance): void {
  const arriving = new ArrivingBodies()
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const { raw } = request
    const length =
      raw.headers['transfer-encoding'] === undefined ? Number(raw.headers['content-length'] ?? 0) : Infinity
    if (length > limits.uncountedBodyMaxBytes) {
      const parties = { address: network(clientAddressOf(request)), bot: undefined }
      let [received, counted] = [0, 0]
      const stop = () => {
        raw.off('data', receive)
        arriving.release(counted, parties)
        counted = 0
      }
      const receive = (chunk: Buffer) => {
        received += chunk.length
        if (received <= limits.uncountedBodyMaxBytes) return
        const refused = arriving.reserve(received - counted, parties)
        if (refused === undefined) {
          counted = received
          return
        }
        stop()
        // Fastify listens for errors as long as it reads the body. It may stop with this chunk.
        process.nextTick(() => raw.listenerCount('error') > 0 && raw.emit('error', refused))
      }
      raw.on('data', receive)
      // The request may wait for its turn with its whole body.
      reply.raw.once('close', stop)
    }
    done()
  })
}

/**
 * Returns the body if it is small and complete, else `undefined`: {@link RequestBody} reads it. Spares listening for
 * chunks (decision 0005). Relies on Node: a complete request without readers buffers its chunks, one per `read()`.
 */
export function arrivedBodyOf(request: IncomingMessage): Buffer | undefined {
  const bytes = request.readableLength
  if (!request.complete || bytes > limits.uncountedBodyMaxBytes) return undefined
  const first: Buffer = request.read() ?? emptyBody
  if (first.length === bytes) return first
  const chunks = [first]
  for (let chunk = request.read(); chunk !== null; chunk = request.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const emptyBody = Buffer.alloc(0)

export class RequestBody {
  #chunks: Buffer[] | undefined = []
  #bytes = 0
  #isRefused = false
  readonly #whole = Promise.withResolvers<Buffer>()
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  readonly #arriving: ArrivingBodies
  readonly #partiesOf: () => BodyParties
  #parties: BodyParties | undefined
  #countedBytes = 0

  constructor(
    request: IncomingMessage,
    parts: { maxBytes: number; arriving: ArrivingBodies; partiesOf: () => BodyParties; turns: Turns },
  ) {
    this.#request = request
    this.#maxBytes = parts.maxBytes
    this.#arriving = parts.arriving
    this.#partiesOf = parts.partiesOf
    // It may be refused before anybody waits for it.
    this.#whole.promise.catch(() => {})
    request.on('data', (chunk: Buffer) => this.#receive(chunk))
    // The request's turn was for its head. Reading the body's contents can take longer.
    request.on('end', () => parts.turns.take(request, () => this.#end()))
  }

  /** Drops the bytes received so far and all later ones. Still checks the body's size. */
  discard(): void {
    this.#chunks = undefined
    this.#uncount()
  }

  /**
   * Resolves with the complete body, or with an empty one if it was discarded. Never settles if the sender disconnects.
   * @throws BodyTooLarge, before the rest of the body has arrived; Overloaded.
   */
  whole(): Promise<Buffer> {
    return this.#whole.promise
  }

  #receive(chunk: Buffer): void {
    if (this.#isRefused) return
    this.#bytes += chunk.length
    const refused = this.#bytes > this.#maxBytes ? new BodyTooLarge() : this.#count()
    if (refused === undefined) {
      this.#chunks?.push(chunk)
      return
    }
    this.#isRefused = true
    this.discard()
    this.#whole.reject(refused)
  }

  #count(): Overloaded | undefined {
    if (this.#chunks === undefined || this.#bytes <= limits.uncountedBodyMaxBytes) return undefined
    this.#parties ??= this.#partiesOf()
    const overloaded = this.#arriving.reserve(this.#bytes - this.#countedBytes, this.#parties)
    if (overloaded !== undefined) return overloaded
    // If the sender disconnects, only 'close' is emitted. A complete body counts until its turn.
    if (this.#countedBytes === 0) this.#request.once('close', () => this.#request.readableEnded || this.#uncount())
    this.#countedBytes = this.#bytes
    return undefined
  }

  #uncount(): void {
    if (this.#parties !== undefined) this.#arriving.release(this.#countedBytes, this.#parties)
    this.#countedBytes = 0
  }

  #end(): void {
    this.#uncount()
    const [first = emptyBody, ...others] = this.#chunks ?? []
    this.#whole.resolve(others.length === 0 ? first : Buffer.concat([first, ...others], this.#bytes))
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { currentAddress } from '../domain/concurrency-limit.ts'
import { network } from '../domain/limits/budget.ts'
import * as limits from '../domain/limits/limits.ts'
import { clientAddress, clientAddressOf, type TrustProxy } from './request-origin.ts'

const startsPerTick = 64

interface Line {
  address: string
  starts: (() => void)[]
  rests: boolean
}

/**
 * Divides the event loop among addresses (IPv6 by /64). In each tick, an address's first request starts at once; others
 * wait for the next ticks, in turn with those of other addresses, and for `limits.refusalRestMs` after a refusal. While
 * requests wait, ticks follow each other without a pause; but many short ones take longer than a few long ones, so an
 * address that is alone doesn't wait.
 */
export class Turns {
  readonly elapsedMs: () => number
  readonly #trust: TrustProxy
  #latest: string | undefined
  #sharedUntilMs = 0
  #isShared = false
  /** The addresses that have had a request in this tick. */
  #served = new Set<string>()
  readonly #lines = new Map<string, Line>()
  /** The lines in which requests wait and whose address doesn't rest, the next one first. */
  readonly #inTurn = new Set<Line>()
  #waiting = 0
  #isEndScheduled = false
  #startUntilMs = 0

  constructor(trust: TrustProxy, elapsedMs = () => performance.now()) {
    this.#trust = trust
    this.elapsedMs = elapsedMs
  }

  /** Whether addresses other than one have sent requests in the last second. */
  get areShared(): boolean {
    return this.#isShared
  }

  get areWaiting(): boolean {
    return this.#waiting > 0
  }

  /** Lets parts of a large body wait: Node reads up to 2 MiB at once, and many of those exceed a turn. */
  readInTurn(request: IncomingMessage): void {
    const { 'transfer-encoding': coding, 'content-length': length } = request.headers
    if (coding === undefined && Number(length ?? 0) <= limits.uncountedBodyMaxBytes) return
    let bytes = 0
    request.once('resume', () => {
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes <= limits.uncountedBodyMaxBytes) return
        request.pause()
        this.take(request, () => request.resume())
      })
    })
  }

  /**
   * @param start is called now or in a later tick. The connection may be closed by then.
   * @param response If its status is an error, the address rests.
   */
  take(request: IncomingMessage, start: () => void, response?: ServerResponse): void {
    const address = network(clientAddress(request, this.#trust))
    this.#latest ??= address
    if (address !== this.#latest) {
      this.#latest = address
      this.#sharedUntilMs = Number.POSITIVE_INFINITY
      this.#isShared = true
    }
    if (this.#isShared) response?.once('close', () => response.statusCode >= 400 && this.#rest(address))
    if (this.#lines.has(address) || this.#served.has(address)) {
      const line = this.#line(address)
      line.starts.push(start)
      if (!line.rests) this.#inTurn.add(line)
      this.#waiting += 1
    } else {
      if (this.#isShared) {
        this.#served.add(address)
        this.#scheduleEnd()
      }
      start()
    }
  }

  #line(address: string): Line {
    return this.#lines.getOrInsert(address, { address, starts: [], rests: false })
  }

  #rest(address: string): void {
    const line = this.#line(address)
    if (line.rests) return
    line.rests = true
    this.#inTurn.delete(line)
    setTimeout(() => {
      line.rests = false
      this.#keep(line)
      this.#scheduleEnd()
    }, limits.refusalRestMs)
  }

  /** Puts a line behind the others, or drops it if no request waits in it. */
  #keep(line: Line): void {
    if (line.starts.length > 0) this.#inTurn.add(line)
    else this.#lines.delete(line.address)
  }

  #scheduleEnd(): void {
    if (!this.#isEndScheduled) setImmediate(this.#endTick)
    this.#isEndScheduled = true
  }

  readonly #endTick = (): void => {
    const nowMs = this.elapsedMs()
    this.#isEndScheduled = false
    this.#served = new Set()
    // From the end of the tick, because one tick can take longer than the whole time.
    this.#sharedUntilMs = Math.min(this.#sharedUntilMs, nowMs + limits.turnsAfterOtherAddressMs)
    if (this.#inTurn.size === 0) {
      this.#isShared = nowMs < this.#sharedUntilMs
      return
    }
    this.#startUntilMs = nowMs + limits.waitingRequestsPerTickMs
    this.#scheduleEnd()
    // Each is an immediate of its own, so that the time that a request takes includes what it awaits.
    for (let n = 0; n < Math.min(this.#waiting, startsPerTick); n += 1) setImmediate(this.#startNext)
  }

  readonly #startNext = (): void => {
    if (this.elapsedMs() >= this.#startUntilMs) return
    const [line] = this.#inTurn
    if (line === undefined) return
    this.#inTurn.delete(line)
    const start = line.starts.shift()
    this.#waiting -= 1
    this.#keep(line)
    start?.()
  }
}

/**
 * Returns a function for the apps with pages and the API for owners. While other addresses have requests, too, those of
 * an address begin one after the other, each in another tick and once its body has arrived. Each reads the database
 * several times, and if many responses arrived in one tick, all other requests would wait for them.
 *
 * A request that waits begins some time after the response to the one before: `limits.requestPauseTimes` as long as that
 * one took, so an address with many requests uses a fraction of the time. Or it begins `limits.requestTurnMs` after the
 * one before has begun: streams stay open, and some requests wait for other servers. A service that stops doesn't pause.
 */
export function oneInTurn(turns: Turns): (app: FastifyInstance) => void {
  const waiting = new Map<string, (() => void)[]>()
  let isStopping = false
  const begin = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const address = network(clientAddressOf(request))
    const inContext = () => currentAddress.run(address, done)
    if (!turns.areShared) return inContext()
    const beginNext = () => {
      const next = waiting.get(address)?.shift()
      if (next === undefined) waiting.delete(address)
      else next()
    }
    const start = () => {
      // Nobody reads the response of a read whose connection has closed.
      if (isRead(request) && reply.raw.destroyed) return void setImmediate(beginNext)
      const beganMs = turns.elapsedMs()
      const pause = () => {
        if (isStopping || waiting.get(address)?.length === 0) beginNext()
        else setTimeout(beginNext, limits.requestPauseTimes * (turns.elapsedMs() - beganMs))
      }
      whenClosedOrLate(reply.raw, pause, beginNext)
      // Not `done` itself: another request may call `start`.
      inContext()
    }
    const line = waiting.get(address)
    if (line !== undefined) return void line.push(start)
    waiting.set(address, [])
    start()
  }
  return (app) => {
    app.addHook('preClose', (done) => {
      isStopping = true
      done()
    })
    app.addHook('onRequest', (request, reply, done) => (isRead(request) ? begin(request, reply, done) : done()))
    app.addHook('preValidation', (request, reply, done) => (isRead(request) ? done() : begin(request, reply, done)))
  }
}

/** Fastify reads no body of these. */
function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Calls one of the functions once, in another tick. The connection can have closed while the request waited. */
function whenClosedOrLate(response: ServerResponse, closed: () => void, late: () => void): void {
  if (response.destroyed) return void setImmediate(closed)
  const onClose = () => {
    clearTimeout(timeout)
    setImmediate(closed)
  }
  const timeout = setTimeout(() => {
    response.off('close', onClose)
    late()
  }, limits.requestTurnMs)
  response.once('close', onClose)
}

import type { ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import { network } from '../domain/limits/budget.ts'
import { InFlightRequests, RawRequest, type RawResponse, type Received, writeResponse } from './raw-exchange.ts'
import { ArrivingBodies, arrivedBodyOf, BodyTooLarge, Overloaded, RequestBody } from './request-body.ts'
import type { ResponseCounts } from './request-metrics.ts'
import { clientAddress, type TrustProxy } from './request-origin.ts'
import type { Turns } from './turns.ts'

export type Respond = (request: RawRequest) => RawResponse | Promise<RawResponse>

/** One path with a handler per method. Only POST requests have a body. */
export interface RawRoute {
  /** Pattern for metrics and logs, such as `/botstatus/:botRef/api`. It is also the path, unless `path` is given. */
  pattern: string
  /** Regular expression for the route's paths. Its groups are the request's parameters. */
  path?: RegExp
  methods: Readonly<Record<string, Respond>>
  otherMethod: Respond
}

/** What every surface with raw routes passes on from its listener. */
export interface RawParts {
  clock: Clock
  trust: TrustProxy
  turns: Turns
  /** `undefined` if the responses aren't counted. */
  counts: ResponseCounts | undefined
}

interface RawSurface extends RawParts {
  routes: readonly RawRoute[]
  botOf?: (request: RawRequest) => string | undefined
  /** Receives a debug line for each response. */
  log?: FastifyBaseLogger
  bodyMaxBytes: number
  /** Maximum number of requests in flight, that is, complete but without a response. */
  inFlightMax?: number
  /** Response to a request that has been in flight for longer than `ms`. The response closes the connection. */
  deadline?: { ms: number; respond: () => RawResponse }
  /** Returns the response for an error thrown by a handler, including BodyTooLarge and Overloaded. Must not reject. */
  refuse: (error: unknown, request: RawRequest) => RawResponse | Promise<RawResponse>
}

interface Handling {
  request: RawRequest
  respond: Respond
}

const requestsPerTick = 512
const deadlineCheckedEveryMs = 1_000

/** Routes directly on `node:http`, for paths where a framework would cost more than the response (decision 0005). */
export class RawRoutes {
  readonly #surface: RawSurface
  readonly #literal: ReadonlyMap<string, RawRoute>
  readonly #patterns: readonly RawRoute[]
  /** Requests with a body are handled at the end of their tick. By then, most bodies have fully arrived. */
  readonly #arrived = new TickQueue<Handling>(requestsPerTick, (handling) => this.#read(handling))
  readonly #bodies = new ArrivingBodies()
  readonly #inFlight = new InFlightRequests()
  readonly #batch = responseBatch()
  readonly #shed = new TickQueue<() => void>(shedPerTick, (send) => send())
  readonly #stopDeadline: (() => void) | undefined

  constructor(surface: RawSurface) {
    const { routes, deadline, clock } = surface
    this.#surface = surface
    this.#literal = new Map(routes.filter(({ path }) => path === undefined).map((route) => [route.pattern, route]))
    this.#patterns = routes.filter(({ path }) => path !== undefined)
    this.#stopDeadline = deadline && clock.every(deadlineCheckedEveryMs, () => this.#meetDeadline(deadline))
  }

  close(): void {
    this.#stopDeadline?.()
  }

  /** Returns whether the request matches one of the routes, and so is handled. */
  handle(received: Received): boolean {
    const found = this.#find(received.path)
    if (found === undefined) return false
    const { route, parameters } = found
    const { method = '', headers } = received.request
    const respond = route.methods[method]
    const request = new RawRequest(received, route.pattern, parameters, this.#enter)
    if (respond === undefined) this.#respond({ request, respond: route.otherMethod })
    else if (method !== 'POST') this.#respond({ request, respond })
    else if (Number(headers['content-length'] ?? 0) > this.#surface.bodyMaxBytes)
      this.#fail(request, new BodyTooLarge())
    else if (received.awaitsContinue) this.#read({ request, respond })
    else this.#arrived.add({ request, respond })
    return true
  }

  patternOf(path: string): string | undefined {
    return this.#find(path)?.route.pattern
  }

  #find(path: string): { route: RawRoute; parameters: readonly string[] } | undefined {
    const literal = this.#literal.get(path)
    if (literal !== undefined) return { route: literal, parameters: [] }
    for (const route of this.#patterns) {
      const match = route.path?.exec(path)
      if (match) return { route, parameters: match.slice(1) }
    }
    return undefined
  }

  #read(handling: Handling): void {
    const { request } = handling
    request.source = arrivedBodyOf(request.message) ?? this.#arrivingBodyOf(request)
    this.#respond(handling)
  }

  #arrivingBodyOf(request: RawRequest): RequestBody {
    const { bodyMaxBytes: maxBytes, trust, turns, botOf } = this.#surface
    const partiesOf = () => ({ address: network(clientAddress(request.message, trust)), bot: botOf?.(request) })
    return new RequestBody(request.message, { maxBytes, arriving: this.#bodies, partiesOf, turns })
  }

  #respond({ request, respond }: Handling): void {
    try {
      const raw = respond(request)
      if (!(raw instanceof Promise)) this.#send(request, raw)
      else
        raw.then(
          (settled) => this.#send(request, settled),
          (error) => this.#fail(request, error),
        )
    } catch (error) {
      this.#fail(request, error)
    }
  }

  readonly #enter = (request: RawRequest): void => {
    const { inFlightMax = Number.POSITIVE_INFINITY, clock } = this.#surface
    if (this.#inFlight.count + this.#arrived.length + this.#batch.length >= inFlightMax) throw new Overloaded()
    this.#inFlight.add(request, clock.nowMs())
  }

  #send(request: RawRequest, raw: RawResponse): void {
    this.#inFlight.remove(request)
    if (request.isOverdue) return
    this.#surface.counts?.note(request.pattern, raw.status)
    const { response, ending } = request
    const pending = { response, raw, ending, bodyMaxBytes: this.#surface.bodyMaxBytes }
    // The end of a tick in which requests take turns is a long way off.
    if (this.#surface.turns.areWaiting) write(pending)
    else this.#batch.add(pending)
    this.#surface.log?.debug({ route: request.pattern, res: { statusCode: raw.status } }, 'request completed')
  }

  #fail(request: RawRequest, error: unknown): void {
    this.#inFlight.remove(request)
    if (request.source instanceof RequestBody) {
      request.decisiveError(error, request.source).then((cause) => this.#refuse(request, cause))
    } else {
      this.#refuse(request, error)
    }
  }

  #refuse(request: RawRequest, error: unknown): void {
    const refused = this.#surface.refuse(error, request)
    if (error instanceof BodyTooLarge) request.response.shouldKeepAlive = false
    if (refused instanceof Promise) refused.then((raw) => this.#send(request, raw))
    else if (error instanceof Overloaded && this.#shed.length < delayedMax)
      this.#shed.add(() => this.#send(request, refused))
    else this.#send(request, refused)
  }

  #meetDeadline({ ms, respond }: NonNullable<RawSurface['deadline']>): void {
    const { clock, bodyMaxBytes } = this.#surface
    for (const request of this.#inFlight.takeSince(clock.nowMs() - ms)) {
      request.isOverdue = true
      const raw = respond()
      this.#surface.counts?.note(request.pattern, raw.status)
      writeResponse(request.response, raw, { last: true, bodyMaxBytes })
    }
  }
}

/**
 * Defers items to the end of the event-loop tick, in order, at most `limit` per tick. An item may be handled several
 * ticks later, so its handler must check the state of request and connection again.
 */
export class TickQueue<T> {
  #items: T[] = []
  readonly #limit: number
  readonly #handle: (item: T) => void

  constructor(limit: number, handle: (item: T) => void) {
    this.#limit = limit
    this.#handle = handle
  }

  get length(): number {
    return this.#items.length
  }

  add(item: T): void {
    if (this.#items.push(item) === 1) setImmediate(() => this.#endTick())
  }

  #endTick(): void {
    const items = this.#items
    this.#items = items.length > this.#limit ? items.splice(this.#limit) : []
    if (this.#items.length > 0) setImmediate(() => this.#endTick())
    for (const item of items) {
      try {
        this.#handle(item)
      } catch (error) {
        // Rethrow outside the loop, as an uncaught exception, so that the remaining items are still handled.
        process.nextTick(() => {
          throw error
        })
      }
    }
  }
}

/** Maximum responses per tick. Each triggers its client's next request, so the limit bounds how long others wait. */
const responsesPerTick = 512

interface Pending {
  response: ServerResponse
  raw: RawResponse
  /** If it returns true when the response is written, the response closes its connection. */
  ending: () => boolean
  bodyMaxBytes: number
}

/** Returns a queue that sends a tick's responses at its end: the first write, which wakes the client, costs most. */
export function responseBatch(): TickQueue<Pending> {
  return new TickQueue(responsesPerTick, write)
}

function write({ response, raw, ending, bodyMaxBytes }: Pending): void {
  writeResponse(response, raw, { last: ending(), bodyMaxBytes })
}

/**
 * Maximum responses per tick that reject requests because of overload. A rejected client sends its next request, and
 * rejecting that costs nearly as much as serving it. A node with spare capacity runs many ticks, so the delay is short.
 * Waiting is safe: a rejected request holds no lock, no place in a queue, and only its own memory.
 */
const shedPerTick = 128
/** Maximum number of delayed responses. Any others are sent immediately. */
const delayedMax = 20_000

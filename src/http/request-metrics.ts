import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import { newId } from '../domain/ids-and-secrets.ts'
import * as limits from '../domain/limits/limits.ts'
import { clientAddress, type TrustProxy } from './request-origin.ts'

export class ResponseCounts {
  readonly #byRoute = new Map<string, Map<number, number>>()
  readonly #onUnavailable: () => void

  constructor(onUnavailable: () => void = () => {}) {
    this.#onUnavailable = onUnavailable
  }

  /** @param route the route's pattern. Never the requested path, because a label must have few distinct values. */
  note(route: string, status: number): void {
    if (status === 503) this.#onUnavailable()
    const byStatus = this.#byRoute.getOrInsertComputed(route, () => new Map())
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  }

  all(): { route: string; status: number; count: number }[] {
    return [...this.#byRoute].flatMap(([route, byStatus]) =>
      [...byStatus].map(([status, count]) => ({ route, status, count })),
    )
  }
}

/** Each label must have few distinct values. */
type Labels = Readonly<Record<string, string>>

interface Repeated {
  level: 'info' | 'error'
  fields: object
  /** The error ID in the line of the first one. */
  errorId: string | undefined
  /** Number of rejections with these fields since the last log line about them. */
  count: number
}

/**
 * Counts rejected requests, and logs them readably in a flood: a subject's first at once, later ones as a count per
 * {@link refusalsLoggedEveryMs}. Subjects beyond {@link refusalSubjectsLoggedMax} share a line per cause. The debug
 * level logs each rejection.
 */
export class Refusals {
  readonly #parts: { log: FastifyBaseLogger; clock: Clock; message: string }
  readonly #counts = new Map<string, { labels: Labels; count: number }>()
  readonly #repeated = new Map<string, Repeated>()
  #subjects = 0
  #stop: (() => void) | undefined

  /** @param parts.message names the event, such as `webhook rejected`. */
  constructor(parts: { log: FastifyBaseLogger; clock: Clock; message: string }) {
    this.#parts = parts
  }

  /**
   * @param labels the cause, and other labels with few distinct values.
   * @param subject the sender or target. It is logged, so it must not contain secrets.
   * @param more only for the request's own line, at level error if it has an `err`: the service is at fault.
   * @returns the error ID in the request's own or shared line; `undefined` if other subjects share it.
   */
  note(
    labels: Labels,
    subject: object,
    more: { errorId?: string; [detail: string]: unknown } = {},
  ): string | undefined {
    const { log, clock, message } = this.#parts
    this.#count(labels)
    const fields = { ...labels, ...subject }
    const level = more.err === undefined ? 'info' : 'error'
    const known = this.#repeated.get(JSON.stringify(fields))
    if (known !== undefined) {
      known.count += 1
      log.debug({ ...more, ...fields }, message)
      return known.errorId
    }
    this.#stop ??= clock.every(limits.refusalsLoggedEveryMs, () => this.#summarize())
    if (this.#subjects === limits.refusalSubjectsLoggedMax) {
      const together = { ...labels, subjects: 'many' }
      const key = JSON.stringify(together)
      const count = (this.#repeated.get(key)?.count ?? 0) + 1
      this.#repeated.set(key, { level, fields: together, errorId: undefined, count })
      log.debug({ ...more, ...fields }, message)
      return undefined
    }
    this.#subjects += 1
    this.#repeated.set(JSON.stringify(fields), { level, fields, errorId: more.errorId, count: 0 })
    log[level]({ ...more, ...fields }, message)
    return more.errorId
  }

  get counts(): Iterable<{ labels: Labels; count: number }> {
    return this.#counts.values()
  }

  /** Logs the rejections that have been counted but not logged yet, and stops the timer. */
  close(): void {
    this.#summarize()
    this.#stop?.()
    this.#stop = undefined
  }

  #count(labels: Labels): void {
    const key = Object.values(labels).join(' ')
    this.#counts.getOrInsert(key, { labels, count: 0 }).count += 1
  }

  /** Logs the counts. Forgets subjects without a new rejection, so that their next one is logged immediately. */
  #summarize(): void {
    const { log, message } = this.#parts
    for (const [key, { level, fields, count }] of this.#repeated) {
      if (count === 0) this.#repeated.delete(key)
      else log[level]({ ...fields, count }, `${message} (repeated)`)
    }
    for (const repeated of this.#repeated.values()) repeated.count = 0
    this.#subjects = this.#repeated.size
    if (this.#subjects > 0) return
    this.#stop?.()
    this.#stop = undefined
  }
}

/** Counts and logs Fastify requests (level debug, faults error) by route: a URL may contain a code or a state. */
export class RequestLog extends LogController {
  readonly #counts: ResponseCounts
  readonly #access: AccessLog | undefined

  constructor(counts: ResponseCounts, access: AccessLog | undefined) {
    super()
    this.#counts = counts
    this.#access = access
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const route = request.routeOptions.url ?? 'none'
    this.#counts.note(route, reply.statusCode)
    this.#access?.noteRoute(request.raw, route)
    const ms = Math.round(reply.elapsedTime)
    if (error)
      reply.log.error(
        { req: request, requestId: requestIdOf(request.raw, reply.raw), res: reply, ms, err: error },
        'response failed',
      )
    else reply.log.debug({ req: request, res: reply, ms }, 'request completed')
  }

  override defaultErrorLog(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.statusCode >= 500)
      reply.log.error({ req: request, requestId: requestIdOf(request.raw, reply.raw), err: error }, 'request failed')
    else reply.log.debug({ req: request, err: error }, 'request rejected')
  }

  override routeNotFound(): void {}
}

export type AccessLog = ReturnType<typeof accessLog>

/**
 * Logs a line per request, with the path's pattern as in {@link RequestLog}, if `ACCESS_LOG` is set, and adds a request
 * ID to responses. Attached to the server, so that it costs nothing when off.
 */
export function accessLog({ log, trust }: { log: FastifyBaseLogger; trust: TrustProxy }) {
  const routes = new WeakMap<IncomingMessage, string>()
  return {
    /** @param routeOf returns the pattern of a path that isn't routed by the framework. */
    watch(server: Server, surface: string, routeOf: (path: string) => string | undefined): void {
      function note(request: IncomingMessage, response: ServerResponse): void {
        const begunMs = performance.now()
        const requestId = givenRequestId(request) ?? newId()
        const client = clientAddress(request, trust)
        response.setHeader(requestIdHeader, requestId)
        response.once('close', () => {
          const route = routes.get(request) ?? routeOf((request.url ?? '').split('?')[0] ?? '') ?? 'none'
          const status = response.headersSent ? response.statusCode : 'cut'
          const ms = Math.round((performance.now() - begunMs) * 10) / 10
          log.info({ requestId, surface, method: request.method, route, status, ms, client }, 'access')
        })
      }
      server.prependListener('request', note)
      // If nothing listens for `checkContinue`, Node sends `100 Continue` itself and then emits `request`.
      if (server.listenerCount('checkContinue') > 0) server.prependListener('checkContinue', note)
    },

    noteRoute: (request: IncomingMessage, route: string) => void routes.set(request, route),
  }
}

/** Excludes anything that could be mistaken for another log line. */
const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/

const requestIdHeader = 'x-request-id'

function givenRequestId({ headers }: IncomingMessage): string | undefined {
  const given = headers[requestIdHeader]
  return typeof given === 'string' && wellFormed.test(given) ? given : undefined
}

/** Returns the ID for log lines about this request: the one in its response, or else the one in the request. */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string | undefined {
  const answered = response.getHeader(requestIdHeader)
  return typeof answered === 'string' ? answered : givenRequestId(request)
}

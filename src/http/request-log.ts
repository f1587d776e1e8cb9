import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { AccessLog } from './access-log.ts'
import { requestIdOf } from './request-id.ts'
import type { ResponseCounts } from './response-counts.ts'

/**
 * Logs and counts Fastify requests: one line per request at debug level, and faults at error level. Uses the route's
 * pattern instead of the URL, which may contain a code or a state.
 */
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
    this.#counts.route(route).note(reply.statusCode)
    this.#access?.noteRoute(request.raw, route)
    const ms = Math.round(reply.elapsedTime)
    if (error)
      reply.log.error({ req: request, requestId: idOf(request, reply), res: reply, ms, err: error }, 'response failed')
    else reply.log.debug({ req: request, res: reply, ms }, 'request completed')
  }

  override defaultErrorLog(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.statusCode >= 500)
      reply.log.error({ req: request, requestId: idOf(request, reply), err: error }, 'request failed')
    else reply.log.debug({ req: request, err: error }, 'request rejected')
  }

  override routeNotFound(): void {}
}

function idOf({ raw }: FastifyRequest, reply: FastifyReply): string | undefined {
  return requestIdOf(raw, reply.raw)
}

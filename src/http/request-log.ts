import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { AnswerCounts } from './answer-counts.ts'

/**
 * What Fastify logs and counts of requests, by the route's pattern and never by the address, which may carry a code or a
 * state: one line a request at debug, and every fault of a surface at error.
 */
export class RequestLog extends LogController {
  readonly #answers: AnswerCounts

  constructor(answers: AnswerCounts) {
    super()
    this.#answers = answers
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    this.#answers.route(request.routeOptions.url ?? 'none').note(reply.statusCode)
    const ms = Math.round(reply.elapsedTime)
    if (error) reply.log.error({ req: request, res: reply, ms, err: error }, 'answered with a fault')
    else reply.log.debug({ req: request, res: reply, ms }, 'answered')
  }

  override defaultErrorLog(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.statusCode >= 500) reply.log.error({ req: request, err: error }, 'a request failed')
    else reply.log.debug({ req: request, err: error }, 'a request was refused')
  }

  override routeNotFound(): void {}
}

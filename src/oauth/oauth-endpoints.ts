import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Origin } from '../domain/audit/audit-event.ts'
import type { Clock } from '../domain/clock.ts'
import {
  oauthRequestsInHandMax,
  overloadRetryAfterSeconds,
  requestBodyMaxBytes,
  unavailableRetryAfterSeconds,
} from '../domain/limits/limits.ts'
import type { Refusal } from '../domain/refusal.ts'
import { StoreUnavailable } from '../domain/store-unavailable.ts'
import { type Answer, AnswerBatch } from '../http/answer-batch.ts'
import type { AnswerCounts, RouteCounts } from '../http/answer-counts.ts'
import { clientAddress, type TrustProxy } from '../http/client-address.ts'
import type { RawAnswer } from '../http/new-app.ts'
import { PerTurn } from '../http/per-turn.ts'
import { Refusals } from '../http/refusals.ts'
import {
  arrivedBodyOf,
  BodiesUnderWay,
  BodyTooLarge,
  emptyBody,
  RequestBody,
  TooManyBodies,
} from '../http/request-body.ts'
import { requestIdOf } from '../http/request-id.ts'
import { ShedAnswers } from '../http/shed-answers.ts'
import { isOAuthRefusal, OAuthRefusal, oauthErrorAnswer, oauthJson } from './error-reply.ts'

/** One request to an OAuth endpoint, its body read whole. */
export interface OAuthRequest {
  headers: IncomingHttpHeaders
  body: Buffer
  /** Who sent it, for the audit and for counting failures. */
  from(): Origin
}

/** One OAuth address that programs call. What `answer` throws is told by the table of OAuth errors. */
export interface OAuthEndpoint {
  method: 'GET' | 'POST'
  path: string
  answer(request: OAuthRequest): Promise<Answer>
}

interface Arrived {
  endpoint: OAuthEndpoint
  answers: RouteCounts
  request: IncomingMessage
  response: ServerResponse
  ending: () => boolean
}

const requestsPerTurn = 512

/**
 * The OAuth endpoints on `node:http`, before the framework sees the request: each is one address with one kind of
 * body and one shape of error, and the framework would cost as much as the answer (decision 0016).
 */
export class OAuthEndpoints {
  readonly #endpoints: ReadonlyMap<string, { endpoint: OAuthEndpoint; answers: RouteCounts }>
  readonly #trust: TrustProxy
  readonly #log: FastifyBaseLogger
  /** Rejected requests, for metrics and the log. */
  readonly refusals: Refusals
  /** Taken at the end of their turn, by which most bodies are whole. */
  readonly #arrived = new PerTurn<Arrived>(requestsPerTurn, (arrived) => this.#take(arrived))
  readonly #batch = new AnswerBatch()
  readonly #shed = new ShedAnswers()
  readonly #underWay = new BodiesUnderWay()
  #inHand = 0

  constructor(parts: {
    endpoints: readonly OAuthEndpoint[]
    trust: TrustProxy
    log: FastifyBaseLogger
    clock: Clock
    answers: AnswerCounts
  }) {
    this.#endpoints = new Map(
      parts.endpoints.map((endpoint) => [endpoint.path, { endpoint, answers: parts.answers.route(endpoint.path) }]),
    )
    this.#trust = parts.trust
    this.#log = parts.log
    this.refusals = new Refusals({ log: parts.log, clock: parts.clock, message: 'OAuth request rejected' })
  }

  /** Answers the request if it is to one of the endpoints, and returns whether it was. */
  handle: RawAnswer = (request, response, ending) => {
    const address = request.url ?? ''
    const query = address.indexOf('?')
    const found = this.#endpoints.get(query === -1 ? address : address.slice(0, query))
    if (found === undefined) return false
    const { endpoint, answers } = found
    if (request.method !== endpoint.method) {
      request.resume()
      this.#send(answers, response, methodNotAllowed(endpoint.method))
    } else {
      const arrived = { endpoint, answers, request, response, ending }
      if (endpoint.method === 'POST') this.#arrived.add(arrived)
      else this.#take(arrived)
    }
    return true
  }

  /** The pattern of an address that is one of the endpoints. */
  routeOf(path: string): string | undefined {
    return this.#endpoints.get(path)?.endpoint.path
  }

  #take(arrived: Arrived): void {
    const { endpoint, answers, request, response, ending } = arrived
    this.#answer(endpoint, request)
      .catch((error) => this.#answerFailure(error, arrived))
      .then((answer) => {
        const send = () => {
          if (ending()) response.shouldKeepAlive = false
          this.#send(answers, response, answer)
        }
        if (answer === overloaded) this.#shed.add(send)
        else send()
      })
  }

  #send(answers: RouteCounts, response: ServerResponse, answer: Answer): void {
    answers.note(answer.status)
    this.#batch.send(response, answer)
  }

  async #answer(endpoint: OAuthEndpoint, request: IncomingMessage): Promise<Answer> {
    const body = endpoint.method === 'POST' ? (arrivedBodyOf(request) ?? (await this.#read(request))) : emptyBody
    // Counted once it is whole: those who send slowly take nobody's place.
    if (this.#inHand + this.#arrived.waiting + this.#batch.waiting >= oauthRequestsInHandMax) return overloaded
    const from = () => ({
      userAgent: request.headers['user-agent'],
      address: clientAddress(request, this.#trust),
    })
    this.#inHand += 1
    try {
      return await endpoint.answer({ headers: request.headers, body, from })
    } finally {
      this.#inHand -= 1
    }
  }

  /** @throws OAuthRefusal `body-too-large`, before the rest of the body has arrived; TooManyBodies. */
  async #read(request: IncomingMessage): Promise<Buffer> {
    try {
      return await new RequestBody(request, { maxBytes: requestBodyMaxBytes, underWay: this.#underWay }).whole()
    } catch (error) {
      throw error instanceof BodyTooLarge ? new OAuthRefusal('body-too-large') : error
    }
  }

  #answerFailure(error: unknown, { endpoint: { path: route }, request, response }: Arrived): Answer {
    const requestId = requestIdOf(request, response)
    if (isOAuthRefusal(error)) {
      this.#noteRefusal(error, route, request, requestId)
      if (error.reason === 'body-too-large') response.shouldKeepAlive = false
      return oauthErrorAnswer(error)
    }
    if (error instanceof StoreUnavailable) {
      this.refusals.note({ route, cause: 'unavailable' }, {}, { requestId, err: error })
      return unavailable
    }
    if (error instanceof TooManyBodies) return overloaded
    this.#log.error({ requestId, err: error }, 'OAuth request failed')
    return fault
  }

  #noteRefusal(error: Refusal<string>, route: string, request: IncomingMessage, requestId: string | undefined): void {
    const { reason, detail } = error
    // Metric labels need few values. Only this reason's details come from a fixed list.
    const why = reason === 'client-authentication-failed' ? detail : undefined
    const clientId = error instanceof OAuthRefusal ? error.clientId : undefined
    const client = clientAddress(request, this.#trust)
    this.refusals.note({ route, cause: why ?? reason }, { clientId, client }, { requestId, reason, detail })
  }
}

const unavailable = oauthJson(
  503,
  {
    error: 'temporarily_unavailable',
    error_description: 'The service can not reach its data right now. Try again in a moment.',
  },
  ['retry-after', String(unavailableRetryAfterSeconds)],
)

const overloaded = oauthJson(
  503,
  {
    error: 'temporarily_unavailable',
    error_description: 'The service has more requests in hand than it can answer soon. Try again in a moment.',
  },
  ['retry-after', String(overloadRetryAfterSeconds)],
)

const fault = oauthJson(500, {
  error: 'server_error',
  error_description: 'The service failed at this request. Try again; if it persists, tell its operator the time.',
})

function methodNotAllowed(method: string): Answer {
  const body = { error: 'invalid_request', error_description: `This address takes ${method} only.` }
  return oauthJson(405, body, ['allow', method])
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../domain/clock.ts'
import { parseBotId } from '../../domain/ids.ts'
import { webhookAcceptDeadlineMs, webhookBodyMaxBytes, webhooksInHandMax } from '../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { parseWebhookPath } from '../../domain/webhook-path.ts'
import type { Listener } from '../../domain/webhooks/listener.ts'
import { WebhookRefusal, type Webhooks } from '../../domain/webhooks/webhooks.ts'
import type { AnswerCounts, RouteCounts } from '../../http/answer-counts.ts'
import { clientAddress, type TrustProxy } from '../../http/client-address.ts'
import { PerTurn } from '../../http/per-turn.ts'
import { Refusals } from '../../http/refusals.ts'
import { arrivedBodyOf, BodiesUnderWay, BodyTooLarge, RequestBody, TooManyBodies } from '../../http/request-body.ts'
import { requestIdOf } from '../../http/request-id.ts'
import { ShedAnswers } from '../../http/shed-answers.ts'
import { type Answer, refuse, send } from './answer.ts'
import { WaitingAnswers } from './waiting-answers.ts'
import {
  accepted,
  internalError,
  methodNotAllowed,
  notFound,
  overloaded,
  payloadTooLarge,
  wireErrors,
} from './wire-errors.ts'

export interface WebhookGatewayParts {
  webhooks: Webhooks
  trust: TrustProxy
  log: FastifyBaseLogger
  clock: Clock
  answers: AnswerCounts
  /** Whether answers end their connection, because the listener is on its way out. */
  ending: () => boolean
}

/** One request to an address of two segments or more. */
export interface WebhookRequest {
  request: IncomingMessage
  response: ServerResponse
  /** As in the address, not yet known to be ids of anything. */
  botId: string
  path: string
  /** The sender waits for `100 Continue` before it sends the body. */
  waits: boolean
}

const route = '/:botId/:path'

/** More webhooks wait for the disk than it takes in a moment. */
class TooManyInHand extends Error {}

const watchEveryMs = 1_000
const webhooksPerTurn = 512

/**
 * `POST {api_url}/{botId}/{path}`, in the order of the contract, section 7: method, size, bot and path, key, and
 * durable acceptance. This is the hottest path of the service, so it stands on `node:http` alone.
 */
export class WebhookGateway {
  readonly #webhooks: Webhooks
  readonly #trust: TrustProxy
  readonly #log: FastifyBaseLogger
  readonly #ending: () => boolean
  readonly #answers: RouteCounts
  readonly #clock: Clock
  readonly #underWay = new BodiesUnderWay()
  /** Taken at the end of their turn, by which most are whole. */
  readonly #arrived = new PerTurn<WebhookRequest>(webhooksPerTurn, (webhook) => this.#take(webhook))
  readonly #waiting = new WaitingAnswers()
  readonly #shed = new ShedAnswers()
  readonly #stopWatching: () => void
  /** Rejected webhooks, for metrics and the log. */
  readonly refusals: Refusals

  constructor(parts: WebhookGatewayParts) {
    this.#webhooks = parts.webhooks
    this.#trust = parts.trust
    this.#log = parts.log
    this.#ending = parts.ending
    this.#answers = parts.answers.route(route)
    this.#clock = parts.clock
    this.refusals = new Refusals({ log: parts.log, clock: parts.clock, message: 'webhook rejected' })
    this.#stopWatching = parts.clock.every(watchEveryMs, () => this.#answerLate())
  }

  close(): void {
    this.#stopWatching()
    this.refusals.close()
  }

  handle(webhook: WebhookRequest): void {
    const { request } = webhook
    if (request.method !== 'POST') {
      this.#refuseWith(webhook, methodNotAllowed)
    } else if (Number(request.headers['content-length'] ?? 0) > webhookBodyMaxBytes) {
      this.#noteRefusal(webhook, 'too-large')
      this.#refuseWith(webhook, payloadTooLarge)
    } else if (webhook.waits) {
      this.#take(webhook)
    } else {
      this.#arrived.add(webhook)
    }
  }

  async #take(webhook: WebhookRequest): Promise<void> {
    const body =
      arrivedBodyOf(webhook.request) ??
      new RequestBody(webhook.request, { maxBytes: webhookBodyMaxBytes, underWay: this.#underWay })
    try {
      const admission = this.#admit(webhook)
      const listener = admission instanceof Promise ? await admission : admission
      const whole = body instanceof RequestBody ? await this.#rest(webhook, body) : body
      if (this.#waiting.count + this.#arrived.waiting >= webhooksInHandMax) throw new TooManyInHand()
      const waiting = this.#waiting.add(webhook.response, this.#clock.nowMs())
      try {
        await this.#accept(listener, webhook, whole)
      } finally {
        this.#waiting.remove(waiting)
      }
      this.#answers.note(202)
      send(webhook.response, accepted, this.#ending())
    } catch (error) {
      this.#refuse(webhook, body instanceof RequestBody ? await this.#overriding(error, webhook, body) : error)
    }
  }

  #accept(listener: Listener, { request, path }: WebhookRequest, body: Buffer): Promise<void> {
    const { headers } = request
    return this.#webhooks.accept(listener, {
      path,
      headers: {
        contentType: headers['content-type'],
        userAgent: headers['user-agent'],
        forwardedFor: onlyString(headers['x-forwarded-for']),
        requestId: onlyString(headers['x-request-id']),
      },
      requestHeaders: headers,
      clearTextKey: onlyString(headers['svc-key']),
      clientIp: clientAddress(request, this.#trust),
      body,
    })
  }

  /** While the size is still open, it may turn out that too large comes before whatever was found. */
  async #overriding(error: unknown, webhook: WebhookRequest, body: RequestBody): Promise<unknown> {
    body.discard()
    if (webhook.request.complete || webhook.request.headers['transfer-encoding'] === undefined) return error
    if (error instanceof BodyTooLarge) return error
    try {
      await this.#rest(webhook, body)
      return error
    } catch (tooLarge) {
      return tooLarge
    }
  }

  #admit({ request, botId, path }: WebhookRequest): Listener | Promise<Listener> {
    const knownBotId = parseBotId(botId)
    const knownPath = parseWebhookPath(path)
    if (knownBotId === undefined || knownPath === undefined) throw new WebhookRefusal('no-listener')
    return this.#webhooks.admit(knownBotId, knownPath, onlyString(request.headers['svc-key']))
  }

  #rest({ response, waits }: WebhookRequest, body: RequestBody): Promise<Buffer> {
    if (waits) response.writeContinue()
    return body.whole()
  }

  /** What the disk keeps waiting for too long is answered without it. */
  #answerLate(): void {
    const lateMs = this.#clock.nowMs() - webhookAcceptDeadlineMs
    for (const response of this.#waiting.takeWaitingSince(lateMs)) {
      this.#answers.note(503)
      this.refusals.note({ cause: 'too-slow' }, {})
      send(response, wireErrors['gateway-unavailable'], true)
    }
  }

  #refuse(webhook: WebhookRequest, error: unknown): void {
    if (error instanceof BodyTooLarge) {
      this.#noteRefusal(webhook, 'too-large')
      this.#refuseWith(webhook, payloadTooLarge)
    } else if (error instanceof TooManyBodies || error instanceof TooManyInHand) {
      this.refusals.note({ cause: 'overloaded' }, {})
      this.#shed.add(() => this.#refuseWith(webhook, overloaded))
    } else if (error instanceof WebhookRefusal) {
      this.#noteRefusal(webhook, error.reason, error.cause)
      this.#refuseWith(webhook, wireErrors[error.reason])
    } else if (error instanceof StoreUnavailable) {
      // Who listens can't be read, so nobody can say that it is nobody.
      this.#noteRefusal(webhook, 'listener-unreadable', error)
      this.#refuseWith(webhook, wireErrors['gateway-unavailable'])
    } else {
      this.#log.error({ requestId: requestIdOf(webhook.request, webhook.response), err: error }, 'webhook failed')
      this.#refuseWith(webhook, internalError)
    }
  }

  #noteRefusal({ request, response, botId }: WebhookRequest, cause: string, err?: unknown): void {
    const client = clientAddress(request, this.#trust)
    const more = { requestId: requestIdOf(request, response), ...(err !== undefined && { err }) }
    // The path isn't logged: it can be the only secret that a sender needs.
    this.refusals.note({ cause }, { botId: parseBotId(botId), client }, more)
  }

  #refuseWith({ request, response }: WebhookRequest, answer: Answer): void {
    this.#answers.note(answer.status)
    refuse(request, response, answer, this.#ending())
  }
}

/** Everything else on the gateway's address. */
export function refuseUnknownAddress(request: IncomingMessage, response: ServerResponse, last: boolean): void {
  refuse(request, response, notFound, last)
}

/** Node joins repeated headers of these names, so they are never lists. */
function onlyString(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

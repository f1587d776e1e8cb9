import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { BotStatus } from '../../domain/bots/status/bot-status.ts'
import type { Clock } from '../../domain/clock.ts'
import type { RequestCount } from '../../domain/limits/request-count.ts'
import { type Answer, AnswerBatch } from '../../http/answer-batch.ts'
import type { AnswerCounts, RouteCounts } from '../../http/answer-counts.ts'
import { clientAddress, type TrustProxy } from '../../http/client-address.ts'
import { internalFailure, limitExceeded, methodNotAllowed, notFound, preflight, statusHeaders } from './contract.ts'
import { RequestLimit } from './rate-limit.ts'

export interface BotStatusParts {
  bots: Pick<Bots, 'statusBoard'>
  clock: Clock
  trust: TrustProxy
  log: FastifyBaseLogger
  /** Of each address, over all nodes. */
  requests: RequestCount
  answers: AnswerCounts
}

const route = '/botstatus/:botRef/api'
const address = /^\/botstatus\/([^/?]+)\/api(?:\?|$)/

/**
 * `{base_url}/botstatus/{botRef}/api`: the status record, for anybody, where the bot's owner has opened it.
 * On `node:http` without the framework: pages all over the web poll it, and the framework would cost more than
 * the answer.
 */
export class BotStatusApi {
  readonly #bots: Pick<Bots, 'statusBoard'>
  readonly #clock: Clock
  readonly #trust: TrustProxy
  readonly #log: FastifyBaseLogger
  readonly #limit: RequestLimit
  readonly #answers: RouteCounts
  readonly #batch = new AnswerBatch()
  /** Records as JSON up to the value of `checkedAt`. One is asked for again and again, and only its end differs. */
  readonly #opened = new WeakMap<BotStatus, string>()

  constructor({ bots, clock, trust, log, requests, answers }: BotStatusParts) {
    this.#answers = answers.route(route)
    this.#bots = bots
    this.#clock = clock
    this.#trust = trust
    this.#log = log
    this.#limit = new RequestLimit(clock, requests)
  }

  /** Answers the request if it is for this address, and returns whether it was. */
  handle = (request: IncomingMessage, response: ServerResponse): boolean => {
    const botRef = address.exec(request.url ?? '')?.[1]
    if (botRef === undefined) return false
    try {
      this.#answer(request, response, botRef)
    } catch (error) {
      this.#fail(response, error)
    }
    return true
  }

  /** The pattern of an address that is answered here. */
  routeOf(path: string): string | undefined {
    return address.test(path) ? route : undefined
  }

  #answer(request: IncomingMessage, response: ServerResponse, botRef: string): void {
    if (request.method === 'OPTIONS') {
      this.#send(response, preflight)
      return
    }
    const taken = this.#limit.take(clientAddress(request, this.#trust))
    if (taken instanceof Promise) {
      taken
        .then((retryAfterSec) => this.#answerCounted(request, response, botRef, retryAfterSec))
        .catch((error) => this.#fail(response, error))
    } else {
      this.#answerCounted(request, response, botRef, taken)
    }
  }

  #answerCounted(
    request: IncomingMessage,
    response: ServerResponse,
    botRef: string,
    retryAfterSec: number | undefined,
  ): void {
    if (retryAfterSec !== undefined) {
      this.#send(response, limitExceeded(retryAfterSec))
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      this.#send(response, methodNotAllowed)
      return
    }
    const text = botRef.includes('%') ? decoded(botRef) : botRef
    const remembered = this.#bots.statusBoard.recall(text)?.status
    if (remembered !== undefined) {
      this.#sendStatus(response, remembered)
      return
    }
    this.#bots.statusBoard.find(text).then(
      (bot) => (bot === undefined ? this.#send(response, notFound) : this.#sendStatus(response, bot.status)),
      (error) => this.#fail(response, error),
    )
  }

  #sendStatus(response: ServerResponse, status: BotStatus): void {
    let opened = this.#opened.get(status)
    if (opened === undefined) {
      opened = `${JSON.stringify(status).slice(0, -1)},"checkedAt":`
      this.#opened.set(status, opened)
    }
    this.#send(response, { status: 200, headers: statusHeaders, body: `${opened}${this.#clock.nowMs()}}` })
  }

  #fail(response: ServerResponse, error: unknown): void {
    this.#log.error({ err: error }, 'bot status failed')
    this.#send(response, internalFailure)
  }

  #send(response: ServerResponse, answer: Answer): void {
    this.#batch.send(response, answer)
    this.#answers.note(answer.status)
    this.#log.debug({ route, res: { statusCode: answer.status } }, 'answered')
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { parseWebhookPath } from '../../domain/bots/record-rules.ts'
import { type BotId, type FlowId, parseBotId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import type { Listener } from '../../domain/webhooks/listener.ts'
import type { RefusalCause, RefusalLog } from '../../domain/webhooks/refusal-log.ts'
import { WebhookRefusal, type WebhookRefusalReason, type Webhooks } from '../../domain/webhooks/webhooks.ts'
import type { RawRequest, RawResponse } from '../../http/raw-exchange.ts'
import { type RawParts, RawRoutes } from '../../http/raw-routes.ts'
import { BodyTooLarge, Overloaded, ShareFull } from '../../http/request-body.ts'
import type { Refusals } from '../../http/request-metrics.ts'
import { clientAddress } from '../../http/request-origin.ts'
import {
  accepted,
  internalError,
  methodNotAllowed,
  overloaded,
  payloadTooLarge,
  webhookPattern,
  wireErrors,
} from './wire-errors.ts'

interface WebhookGatewayParts extends RawParts {
  webhooks: Webhooks
  refusalLog: Pick<RefusalLog, 'record'>
  log: FastifyBaseLogger
  refusals: Refusals
}

/** `POST {api_url}/{botId}/{path}`, the hottest path. Its checks have the order of the contract's section 7. */
export function webhookRoutes(parts: WebhookGatewayParts): RawRoutes {
  const { webhooks, refusalLog, log, refusals, clock, trust, turns, counts } = parts
  async function accept(request: RawRequest): Promise<RawResponse> {
    const { message, parameters } = request
    const { headers } = message
    const [, path = ''] = parameters
    const clearTextKey = onlyString(headers['svc-key'])
    const admission = admit(request, clearTextKey)
    const admitted = admission instanceof Promise ? await admission : admission
    const arrived = request.body()
    const body = arrived instanceof Promise ? await arrived : arrived
    // Its bot, flow or key may have been removed while the body arrived.
    const listener = arrived instanceof Promise ? await admit(request, clearTextKey, admitted) : admitted
    await webhooks.accept(listener, {
      path,
      headers: {
        contentType: headers['content-type'],
        userAgent: headers['user-agent'],
        forwardedFor: onlyString(headers['x-forwarded-for']),
        requestId: onlyString(headers['x-request-id']),
      },
      requestHeaders: headers,
      clearTextKey,
      clientIp: clientAddress(message, trust),
      body,
    })
    return accepted
  }

  function admit(request: RawRequest, clearTextKey: string | undefined, admitted?: Listener) {
    const botId = botOf(request)
    if (botId === undefined) throw new WebhookRefusal('bot-unknown')
    return webhooks.admit(botId, pathOf(request), clearTextKey, admitted)
  }

  function refuse(error: unknown, request: RawRequest): RawResponse | Promise<RawResponse> {
    if (error instanceof BodyTooLarge) return refuseTooLarge(request)
    if (error instanceof ShareFull) {
      noteRefusal(request, { cause: 'share-full', botId: botOf(request) })
      return overloaded
    }
    if (error instanceof Overloaded) {
      refusals.note({ cause: 'overloaded' }, {})
      return overloaded
    }
    if (error instanceof WebhookRefusal) {
      const botId = error.reason === 'bot-unknown' ? undefined : botOf(request)
      noteRefusal(request, { cause: error.reason, botId, err: error.cause })
      const cause = error.about.fault ?? causes[error.reason]
      if (botId !== undefined && cause !== undefined)
        recordRefusal(request, { cause, botId, flowId: error.about.flowId })
      return wireErrors[error.reason]
    }
    if (error instanceof StoreUnavailable) {
      // Not a 404, because the listener may exist.
      noteRefusal(request, { cause: 'listener-unreadable', err: error })
      return wireErrors['gateway-unavailable']
    }
    log.error({ requestId: request.id, err: error }, 'webhook failed')
    return internalError
  }

  /** The size is checked before bot and path. */
  async function refuseTooLarge(request: RawRequest): Promise<RawResponse> {
    const cause = 'too-large'
    const botId = botOf(request)
    const unread = (error: unknown) => noteRefusal(request, { cause: 'listener-unreadable', err: error })
    const found = botId && (await webhooks.find(botId, pathOf(request)).catch(unread))
    if (botId === undefined || !found || found === 'bot-unknown') {
      noteRefusal(request, { cause })
    } else {
      noteRefusal(request, { cause, botId })
      recordRefusal(request, { cause, botId, flowId: typeof found === 'object' ? found.flowId : undefined })
    }
    return payloadTooLarge
  }

  /** @param refused.botId only if the bot exists. Otherwise, invented bots would use up the lines in the log. */
  function noteRefusal(
    { id, message }: RawRequest,
    { cause, botId, err }: { cause: string; botId?: BotId | undefined; err?: unknown },
  ): void {
    const client = clientAddress(message, trust)
    // The path may be the only secret that a sender needs.
    refusals.note({ cause }, { botId, client }, { requestId: id, ...(err !== undefined && { err }) })
  }

  function recordRefusal(
    request: RawRequest,
    refused: { cause: RefusalCause; botId: BotId; flowId: FlowId | undefined },
  ): void {
    const path = (refused.cause === 'path-unknown' && pathOf(request)) || undefined
    refusalLog.record({ ...refused, address: clientAddress(request.message, trust), path })
  }

  return new RawRoutes({
    ...{ clock, trust, turns, counts },
    routes: [
      {
        pattern: webhookPattern,
        path: /^\/([^/]+)\/(.*)$/s,
        methods: { POST: accept },
        otherMethod: () => methodNotAllowed,
      },
    ],
    botOf,
    bodyMaxBytes: limits.webhookBodyMaxBytes,
    inFlightMax: limits.webhooksInFlightMax,
    deadline: {
      ms: limits.webhookAcceptDeadlineMs,
      respond() {
        refusals.note({ cause: 'too-slow' }, {})
        return wireErrors['gateway-unavailable']
      },
    },
    refuse,
  })
}

function botOf({ parameters: [botId = ''] }: RawRequest): BotId | undefined {
  return parseBotId(botId)
}

/** A malformed path becomes an empty one, which no flow has. */
function pathOf({ parameters: [, path = ''] }: RawRequest): string {
  return parseWebhookPath(path) ?? ''
}

/** Causes that don't depend on the sender's key or signature. */
const causes: Partial<Record<WebhookRefusalReason, RefusalCause>> = {
  'no-listener': 'path-unknown',
  'secret-unreadable': 'secret-unreadable',
  'queue-full': 'queue-full',
}

/** Node joins repeated headers with these names, so they are never arrays. */
function onlyString(value: IncomingMessage['headers'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}

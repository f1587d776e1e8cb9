import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { parseWebhookPath } from '../../domain/bots/record-rules.ts'
import type { Clock } from '../../domain/clock.ts'
import { type FlowId, parseBotId } from '../../domain/ids.ts'
import { webhookAcceptDeadlineMs, webhookBodyMaxBytes, webhooksInFlightMax } from '../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import type { Listener } from '../../domain/webhooks/listener.ts'
import type { RefusalCause, RefusalLog } from '../../domain/webhooks/refusal-log.ts'
import { WebhookRefusal, type WebhookRefusalReason, type Webhooks } from '../../domain/webhooks/webhooks.ts'
import { clientAddress, type TrustProxy } from '../../http/client-address.ts'
import type { RawRequest } from '../../http/raw-request.ts'
import type { RawResponse } from '../../http/raw-response.ts'
import { RawRoutes } from '../../http/raw-routes.ts'
import { BodyTooLarge, Overloaded } from '../../http/request-body.ts'
import type { Refusals, ResponseCounts } from '../../http/request-metrics.ts'
import {
  accepted,
  internalError,
  methodNotAllowed,
  overloaded,
  payloadTooLarge,
  webhookPattern,
  wireErrors,
} from './wire-errors.ts'

interface WebhookGatewayParts {
  webhooks: Webhooks
  refusalLog: Pick<RefusalLog, 'record'>
  trust: TrustProxy
  log: FastifyBaseLogger
  clock: Clock
  counts: ResponseCounts
  refusals: Refusals
}

/**
 * `POST {api_url}/{botId}/{path}`, the service's hottest path. The checks follow the order in section 7 of the
 * contract: method, size, bot and path, key, durable acceptance.
 */
export function webhookRoutes({
  webhooks,
  refusalLog,
  trust,
  log,
  clock,
  counts,
  refusals,
}: WebhookGatewayParts): RawRoutes {
  async function accept(request: RawRequest): Promise<RawResponse> {
    const { message, parameters } = request
    const { headers } = message
    const [botId = '', path = ''] = parameters
    const clearTextKey = onlyString(headers['svc-key'])
    const admission = admit(botId, path, clearTextKey)
    const listener = admission instanceof Promise ? await admission : admission
    const arrived = request.body()
    const body = arrived instanceof Promise ? await arrived : arrived
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

  function admit(botId: string, path: string, clearTextKey: string | undefined): Listener | Promise<Listener> {
    const knownBotId = parseBotId(botId)
    const knownPath = parseWebhookPath(path)
    if (knownBotId === undefined || knownPath === undefined) throw new WebhookRefusal('no-listener')
    return webhooks.admit(knownBotId, knownPath, clearTextKey)
  }

  function refuse(error: unknown, request: RawRequest): RawResponse {
    if (error instanceof BodyTooLarge) {
      noteRefusal(request, 'too-large')
      recordRefusal(request, 'too-large')
      return payloadTooLarge
    }
    if (error instanceof Overloaded) {
      refusals.note({ cause: 'overloaded' }, {})
      return overloaded
    }
    if (error instanceof WebhookRefusal) {
      noteRefusal(request, error.reason, error.cause)
      const cause = error.fault ?? causes[error.reason]
      if (cause !== undefined) recordRefusal(request, cause, error.flowId)
      return wireErrors[error.reason]
    }
    if (error instanceof StoreUnavailable) {
      // Not a 404, because the listener may exist.
      noteRefusal(request, 'listener-unreadable', error)
      return wireErrors['gateway-unavailable']
    }
    log.error({ requestId: request.id, err: error }, 'webhook failed')
    return internalError
  }

  function noteRefusal({ id, message, parameters: [botId = ''] }: RawRequest, cause: string, err?: unknown): void {
    const client = clientAddress(message, trust)
    // The path isn't logged, because it may be the only secret that a sender needs.
    refusals.note({ cause }, { botId: parseBotId(botId), client }, { requestId: id, ...(err !== undefined && { err }) })
  }

  /** Collects the refusal for the bot's owner. Without `flowId`, uses the flow that is known to listen on the path. */
  function recordRefusal({ message, parameters }: RawRequest, cause: RefusalCause, flowId?: FlowId): void {
    const [botId, path] = [parseBotId(parameters[0] ?? ''), parseWebhookPath(parameters[1] ?? '')]
    if (botId === undefined) return
    const address = clientAddress(message, trust)
    if (cause === 'path-unknown') refusalLog.record({ botId, flowId: undefined, cause, address, path })
    else
      refusalLog.record({
        botId,
        flowId: flowId ?? (path === undefined ? undefined : webhooks.rememberedFlow(botId, path)),
        cause,
        address,
      })
  }

  return new RawRoutes({
    routes: [
      {
        pattern: webhookPattern,
        path: /^\/([^/]+)\/(.*)$/s,
        methods: { POST: accept },
        otherMethod: () => methodNotAllowed,
      },
    ],
    clock,
    counts,
    bodyMaxBytes: webhookBodyMaxBytes,
    inFlightMax: webhooksInFlightMax,
    deadline: {
      ms: webhookAcceptDeadlineMs,
      respond() {
        refusals.note({ cause: 'too-slow' }, {})
        return wireErrors['gateway-unavailable']
      },
    },
    refuse,
  })
}

/** Causes of refusals that don't depend on the sender's key or signature. */
const causes: Partial<Record<WebhookRefusalReason, RefusalCause>> = {
  'no-listener': 'path-unknown',
  'queue-full': 'queue-full',
}

/** Returns the header's value. Node joins repeated headers with these names, so they are never arrays. */
function onlyString(value: IncomingMessage['headers'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}

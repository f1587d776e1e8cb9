import type { BotId } from '../../domain/ids.ts'
import { leaseMs, runtimeHeartbeatMs, runtimeMaxCredit } from '../../domain/limits.ts'
import type { Delivery } from '../../domain/webhooks/delivery-queue.ts'

/** The frames that the service sends (contract, section 6), as text. */

export function helloFrame(session: string): string {
  return JSON.stringify({
    type: 'hello',
    session,
    heartbeatMs: runtimeHeartbeatMs,
    leaseMs,
    maxCredit: runtimeMaxCredit,
  })
}

export function welcomeFrame(welcome: {
  bots: readonly BotId[]
  refused: readonly { botId: string; reason: string }[]
  lost: readonly string[]
}): string {
  return JSON.stringify({ type: 'welcome', ...welcome })
}

export function botsFrame(change: { add: readonly BotId[]; remove: readonly BotId[] }): string {
  return JSON.stringify({ type: 'bots', ...change })
}

export function dispatchFrame(event: Delivery): string {
  const { headers, body } = event
  return JSON.stringify({
    type: 'dispatch',
    delivery: event.delivery,
    id: event.id,
    attempt: event.attempt,
    botId: event.botId,
    flowId: event.flowId,
    path: event.path,
    acceptedAt: event.acceptedAtMs,
    clientIp: event.clientIp,
    // Those that were not sent are undefined and so absent.
    headers: {
      'content-type': headers.contentType,
      'user-agent': headers.userAgent,
      'x-forwarded-for': headers.forwardedFor,
      'x-request-id': headers.requestId,
    },
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
    replayOf: event.replayOf,
  })
}

export function heartbeatFrame(now: number, lost: readonly string[]): string {
  return JSON.stringify({ type: 'heartbeat', now, lost })
}

export function drainFrame(inMs: number): string {
  return JSON.stringify({ type: 'drain', inMs })
}

export function errorFrame(code: 'malformed' | 'out-of-order', message: string): string {
  return JSON.stringify({ type: 'error', code, message })
}

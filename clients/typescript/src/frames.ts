import type { LogEntry } from './runtime-log.ts'
import type { BotReport, ReportedBot } from './values.ts'

/** The frames of the runtime link. Each is a JSON object with a `type`, sent as one text message. */

export const subprotocol = 'gatehouse.runtime.v1'

export type ServiceFrame =
  | { type: 'hello'; session: string; heartbeatMs: number; leaseMs: number; maxCredit: number }
  | { type: 'welcome'; bots: string[]; refused: RefusedBot[]; lost: string[] }
  | { type: 'bots'; add: string[]; remove: string[] }
  | DispatchFrame
  | { type: 'heartbeat'; now: number; lost: string[] }
  | { type: 'drain'; inMs: number }
  | { type: 'error'; code: string; message: string }

export interface DispatchFrame {
  type: 'dispatch'
  /** ID of this attempt. */
  delivery: string
  /** The event's ID, which is the same for all attempts and unique across bots. */
  id: string
  attempt: number
  botId: string
  flowId: string
  path: string
  acceptedAt: number
  clientIp: string
  headers: WebhookHeaders
  /** The body, encoded in Base64. */
  body: string
  replayOf?: string
  /** Present if a user sent the webhook with the service's tester. */
  test?: true
  /** Trace context, present if the service's operator collects traces. */
  traceparent?: string
}

/** The headers that the gateway forwards. A header that was not sent is absent. */
export interface WebhookHeaders {
  'content-type'?: string
  'user-agent'?: string
  'x-forwarded-for'?: string
  'x-request-id'?: string
}

/** A bot that this runtime requested but does not host. */
export interface RefusedBot {
  botId: string
  reason: string
}

export type RuntimeFrame =
  | { type: 'ready'; instance: string; agent: string; credit: number; bots?: readonly string[]; working: string[] }
  | AnswerFrame
  | { type: 'heartbeat'; bots: ReportedBot[]; working: string[] }
  | { type: 'credit'; n: number }
  | { type: 'log'; entries: LogEntry[] }
  | { type: 'bye' }

export type AnswerFrame =
  | { type: 'ack'; deliveries: string[] }
  | { type: 'nack'; delivery: string; error?: string; retryMs?: number; dead?: true }

const knownTypes = ['hello', 'welcome', 'bots', 'dispatch', 'heartbeat', 'drain', 'error']

/** Parses a message. Returns `undefined` for unknown messages, which are ignored because the service may be newer. */
export function readServiceFrame(message: unknown): ServiceFrame | undefined {
  if (typeof message !== 'string') return undefined
  let value: unknown
  try {
    value = JSON.parse(message)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined
  return knownTypes.includes(String(value.type)) ? (value as ServiceFrame) : undefined
}

/**
 * Returns a hosted bot's state. Called for each bot on every heartbeat. If it returns `undefined` or a wrong value,
 * nothing is reported and the bot counts as offline.
 */
export type BotReportSource = (botId: string) => BotReport | null | undefined

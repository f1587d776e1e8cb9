import { Buffer } from 'node:buffer'
import type { DispatchFrame, WebhookHeaders } from './frames.ts'
import type { LogLevel } from './runtime-log.ts'

/** A webhook on its way to a flow of a bot. */
export interface WebhookEvent {
  /**
   * The event's ID: the same for all its attempts and unique across bots. At most 78 of `[A-Za-z0-9_-]`. Use it to
   * deduplicate; with an earlier service, compare `botId` as well.
   */
  readonly id: string
  /** 1 for the first time this event is handed out. */
  readonly attempt: number
  readonly botId: string
  readonly flowId: string
  readonly path: string
  readonly acceptedAt: Date
  readonly clientIp: string
  readonly headers: WebhookHeaders
  /** As received, at most 1 MiB. */
  readonly body: Uint8Array
  /** The event that this one repeats, when the owner replayed it. */
  readonly replayOf: string | undefined
  /**
   * The trace context of this attempt (W3C Trace Context), where the service's operator collects traces: send it along with
   * what is asked of others, and it is part of the same trace.
   */
  readonly traceparent: string | undefined
  /** The body as UTF-8. */
  text(): string
  /** The body as JSON. @throws SyntaxError when it is none */
  json(): unknown
}

/** What a handler may do beside returning (done) and throwing (try again later). */
export interface WebhookContext {
  /** Aborted when this attempt was lost, and the event will be handed out again, or when leaving took too long. */
  readonly signal: AbortSignal
  /** Not done: hand it out again after `ms` milliseconds, at most 24 hours. Holds once the handler returns or throws. */
  retryIn(ms: number, reason?: string): void
  /** Never try again: the owner finds it among the dead letters. Holds once the handler returns or throws. */
  dead(reason: string): void
  /** Writes into the runtime log of the event's bot. */
  log(level: LogLevel, message: string): void
}

/** Returning means done, throwing that the attempt failed; its message is what the bot's owner sees. */
export type WebhookHandler = (event: WebhookEvent, context: WebhookContext) => unknown

export function webhookEvent(frame: DispatchFrame): WebhookEvent {
  const bytes = Buffer.from(frame.body, 'base64')
  return {
    id: frame.id,
    attempt: frame.attempt,
    botId: frame.botId,
    flowId: frame.flowId,
    path: frame.path,
    acceptedAt: new Date(frame.acceptedAt),
    clientIp: frame.clientIp,
    headers: frame.headers,
    body: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    replayOf: frame.replayOf,
    traceparent: frame.traceparent,
    text: () => bytes.toString('utf8'),
    json: () => JSON.parse(bytes.toString('utf8')),
  }
}

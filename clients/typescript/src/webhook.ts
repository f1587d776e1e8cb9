import { Buffer } from 'node:buffer'
import type { DispatchFrame, WebhookHeaders } from './frames.ts'
import type { LogLevel } from './values.ts'

/** A webhook for a bot's flow. */
export interface WebhookEvent {
  /**
   * ID of the event, which is the same for all attempts and unique across bots. At most 78 characters of
   * `[A-Za-z0-9_-]`. Use it to deduplicate. With older versions of the service, compare `botId` as well.
   */
  readonly id: string
  /** 1-based number of the attempt. */
  readonly attempt: number
  readonly botId: string
  readonly flowId: string
  readonly path: string
  readonly acceptedAt: Date
  readonly clientIp: string
  readonly headers: WebhookHeaders
  /** The body as received, at most 1 MiB. */
  readonly body: Uint8Array
  /** ID of the original event, if the owner replayed it. */
  readonly replayOf: string | undefined
  /** Whether a user sent it with the service's tester, past the flow's key and signature. */
  readonly test: boolean
  /**
   * Trace context of this attempt (W3C Trace Context), if the service's operator collects traces. Forward it in your
   * own requests to make them part of the trace.
   */
  readonly traceparent: string | undefined
  /** Returns the body as UTF-8. */
  text(): string
  /** Parses the body as JSON in UTF-8, with or without a byte order mark. @throws SyntaxError if it is anything else. */
  json(): unknown
}

/** Passed to the handler with each event: an abort signal, the bot's log, and functions to request another outcome. */
export interface WebhookContext {
  /** Aborted when the runtime ends or this attempt is lost. The event will then be redelivered. */
  readonly signal: AbortSignal
  /** Requests a retry after `ms` milliseconds, at most 24 hours. Takes effect when the handler returns or throws. */
  retryIn(ms: number, reason?: string): void
  /** Makes the event a dead letter, which the owner can replay. Takes effect when the handler returns or throws. */
  dead(reason: string): void
  /** Writes to the log of the event's bot. */
  log(level: LogLevel, message: string): void
}

/**
 * Handles a webhook. Returning finishes the event. Throwing fails the attempt and shows the error message to the bot's
 * owner.
 */
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
    test: frame.test === true,
    traceparent: frame.traceparent,
    text: () => bytes.toString('utf8'),
    json: () => parseJson(bytes),
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw new SyntaxError(`the body is not JSON in UTF-8: ${(cause as Error).message}`, { cause })
  }
}

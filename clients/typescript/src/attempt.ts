import type { DispatchFrame } from './frames.ts'
import { cut, type LogLevel } from './runtime-log.ts'
import { type WebhookHandler, webhookEvent } from './webhook.ts'

/** The service shows this much of an error to the bot's owner. */
const errorMaxCharacters = 4_096
const retryMaxMs = 24 * 3_600_000

export type AttemptOutcome = { kind: 'done' } | { kind: 'failed'; error: string; retryMs?: number; dead?: true }

interface AttemptParts {
  handle: WebhookHandler
  signal: AbortSignal
  log: (botId: string, level: LogLevel, message: string) => void
  /** The handler threw: the error is the `cause`. */
  onProblem: (problem: Error) => void
}

/** Lets the handler work on an event once. Never rejects. */
export async function attempt(
  frame: DispatchFrame,
  { handle, signal, log, onProblem }: AttemptParts,
): Promise<AttemptOutcome> {
  let wish: { error: string; retryMs?: number; dead?: true } | undefined
  try {
    await handle(webhookEvent(frame), {
      signal,
      retryIn(ms, reason = 'to be tried again later') {
        if (!(ms >= 0)) throw new RangeError(`retryIn takes milliseconds from 0, not ${ms}`)
        wish = { error: cut(reason, errorMaxCharacters), retryMs: Math.min(ms, retryMaxMs) }
      },
      dead(reason) {
        wish = { error: cut(reason, errorMaxCharacters), dead: true }
      },
      log: (level, message) => log(frame.botId, level, message),
    })
    return wish === undefined ? { kind: 'done' } : { kind: 'failed', ...wish }
  } catch (error) {
    // An aborted handler throws because it was told to stop.
    if (!signal.aborted) onProblem(new Error(`attempt ${frame.attempt} of event ${frame.id} failed`, { cause: error }))
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return { kind: 'failed', error: cut(message, errorMaxCharacters), ...wish }
  }
}

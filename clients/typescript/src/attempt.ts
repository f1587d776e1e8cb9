import type { DispatchFrame } from './frames.ts'
import { cut, type LogLevel } from './runtime-log.ts'
import { type WebhookHandler, webhookEvent } from './webhook.ts'

/** Length to which the service truncates an error message. */
const errorMaxCharacters = 4_096
const retryMaxMs = 24 * 3_600_000

export type AttemptOutcome = { kind: 'done' } | { kind: 'failed'; error: string; retryMs?: number; dead?: true }

interface AttemptParts {
  handle: WebhookHandler
  signal: AbortSignal
  log: (botId: string, level: LogLevel, message: string) => void
  /** Called if the handler throws. Its error is the `cause`. */
  onProblem: (problem: Error) => void
}

/** Runs the handler on an event once. Never rejects. */
export async function attempt(
  frame: DispatchFrame,
  { handle, signal, log, onProblem }: AttemptParts,
): Promise<AttemptOutcome> {
  let request: { error: string; retryMs?: number; dead?: true } | undefined
  try {
    await handle(webhookEvent(frame), {
      signal,
      retryIn(ms, reason = 'retry requested') {
        if (!(ms >= 0)) throw new RangeError(`retryIn needs 0 or more milliseconds, got ${ms}`)
        request = { error: cut(reason, errorMaxCharacters), retryMs: Math.min(ms, retryMaxMs) }
      },
      dead(reason) {
        request = { error: cut(reason, errorMaxCharacters), dead: true }
      },
      log: (level, message) => log(frame.botId, level, message),
    })
    return request === undefined ? { kind: 'done' } : { kind: 'failed', ...request }
  } catch (error) {
    // An error thrown after the abort is expected and not reported.
    if (!signal.aborted) onProblem(new Error(`attempt ${frame.attempt} of event ${frame.id} failed`, { cause: error }))
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return { kind: 'failed', error: cut(message, errorMaxCharacters), ...request }
  }
}

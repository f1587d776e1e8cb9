import type { RefusedBot } from './frames.ts'

export type RuntimeState =
  | { kind: 'connecting' }
  /** The runtime hosts these bots. Reported again whenever the list changes. */
  | { kind: 'hosting'; bots: readonly string[]; refused: readonly RefusedBot[] }
  /**
   * Disconnected with this close code, or 1006 if there was none. The next attempt follows after `retryInMs`. `drained`
   * is `true` if the service had asked the runtime to reconnect.
   */
  | { kind: 'waiting'; retryInMs: number; code: number; reason: string; drained: boolean }
  | ({ kind: 'ended' } & RuntimeEnd)

/**
 * `left` means that {@link Runtime.leave} was called. `refused` means that the service rejected this runtime
 * permanently.
 */
export type RuntimeEnd = { why: 'left' } | { why: 'refused'; code: number; reason: string }

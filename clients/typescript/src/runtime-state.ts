import type { RefusedBot } from './frames.ts'

export type RuntimeState =
  | { kind: 'connecting' }
  /** The bots are hosted. Entered again whenever the list changes. */
  | { kind: 'hosting'; bots: readonly string[]; refused: readonly RefusedBot[] }
  /**
   * Disconnected with this close code (1006 if there was none). The next attempt follows after `retryInMs`. `drained` is
   * `true` if the service had asked the runtime to reconnect.
   */
  | { kind: 'waiting'; retryInMs: number; code: number; reason: string; drained: boolean }
  | ({ kind: 'ended' } & RuntimeEnd)

/** `left` after {@link Runtime.leave}. `refused` if the service rejected this runtime for good. */
export type RuntimeEnd = { why: 'left' } | { why: 'refused'; code: number; reason: string }

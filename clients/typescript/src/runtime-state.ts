import type { RefusedBot } from './frames.ts'

export type RuntimeState =
  | { kind: 'connecting' }
  /** Welcomed; told again when the bots change. */
  | { kind: 'hosting'; bots: readonly string[]; refused: readonly RefusedBot[] }
  /**
   * The connection ended with this code (1006: without one); the next try is in `retryInMs` milliseconds. `drained`: the
   * service had asked for it, which is no fault.
   */
  | { kind: 'waiting'; retryInMs: number; code: number; reason: string; drained: boolean }
  | ({ kind: 'ended' } & RuntimeEnd)

/** `left`: by {@link Runtime.leave}. `refused`: the service does not want this runtime back; `code` and `reason` say why. */
export type RuntimeEnd = { why: 'left' } | { why: 'refused'; code: number; reason: string }

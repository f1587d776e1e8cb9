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

/** The service rejected this runtime permanently. Reconnecting would fail again. */
export class RuntimeRefused extends Error {
  override name = 'RuntimeRefused'
  /** 4001: key rejected. 4002: protocol error. 4003: replaced by a newer session of the same instance. */
  readonly code: number
  readonly reason: string

  constructor({ code, reason }: { code: number; reason: string }, instance: string) {
    super(describeRefusal(code, reason, instance))
    this.code = code
    this.reason = reason
  }
}

function describeRefusal(code: number, reason: string, instance: string): string {
  switch (code) {
    case 4001:
      return `the service rejected the runtime key (4001, ${reason}); check the key, or create a new one`
    case 4003:
      return `another process with the instance name "${instance}" replaced this one (4003); give each process its own name`
    default:
      return `the service reported a protocol error (${code}, ${reason}); client and service may be of different versions`
  }
}

/** Prints a problem, and what caused it. */
export function print({ message, cause }: Error): void {
  if (cause === undefined) console.error(`gatehouse runtime: ${message}`)
  else console.error(`gatehouse runtime: ${message}:`, cause)
}

/** Prints a warning for each lost connection and each bot that is not hosted. */
export function warn(state: RuntimeState): void {
  if (state.kind === 'waiting' && !state.drained) {
    const { code, reason, retryInMs } = state
    const cause =
      code === 1006
        ? reason || 'the connection was lost'
        : `the service closed the connection (${code}${reason && `, ${reason}`})`
    console.error(`gatehouse runtime: not connected: ${cause}. Retrying in ${(retryInMs / 1_000).toFixed(1)} s.`)
  }
  if (state.kind !== 'hosting') return
  for (const { botId, reason } of state.refused) {
    console.error(`gatehouse runtime: no webhooks of bot ${botId}: ${refusedBots[reason] ?? reason}.`)
  }
  if (state.bots.length === 0 && state.refused.length === 0) {
    console.error(
      "gatehouse runtime: connected, but this key may host no bot whose hosting is on. Turn it on on the bot's page.",
    )
  }
}

const refusedBots: Record<string, string> = {
  not_allowed: 'this key may not host it',
  hosting_off: 'its hosting is off',
  unknown: 'there is no such bot',
}

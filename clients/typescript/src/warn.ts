import type { RuntimeState } from './runtime-state.ts'

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

import type { BotReportSource } from './frames.ts'
import type { RuntimeState } from './runtime-state.ts'
import type { WebhookHandler } from './webhook.ts'

export interface RuntimeOptions {
  /** URL of the gateway, such as `https://hooks.example.com`. */
  url: string | URL
  /** The runtime key, `svc_rk_…`. */
  key: string | undefined
  /**
   * Name that distinguishes this process from others of its runtime; 1 to 128 characters. Keep it across restarts: a
   * new session replaces the old one with the same name. If two processes share a name, they keep replacing each other.
   */
  instance: string
  /** Name of this program, which is shown to the operator; 1 to 128 printable characters. */
  agent?: string
  /** The bots to host. Defaults to all that the key may host. Those with invalid IDs are left out. */
  bots?: readonly string[]
  /** Maximum number of webhooks handled at the same time. Defaults to 16. */
  credit?: number
  onWebhook: WebhookHandler
  /** Returns each bot's state for the heartbeat. Without this function, the bots count as offline. */
  heartbeat?: BotReportSource
  /** Called for each heartbeat that the service answers. An answer proves that the connection works. */
  onHeartbeat?: () => void
  /**
   * Called on every state change. Useful for logs and health checks. By default, lost connections and their causes are
   * written to the console.
   */
  onState?: (state: RuntimeState) => void
  /**
   * Called for problems that end nothing, such as an error that a handler threw (the `cause`), or a wrong value that
   * was not sent. By default, they are written to the console.
   */
  onProblem?: (problem: Error) => void
}

/** Maximum number of bots that the service takes from a runtime. */
const botsMax = 10_000

/**
 * Returns the options with the URL of the runtime link and with defaults.
 *
 * @throws TypeError that names the wrong option.
 */
export function checkedOptions(options: RuntimeOptions) {
  const { key, instance, agent = '@gatehouse/runtime', bots, credit = 16, onWebhook } = options
  if (!key) throw new TypeError('"key" is missing; pass the runtime key, svc_rk_…')
  if (!/^[!-~]+$/.test(key)) throw new TypeError('"key" is not a runtime key; pass it without spaces and line breaks')
  if (!instance) throw new TypeError('"instance" is missing; pass a name for this process')
  for (const [name, value] of Object.entries({ instance, agent })) {
    if (typeof value !== 'string' || !/^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u.test(value))
      throw new TypeError(`"${name}" must have 1 to 128 printable characters`)
  }
  if (!Number.isInteger(credit) || credit < 1)
    throw new TypeError(`"credit" must be a positive whole number, not ${credit}`)
  if (bots !== undefined && (!Array.isArray(bots) || bots.length > botsMax))
    throw new TypeError(`"bots" must be an array of at most ${botsMax} IDs`)
  if (typeof onWebhook !== 'function' || /Generator/.test(Object.prototype.toString.call(onWebhook)))
    throw new TypeError('"onWebhook" must be a function that handles an event, and no generator')
  for (const name of ['heartbeat', 'onHeartbeat', 'onState', 'onProblem'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw new TypeError(`"${name}" must be a function`)
  }
  return { ...options, key, agent, credit, address: linkAddress(options.url) }
}

/**
 * Returns the URL of the runtime link. Accepts the gateway's URL, such as `https://hooks.example.com`, or the URL of
 * the link itself, such as `wss://hooks.example.com/runtime`.
 *
 * @throws TypeError if it is neither.
 */
export function linkAddress(given: string | URL): URL {
  if (!URL.canParse(String(given)))
    throw new TypeError(`"${given}" is not a URL; pass the gateway's, such as https://hooks.example.com`)
  const address = new URL(given)
  if (!/^(https?|wss?):$/.test(address.protocol)) {
    throw new TypeError(
      `The gateway's URL must start with https:// or wss:// (or http:// or ws://), not ${address.protocol}//`,
    )
  }
  if (address.username || address.password || address.search || address.hash)
    throw new TypeError("The gateway's URL has no user name, query or fragment")
  address.protocol = address.protocol.replace('http', 'ws')
  if (!address.pathname.endsWith('/runtime')) address.pathname = `${address.pathname.replace(/\/$/, '')}/runtime`
  return address
}

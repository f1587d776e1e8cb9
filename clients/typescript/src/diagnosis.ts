const probeMs = 3_000

/**
 * Returns why no WebSocket could be opened, which the WebSocket API doesn't reveal. Requests the gateway's health
 * endpoint, without the key. Never rejects.
 *
 * @param address of the runtime link, `ws://` or `wss://`.
 */
export async function diagnoseFailure(address: URL): Promise<string> {
  const health = new URL(address)
  health.protocol = address.protocol.replace('ws', 'http')
  health.pathname = address.pathname.replace(/runtime$/, 'health')
  try {
    const response = await fetch(health, { signal: AbortSignal.timeout(probeMs), redirect: 'manual' })
    const record = (await response.json().catch(() => undefined)) as { service?: unknown } | null | undefined
    if (record?.service !== 'webhooks') {
      return `${health.origin} responds (${response.status}), but not as the API URL of Gatehouse; check the URL and its port`
    }
    return (
      `Gatehouse responds at ${health.origin}, but the WebSocket failed; check that proxies in between forward WebSockets, ` +
      'and that client and service have the same version'
    )
  } catch (error) {
    return explain(error, health)
  }
}

function explain(error: unknown, { origin, hostname }: URL): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `${origin} doesn't respond`
  switch (cause?.code) {
    case 'ECONNREFUSED':
      return `nothing is listening at ${origin}; check that the service runs, and that this is its API URL`
    case 'ENOTFOUND':
      return `unknown host ${hostname}; check the URL`
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `${origin} responds without TLS; use http:// if the service is on this machine`
    default:
      return `${origin} can't be reached: ${(cause?.message || cause?.code || String(error)).trim()}`
  }
}

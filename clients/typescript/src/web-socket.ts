import { createRequire } from 'node:module'

/** The constructor as servers have it. That of browsers takes no headers, so a key can't be sent from there. */
type WebSocketWithHeaders = (address: URL, init: { protocols: string[]; headers: Record<string, string> }) => WebSocket

/**
 * Returns how to open a WebSocket: by Node's own, or before Node 22, which has none, by the package `ws`.
 *
 * @throws Error that says what to install
 */
export function webSocketWithHeaders(): WebSocketWithHeaders {
  if (typeof globalThis.WebSocket === 'function') {
    const Own = globalThis.WebSocket as unknown as new (...from: Parameters<WebSocketWithHeaders>) => WebSocket
    return (address, init) => new Own(address, init)
  }
  try {
    const { WebSocket: Package } = createRequire(import.meta.url)('ws')
    return (address, { protocols, headers }) => new Package(address, protocols, { headers, perMessageDeflate: false })
  } catch (error) {
    throw new Error(
      `Node ${process.versions.node} has no WebSocket; use Node 22 or newer, or run "npm install ws" beside this package`,
      { cause: error },
    )
  }
}

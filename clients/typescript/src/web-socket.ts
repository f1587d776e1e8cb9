import { createRequire } from 'node:module'

/**
 * Node's WebSocket constructor, which accepts request headers. The one in browsers doesn't, so it can't send the key.
 */
type WebSocketWithHeaders = (address: URL, init: { protocols: string[]; headers: Record<string, string> }) => WebSocket

/**
 * Returns a function that opens a WebSocket. Before Node 22, which has no WebSocket, it uses the package `ws`.
 *
 * @throws Error that says what to install, if there is neither.
 */
export function webSocketWithHeaders(): WebSocketWithHeaders {
  if (typeof globalThis.WebSocket === 'function') {
    const Own = globalThis.WebSocket as unknown as new (...from: Parameters<WebSocketWithHeaders>) => WebSocket
    return (address, init) => new Own(address, init)
  }
  try {
    const { WebSocket: Package } = createRequire(import.meta.url)('ws')
    return (address, { protocols, headers }) => new Package(address, protocols, { headers, perMessageDeflate: false })
  } catch {
    throw new Error(
      `Node ${process.versions.node} has no WebSocket; use Node 22 or newer, or run "npm install ws" beside this package`,
    )
  }
}

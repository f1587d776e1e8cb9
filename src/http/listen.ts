import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import { type Server as Acceptor, type AddressInfo, createServer, type Socket } from 'node:net'
import { count, network } from '../domain/limits/budget.ts'
import * as limits from '../domain/limits/limits.ts'
import { responseInFlight } from './raw-exchange.ts'
import { canonicalAddress, type TrustProxy } from './request-origin.ts'

export interface Listening {
  port: number
  /** Stops accepting; resolves when all connections are closed. Complete requests get a response, others `grace`. */
  close(grace: ClosingGrace): Promise<void>
}

/** How long clients may keep sending once the server starts closing, in milliseconds. */
export interface ClosingGrace {
  /** Limit for a connection on which nothing has arrived yet. Browsers open such connections in advance. */
  silentMs: number
  /** Limit for a connection with an incomplete request. */
  sendingMs: number
}

/** Binds the server. `localhost` binds both loopback addresses, because clients may use either one. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  timeouts: Pick<SenderTimeouts, 'stuckTimeout' | 'bodyCheckInterval'> = senderTimeouts,
  takeShare?: TakeShare,
): Promise<Listening> {
  if (takeShare !== undefined) shareConnections(server, takeShare)
  const connections = connectionsOf(server)
  // Without this, Node would answer unknown expectations itself, with an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  const acceptors = host === 'localhost' ? await bindLoopback(server, port) : [await bind(server, host, port)]
  const watches = [
    setInterval(() => watchResponses(connections, timeouts.stuckTimeout), timeouts.stuckTimeout / 4).unref(),
    setInterval(slowBodies(server, connections, timeouts), timeouts.bodyCheckInterval).unref(),
  ]
  return {
    port: acceptors[0]?.port ?? 0,
    async close({ silentMs, sendingMs }) {
      // Node stops checking for slow senders when a server closes, and its timeouts are longer than the grace period.
      const timers = [
        setTimeout(() => cut(connections, (socket) => socket.bytesRead === 0), silentMs),
        setTimeout(() => {
          for (const socket of connections) if (isIncomplete(socket)) timeOut(server, socket)
        }, sendingMs),
        setTimeout(() => cut(connections, isIncomplete), sendingMs + timeoutReadMs),
      ]
      await Promise.all(acceptors.map((acceptor) => acceptor.close()))
      for (const timer of timers) clearTimeout(timer)
      for (const watch of watches) clearInterval(watch)
    },
  }
}

function shareConnections(server: Server & { maxHeaderSize?: number | undefined }, takeShare: TakeShare): void {
  const { maxHeaderSize } = server
  // Node's own listener, which comes next, reads the size for the new connection.
  server.prependListener('connection', (socket: Socket) => {
    server.maxHeaderSize = takeShare(socket) <= limits.longHeadersPerAddress ? maxHeaderSize : undefined
  })
}

/** Returns the open HTTP connections. The set is kept up to date. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  // On a server without upgrade support, adding a listener would make Node accept upgrade requests.
  if (server.listenerCount('upgrade') > 0)
    server.on('upgrade', (_request, socket: Socket) => connections.delete(socket))
  return connections
}

/**
 * Sets Node's idle timer on connections with a response in flight. `server.setTimeout` would move a timer for each
 * request, a tenth of its time on the hot path.
 */
function watchResponses(connections: ReadonlySet<Socket>, stuckTimeout: number): void {
  for (const socket of connections) {
    if (responseInFlight(socket) !== undefined && !socket.timeout) socket.setTimeout(stuckTimeout)
  }
}

/** Returns a function that times out requests of whose bodies too little has arrived since its previous call. */
function slowBodies(
  server: Server,
  connections: ReadonlySet<Socket>,
  { bodyCheckInterval }: Pick<SenderTimeouts, 'bodyCheckInterval'>,
): () => void {
  const minBytes = (limits.bodyMinBytesPerSecond * bodyCheckInterval) / 1_000
  const seen = new WeakMap<IncomingMessage, number>()
  return () => {
    for (const socket of connections) {
      const request = responseInFlight(socket)?.req
      // While nothing reads the body, the sender isn't the slow one.
      if (request === undefined || request.complete || !request.readableFlowing) continue
      const before = seen.get(request)
      if (before !== undefined && socket.bytesRead - before < minBytes) timeOut(server, socket)
      else seen.set(request, socket.bytesRead)
    }
  }
}

function cut(connections: ReadonlySet<Socket>, which: (socket: Socket) => boolean): void {
  for (const socket of connections) if (which(socket)) socket.destroy()
}

/** Time for a client to read that its request timed out because the server closes. */
const timeoutReadMs = 500

function isIncomplete(socket: Socket): boolean {
  return !responseInFlight(socket)?.req.complete
}

/** Times out an incomplete request the way Node does, so that the response is the same. */
function timeOut(server: Server, socket: Socket): void {
  const timeout = Object.assign(new Error('request incomplete'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  server.emit('clientError', timeout, socket)
}

interface Bound {
  port: number
  close(): Promise<void>
}

async function bindLoopback(server: Server, port: number): Promise<Bound[]> {
  const first = await bind(server, '127.0.0.1', port)
  const companion = createServer((socket) => server.emit('connection', socket))
  try {
    return [first, await bind(companion, '::1', first.port)]
  } catch (error) {
    const isWithoutIpv6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '')
    if (isWithoutIpv6) return [first]
    await first.close()
    throw error
  }
}

async function bind(server: Acceptor, host: string, port: number): Promise<Bound> {
  await once(server.listen(port, host), 'listening')
  const address = server.address() as AddressInfo
  return { port: address.port, close: () => new Promise((closed) => server.close(() => closed())) }
}

/** Time limits for clients, in milliseconds. All but `bodyCheckInterval` and `stuckTimeout` are named after their `http.createServer` options. */
export interface SenderTimeouts {
  /** From the request's first byte, or the connection's start, until the headers are complete. */
  headersTimeout: number
  /** From the request's first byte until its body is complete. */
  requestTimeout: number
  bodyCheckInterval: number
  /** Interval at which Node checks `headersTimeout` and `requestTimeout`. */
  connectionsCheckingInterval: number
  /** Time between a response and the next request, `KEEP_ALIVE_SECONDS`. */
  keepAliveTimeout: number
  /** Time without traffic while a response is in flight: neither side sends or reads. Detected up to 25% later. */
  stuckTimeout: number
}

/** The time limits that operators can't set. */
export const senderTimeouts: Omit<SenderTimeouts, 'keepAliveTimeout'> = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  bodyCheckInterval: 10_000,
  connectionsCheckingInterval: 5_000,
  stuckTimeout: 60_000,
}

/**
 * Counts the connection until it is closed, or closes it if its address has used up its share. Returns how many
 * connections the address has open, 0 for a trusted proxy.
 */
export type TakeShare = (socket: Socket) => number

/** Divides the process's connections among addresses (IPv6 by /64), except of trusted proxies, which serve many. */
export function connectionShares(isProxy: TrustProxy): TakeShare {
  const max = Math.min(limits.connectionsMax, openFilesMax() - limits.filesNotForConnections)
  const ofAddresses = new Map<string, number>()
  let open = 0
  return (socket) => {
    const peer = canonicalAddress(socket.remoteAddress)
    if (isProxy(peer, 0)) return 0
    const address = network(peer)
    const ofAddress = (ofAddresses.get(address) ?? 0) + 1
    if (ofAddress > limits.addressShareOfFreeConnections * (max - open)) {
      socket.destroy()
      return ofAddress
    }
    open += 1
    count(ofAddresses, address, 1)
    socket.once('close', () => {
      open -= 1
      count(ofAddresses, address, -1)
    })
    return ofAddress
  }
}

/** The system's limit for this process. Only Linux says it in a file. */
function openFilesMax(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

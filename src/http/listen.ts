import { createServer, type Server } from 'node:net'

/** A server that takes connections. */
export interface Listening {
  port: number
  /** Takes no new connection, and resolves when the last is gone. */
  close(): Promise<void>
}

/**
 * Binds the server. `localhost` stands for both loopback addresses, as it does for those who call it: bound to
 * one of them only, whichever the machine names first, the service would be missing from the other.
 */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<Listening> {
  if (host !== 'localhost') return bind(server, host, port)
  const listening = await bind(server, '127.0.0.1', port)
  const companion = createServer((socket) => server.emit('connection', socket))
  try {
    const other = await bind(companion, '::1', listening.port)
    return {
      port: listening.port,
      async close() {
        await Promise.all([listening.close(), other.close()])
      },
    }
  } catch (error) {
    if (isWithoutIpv6(error)) return listening
    await listening.close()
    throw error
  }
}

function bind(server: Server, host: string, port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve({
        port: address !== null && typeof address === 'object' ? address.port : 0,
        close: () => new Promise((closed) => server.close(() => closed())),
      })
    })
  })
}

function isWithoutIpv6(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '')
}

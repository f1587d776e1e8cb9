import { createServer } from 'node:net'

/** Range to pick ports from. It lies below the ephemeral ports, which the system assigns to outgoing connections. */
const lowest = 13_100
const highest = 30_000

/** Returns unused loopback ports, so that a benchmark can run alongside a service or another benchmark. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (!ports.includes(port) && (await isFree(port))) ports.push(port)
  }
  return ports
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

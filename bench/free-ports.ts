import { createServer } from 'node:net'

/** Below the ports that systems give to whoever asks for any, as tests and clients do all the time. */
const lowest = 13_100
const highest = 30_000

/** Ports of the loopback address on which nobody listens, so that a bench runs beside a service, and beside another bench. */
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

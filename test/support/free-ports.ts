import { createServer } from 'node:net'

const portsOfProcess = 100
const processesAtOnce = 210
/** Higher than every port that fetch blocks. The highest of those is 10080. */
const lowestPort = 11_000

let firstPort: Promise<number> | undefined

/**
 * Claims a range of ports by listening on its first port until this process ends, so that no other process takes one of
 * the others while a service restarts. Returns the first port.
 */
async function claimPorts(): Promise<number> {
  for (let range = process.pid; ; range += 1) {
    const first = lowestPort + (range % processesAtOnce) * portsOfProcess
    const claim = createServer().unref()
    const isOurs = new Promise<boolean>((resolve) => {
      claim.once('error', () => resolve(false))
      claim.listen(first, () => resolve(true))
    })
    if (await isOurs) return first
  }
}

let latest = 0

/**
 * Returns ports that are not in use. They are below the system's range for outgoing connections, because other tests
 * open thousands of those. Hands out all others before it returns to one, because its caller may not listen on it yet.
 */
export async function freePorts(count: number): Promise<number[]> {
  firstPort ??= claimPorts()
  const first = await firstPort
  const ports: number[] = []
  while (ports.length < count) {
    latest = (latest % (portsOfProcess - 1)) + 1
    const port = first + latest
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

/** Returns the settings of a service whose four surfaces listen on free ports. */
export async function urlsOnFreePorts() {
  const [base, api, portal, control] = await freePorts(4)
  return {
    BASE_URL: `http://localhost:${base}`,
    API_URL: `http://localhost:${api}`,
    PORTAL_URL: `http://localhost:${portal}`,
    CONTROL_URL: `http://127.0.0.1:${control}`,
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    // Leaves out the host to try all addresses, because localhost can resolve to an IPv4 and an IPv6 address.
    server.listen(port, () => server.close(() => resolve(true)))
  })
}

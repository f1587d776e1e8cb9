import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { listenVariable, type NamedSurface, reachableUrl } from '../../config/surface-address.ts'
import { type Listening, listen } from '../../http/listen.ts'
import { reasonOf } from '../start-fault.ts'
import { type Finding, fault, ok } from './finding.ts'

/** A server that takes the place of the stopped service on one surface for a short time. Accepts any request. */
export interface Probe extends NamedSurface {
  server: Server
  /** Identifies our request, because the load balancer's health checks arrive here, too. */
  mark: string
  arrived?: IncomingMessage
  /** Set while the probe holds its port. */
  listening?: Listening
}

export function probeFor(surface: NamedSurface): Probe {
  const server = createServer((request, response) => {
    if (request.url?.includes(probe.mark)) probe.arrived ??= request
    response.end()
  })
  server.on('upgrade', (_request, socket: Duplex) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  const probe: Probe = { ...surface, server, mark: `doctor=${randomUUID()}` }
  return probe
}

/** Binds each port the way the service would. The ports that were free stay bound until {@link releasePorts}. */
export async function* occupyPorts(probes: readonly Probe[]): AsyncIterable<Finding> {
  for (const probe of probes) {
    try {
      probe.listening = await listen(probe.server, probe)
    } catch (error) {
      yield judgeRefusal(probe, error)
    }
  }
}

export function releasePorts(probes: readonly Probe[]): void {
  for (const { server, listening } of probes) {
    server.closeAllConnections()
    listening?.close({ silentMs: 0, sendingMs: 0 })
  }
}

function judgeRefusal({ name, host, port }: NamedSurface, error: unknown): Finding {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return fault(
        `port ${port} of ${host} is in use by another program`,
        `stop that program (or the service, if its DATA_DIR was deleted or moved), or set ${name}_URL or ${name}_PORT`,
      )
    case 'EACCES':
      return fault(
        `this user may not bind port ${port} of ${host} (ports below 1024 often require root)`,
        `set ${name}_PORT to a higher port, and point the proxy to it`,
      )
    default: {
      const remedy = `set ${listenVariable(name)} to an address of this machine`
      return fault(`can't listen on ${host} (${reasonOf(error)})`, remedy)
    }
  }
}

export async function examineService({ control }: Config): Promise<Finding[]> {
  const address = `${reachableUrl(control)}/readyz`
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) })
    if (answer.ok) return [ok(`the service is running and ready (${address})`)]
    return [fault(`the service is running, but not ready: ${await answer.text()}`, 'see its log')]
  } catch (error) {
    const summary = `the service is running, but ${address} does not respond (${reasonOf(error)})`
    return [fault(summary, 'run doctor with the environment of the service, or see its log')]
  }
}

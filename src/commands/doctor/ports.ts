import type { Server } from 'node:http'
import type { Config } from '../../config/config.ts'
import { listenVariable, reachableUrl, type SurfaceAddress } from '../../config/surface-address.ts'
import { type Listening, listen } from '../../http/listen.ts'
import { reasonOf } from '../start-fault.ts'
import { type Finding, fault, ok, orOk } from './finding.ts'

export interface ProbedSurface {
  name: string
  address: SurfaceAddress
  server: Server
}

/** Binds each port the way the service would. The ports that were free stay bound until `release` is called. */
export async function occupyPorts(
  surfaces: readonly ProbedSurface[],
): Promise<{ findings: readonly Finding[]; release(): void }> {
  const findings: Finding[] = []
  const held: Listening[] = []
  for (const { name, address, server } of surfaces) {
    try {
      held.push(await listen(server, address))
    } catch (error) {
      findings.push(refusedPort(name, address, error))
    }
  }
  return {
    findings: orOk(findings, 'ports', `${surfaces.map(({ address }) => address.port).join(', ')} are free`),
    release() {
      for (const { server } of surfaces) server.closeAllConnections()
      for (const listening of held) listening.close({ silentMs: 0, sendingMs: 0 })
    },
  }
}

function refusedPort(name: string, { host, port }: SurfaceAddress, error: unknown): Finding {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return fault(
        'ports',
        `port ${port} of ${host} is in use by another program`,
        `stop that program (or the service, if its DATA_DIR was deleted or moved), or set ${name}_URL or ${name}_PORT`,
      )
    case 'EACCES':
      return fault(
        'ports',
        `this user may not bind port ${port} of ${host} (ports below 1024 often require root)`,
        `set ${name}_PORT to a higher port, and point the proxy to it`,
      )
    default:
      return fault(
        'ports',
        `can't listen on ${host} (${reasonOf(error)})`,
        `set ${listenVariable(name)} to an address of this machine`,
      )
  }
}

export async function examineService({ control }: Config): Promise<readonly Finding[]> {
  const address = `${reachableUrl(control)}/readyz`
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) })
    if (answer.ok) return [ok('ports', `the service is running and ready (${address})`)]
    return [fault('ports', `the service is running, but not ready: ${await answer.text()}`, 'see its log')]
  } catch (error) {
    const summary = `the service is running, but ${address} does not respond (${reasonOf(error)})`
    return [fault('ports', summary, 'run doctor with the environment of the service, or see its log')]
  }
}

import { malformedProblem, refuseOtherHosts } from '../api/operators/operator-guard.ts'
import { provisioningSurface } from '../api/operators/routes.ts'
import type { HostFailure } from '../domain/store-unavailable.ts'
import { senderTimeouts } from '../http/listen.ts'
import { newApp } from '../http/new-app.ts'
import { ResponseCounts } from '../http/request-metrics.ts'
import { trustProxy } from '../http/request-origin.ts'
import { Turns } from '../http/turns.ts'
import { linkUrl } from '../pages/places.ts'
import type { Service } from '../service.ts'
import type { MeasuredServices } from '../surfaces/telemetry/metrics.ts'
import { telemetrySurface, waitingSurface } from '../surfaces/telemetry/routes.ts'
import { appHost, type Host, type ListenerParts } from './app-host.ts'

export async function controlHost(
  service: Service,
  parts: ListenerParts & { measured: Pick<MeasuredServices, 'responses' | 'refusals'> },
): Promise<Host> {
  const { config, log } = service
  const { refusals } = parts.measured
  const app = await newApp({ ...parts, log, health: service.gatewayHealth, malformed: malformedProblem })
  refuseOtherHosts(app, config.control.url)
  telemetrySurface({ ...service, ...parts.measured })(app)
  await app.register(
    provisioningSurface({
      ...service,
      refusals: refusals.control,
      recoveryUrl: (purpose, clearTextToken) => linkUrl(config.base.url, purpose, clearTextToken),
      controlUrl: config.control.url,
    }),
  )
  app.addHook('onClose', async () => refusals.control.close())
  parts.access?.watch(app.server, 'control', () => undefined)
  return appHost('control', app, { ...parts, address: config.control })
}

/** Builds the control surface for a node that is waiting for its database. The node's other URLs are not bound yet. */
export async function waitingControlHost(
  { config, log, build }: Pick<Service, 'config' | 'log' | 'build'>,
  failures: () => readonly HostFailure[],
): Promise<Host> {
  const timeouts = { ...senderTimeouts, keepAliveTimeout: config.keepAliveSeconds * 1_000 }
  const trust = trustProxy(config.trustProxy, () => {})
  const unshared = { counts: new ResponseCounts(), access: undefined, connections: undefined }
  const parts = { trust, timeouts, turns: new Turns(trust), ...unshared }
  const app = await newApp({ ...parts, log, health: { closing: false }, malformed: malformedProblem })
  refuseOtherHosts(app, config.control.url)
  waitingSurface(build, failures)(app)
  return appHost('control', app, { ...parts, address: config.control })
}

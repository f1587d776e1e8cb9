import { connectionShares, type SenderTimeouts, senderTimeouts } from '../http/listen.ts'
import { accessLog, Refusals, ResponseCounts } from '../http/request-metrics.ts'
import { trustProxy } from '../http/request-origin.ts'
import { oneInTurn, Turns } from '../http/turns.ts'
import { addCatalogues } from '../pages/catalogues.ts'
import type { Service } from '../service.ts'
import { GuideBook } from '../surfaces/guides/guide-book.ts'
import { openapiDocument } from '../surfaces/oauth/openapi.ts'
import { RuntimeLink } from '../surfaces/runtime-link/runtime-link.ts'
import { apiHost, describedOperations } from './api.ts'
import type { Host } from './app-host.ts'
import { baseHost } from './base.ts'
import { controlHost } from './control.ts'
import { portalHost } from './portal.ts'

const ignoredProxy =
  'X-Forwarded-For ignored: TRUST_PROXY is not set. Set it behind a proxy. Otherwise all clients of the proxy share one ' +
  'address and its rate limits'

/** Builds the listeners for all four URLs, without binding them. */
export async function buildHosts(service: Service, changedTimeouts: Partial<SenderTimeouts> = {}): Promise<Host[]> {
  const { config, log, clock, readiness } = service
  for (const fault of addCatalogues(config.cataloguesDir)) log.warn({ fault }, 'catalogue entry not used')
  const timeouts = { ...senderTimeouts, keepAliveTimeout: config.keepAliveSeconds * 1_000, ...changedTimeouts }
  const trust = trustProxy(config.trustProxy, () => log.warn(ignoredProxy))
  const access = config.accessLog ? accessLog({ log, trust }) : undefined
  const counts = () => new ResponseCounts(() => readiness.suspect())
  // The keys are values of the `surface` metric label.
  const responses = { identity: counts(), gateway: counts(), portal: counts(), control: counts() }
  const refusalsOf = (message: string) => new Refusals({ log, clock, message })
  const refusals = {
    oauth: refusalsOf('OAuth request rejected'),
    webhooks: refusalsOf('webhook rejected'),
    runtimes: refusalsOf('runtime connection rejected'),
    control: refusalsOf('operator key rejected'),
  }
  const urls = { baseUrl: config.base.url, apiUrl: config.api.url, portalUrl: config.portal.url }
  const connections = connectionShares(trustProxy(config.trustProxy, () => {}))
  const parts = { trust, timeouts, turns: new Turns(trust), connections, access }
  const forPages = {
    guides: new GuideBook({ ...urls, version: service.build.version }),
    oneInTurn: oneInTurn(parts.turns),
    pageRefusals: refusalsOf('page request rejected'),
  }
  return [
    await baseHost(service, {
      ...parts,
      counts: responses.identity,
      refusals: refusals.oauth,
      ...forPages,
      tokenRefusals: refusalsOf('personal access token rejected'),
    }),
    apiHost({
      ...parts,
      ...service,
      address: config.api,
      health: service.gatewayHealth,
      runtimeLink: new RuntimeLink({ ...service, trust, refusals: refusals.runtimes }),
      openapiDocument: () => openapiDocument({ ...service, baseUrl: config.base.url, operations: describedOperations }),
      counts: responses.gateway,
      refusals,
    }),
    await portalHost(service, { ...parts, ...forPages, counts: responses.portal }),
    await controlHost(service, { ...parts, counts: responses.control, measured: { responses, refusals } }),
  ]
}

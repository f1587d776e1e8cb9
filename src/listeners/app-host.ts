import type { FastifyInstance } from 'fastify'
import * as limits from '../domain/limits/limits.ts'
import { type ClosingGrace, type Listening, listen, type SenderTimeouts, type TakeShare } from '../http/listen.ts'
import { type Mount, newApp, rejectPrefetches } from '../http/new-app.ts'
import type { RawRoutes } from '../http/raw-routes.ts'
import type { AccessLog, Refusals, ResponseCounts } from '../http/request-metrics.ts'
import { redirectToOwnHost, type TrustProxy } from '../http/request-origin.ts'
import type { Turns } from '../http/turns.ts'
import { appearanceRoute, assetsRoute } from '../pages/appearance.ts'
import { malformedPage, registerErrorPages } from '../pages/error-page.ts'
import type { Place } from '../pages/places.ts'
import type { Service } from '../service.ts'
import type { GuideBook } from '../surfaces/guides/guide-book.ts'

/** The service's listener for one of its four URLs. */
export interface Host {
  name: 'base' | 'api' | 'portal' | 'control'
  /** Resolves with the actual port. */
  listen(): Promise<number>
  /** Resolves when all requests in flight have their response. Incomplete ones are cut off after `grace`. */
  close(grace: ClosingGrace): Promise<void>
}

export interface ListenerParts {
  trust: TrustProxy
  timeouts: SenderTimeouts
  turns: Turns
  connections: TakeShare | undefined
  counts: ResponseCounts
  access: AccessLog | undefined
}

export interface PageParts extends ListenerParts {
  guides: GuideBook
  /** Closed with the identity listener. */
  pageRefusals: Refusals
  /** Added to the app before its routes. */
  oneInTurn: Mount
}

/** Builds an app for pages, with what all of them need: error pages, stylesheets, scripts, and the choice of a language. */
export async function pageApp(
  { log, gatewayHealth }: Service,
  parts: PageParts,
  own: { place: Place; url: string; rawRoutes?: readonly RawRoutes[] },
): Promise<FastifyInstance> {
  const { place, url } = own
  const malformed = malformedPage(place, new URL(url).hostname)
  const headersMaxBytes = limits.pageHeadersMaxBytes
  const app = await newApp({ ...parts, ...own, headersMaxBytes, log, health: gatewayHealth, malformed })
  parts.oneInTurn(app)
  registerErrorPages(app, place, parts.pageRefusals)
  rejectPrefetches(app)
  redirectToOwnHost(app, url)
  assetsRoute(app)
  appearanceRoute(app)
  return app
}

export function appHost(
  name: Host['name'],
  app: FastifyInstance,
  parts: Pick<ListenerParts, 'timeouts' | 'connections'> & { address: { host: string; port: number } },
): Host {
  const { address, timeouts, connections } = parts
  let listening: Listening | undefined
  let closing: ClosingGrace | undefined
  let emptied: Promise<void> | undefined
  // Runs after the `preClose` hook in `newApp`, which makes each later response close its connection.
  app.addHook('preClose', (done) => {
    emptied = closing && listening?.close(closing)
    done()
  })
  return {
    name,
    async listen() {
      await app.ready()
      listening = await listen(app.server, address, timeouts, connections)
      return listening.port
    },
    async close(grace) {
      closing = grace
      await app.close()
      await emptied
    },
  }
}

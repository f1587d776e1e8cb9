import type { FastifyInstance } from 'fastify'
import type { AccessLog } from '../http/access-log.ts'
import type { TrustProxy } from '../http/client-address.ts'
import { type ClosingGrace, type Listening, listen } from '../http/listen.ts'
import type { ResponseCounts } from '../http/response-counts.ts'
import type { SenderTimeouts } from '../http/sender-timeouts.ts'

/** The service on one of its four addresses. */
export interface Host {
  name: 'base' | 'api' | 'portal' | 'control'
  /** Binds the address and resolves with the port in use. */
  listen(): Promise<number>
  /**
   * Accepts no new connection, and resolves when the requests in flight are responded to. Connections whose client has not
   * sent its whole request are closed after `grace`.
   */
  close(grace: ClosingGrace): Promise<void>
}

/** What every listener needs beside the service. */
export interface ListenerParts {
  trust: TrustProxy
  timeouts: SenderTimeouts
  counts: ResponseCounts
  /** `undefined` while it is switched off. */
  access: AccessLog | undefined
}

/** Returns the host that serves the app. */
export function appHost(
  name: Host['name'],
  app: FastifyInstance,
  { address, timeouts }: { address: { host: string; port: number }; timeouts: SenderTimeouts },
): Host {
  let listening: Listening | undefined
  let closing: ClosingGrace | undefined
  let emptied: Promise<void> | undefined
  // Runs after the app's own hook, which makes each response the last of its connection.
  app.addHook('preClose', (done) => {
    emptied = closing && listening?.close(closing)
    done()
  })
  return {
    name,
    async listen() {
      await app.ready()
      listening = await listen(app.server, address, timeouts)
      return listening.port
    },
    async close(grace) {
      closing = grace
      await app.close()
      await emptied
    },
  }
}

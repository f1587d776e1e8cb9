import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { trustProxy } from './http/client-address.ts'
import { newApp } from './http/new-app.ts'
import type { Service } from './service.ts'

/** One listener: what answers, and how it is told to begin and to stop. */
export interface Host {
  name: 'identity' | 'gateway' | 'portal' | 'control'
  /** Binds and resolves with the port in use. */
  listen(): Promise<number>
  /** Takes no new connection, lets the work in hand finish, resolves when it has. */
  close(): Promise<void>
}

/** Which surface is mounted on which address. */
export async function buildHosts(service: Service): Promise<Host[]> {
  const { config, log } = service
  const trust = trustProxy(config.trustProxy)

  const identity = await newApp({ log, trustProxy: trust })
  const portal = await newApp({ log, trustProxy: trust })
  const control = await newApp({ log, trustProxy: trust })

  return [
    appHost('identity', identity, config.base),
    appHost('portal', portal, config.portal),
    appHost('control', control, config.control),
  ]
}

function appHost(name: Host['name'], app: FastifyInstance, address: { host: string; port: number }): Host {
  return {
    name,
    async listen() {
      await app.listen({ host: address.host, port: address.port })
      return portOf(app.server)
    },
    close: () => app.close(),
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { globSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'

const surfaces = join(import.meta.dirname, '../../src/surfaces')

/**
 * Returns the page paths that the surfaces' routes define, such as `/bots/:botId/flows`. Reads them from the source, so
 * that new routes are attacked too.
 */
export function pageAddresses(place: 'base' | 'portal'): string[] {
  const files = globSync('**/*routes.ts', { cwd: surfaces }).filter(
    (file) =>
      file.startsWith('portal/') === (place === 'portal') && !/^(provisioning|telemetry|owner-api)\//.test(file),
  )
  const addresses = files.flatMap((file) =>
    [...readFileSync(join(surfaces, file), 'utf8').matchAll(/[('`]((?:\/[\w:.${}-]*)+)['`]/g)].map(
      ([, address = '']) => address,
    ),
  )
  return [...new Set(addresses)].sort()
}

/** Fills in the parameters of a path. A parameter without a value is replaced by its name. */
export function fillIn(address: string, values: Readonly<Record<string, string>>): string {
  return address
    .replaceAll(/\$\{\w+\}/g, 'en')
    .replaceAll(/:(\w+)|\{(\w+)\}/g, (_all, one?: string, other?: string) => {
      const name = one ?? other ?? ''
      return values[name] ?? name
    })
}

/**
 * Records all routes registered from now on. Returns a function that lists the POST routes of the listener at a URL.
 */
export function recordRoutes(t: TestContext): (url: string) => string[] {
  const apps: { app: FastifyInstance; routes: string[] }[] = []
  const onApp = (message: unknown) => {
    const { fastify: app } = message as { fastify: FastifyInstance }
    const routes: string[] = []
    apps.push({ app, routes })
    app.addHook('onRoute', ({ method, url }) => {
      if ([method].flat().includes('POST')) routes.push(url)
    })
  }
  subscribe('fastify.initialization', onApp)
  t.after(() => unsubscribe('fastify.initialization', onApp))
  return (url) => {
    const { port } = new URL(url)
    const found = apps.find(({ app }) => String((app.server.address() as AddressInfo | null)?.port) === port)
    return found?.routes ?? []
  }
}

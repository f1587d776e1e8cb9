import { subscribe } from 'node:diagnostics_channel'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The routes of each open app, from when this module is loaded. */
const routesOfApps = new Map<FastifyInstance, { methods: readonly string[]; url: string }[]>()

subscribe('fastify.initialization', (message) => {
  const { fastify: app } = message as { fastify: FastifyInstance }
  const routes: { methods: readonly string[]; url: string }[] = []
  routesOfApps.set(app, routes)
  app.addHook('onRoute', ({ method, url }) => {
    routes.push({ methods: [method].flat(), url })
  })
  app.addHook('onClose', async () => {
    routesOfApps.delete(app)
  })
})

/** Returns the paths of all routes of the listener at a URL that take this method, such as `/bots/:botId/flows`. */
export function routesOf(listenerUrl: string, method: 'GET' | 'POST' | 'PUT'): string[] {
  const { port } = new URL(listenerUrl)
  const isListener = ([app]: [FastifyInstance, unknown]) =>
    String((app.server.address() as AddressInfo | null)?.port) === port
  const [, routes = []] = [...routesOfApps].find(isListener) ?? []
  return [...new Set(routes.filter(({ methods }) => methods.includes(method)).map(({ url }) => url))]
}

/** Fills in the parameters of a path. A parameter without a value is replaced by its name. */
export function fillIn(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)|\{(\w+)\}/g, (_all, one?: string, other?: string) => {
    const name = one ?? other ?? ''
    return values[name] ?? name
  })
}

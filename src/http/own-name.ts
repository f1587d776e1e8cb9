import type { FastifyInstance } from 'fastify'

const namesOfThisMachine = ['localhost', '127.0.0.1', '[::1]']

/**
 * Sends a browser that came to a page by another name of this machine (`127.0.0.1` for `localhost`, say) on to the
 * one that the surface goes by. Its cookies and form tokens hold for that name alone, so every form would be refused.
 *
 * Only between names of this machine and on the very same port, since a proxy in front may ask by a name and port of its own
 * and would come back for ever; and only for what a browser opens: programs get their answer wherever they ask.
 */
export function sendToOwnName(app: FastifyInstance, surfaceUrl: string): void {
  const own = new URL(surfaceUrl)
  if (!namesOfThisMachine.includes(own.hostname)) return
  const ownPort = own.host.slice(own.hostname.length)
  const otherNames = namesOfThisMachine.filter((name) => name !== own.hostname).map((name) => name + ownPort)
  app.addHook('onRequest', async (request, reply) => {
    const { host, method, headers } = request
    if (!otherNames.includes(host)) return
    if (method !== 'GET' || !headers.accept?.includes('text/html') || !request.url.startsWith('/')) return
    return reply.redirect(own.origin + request.url, 302)
  })
}

import type { FastifyInstance } from 'fastify'

const namesOfThisMachine = ['localhost', '127.0.0.1', '[::1]']

/**
 * Redirects browsers from another name of this machine (`127.0.0.1` instead of `localhost`, for example) to the
 * surface's own name. Cookies and form tokens are valid only for that name, so every form would fail.
 *
 * Applies only between names of this machine with the same port: a proxy may use another name and port, and would be
 * redirected forever. Applies only to page requests of browsers; API clients get their response under any name.
 */
export function redirectToOwnHost(app: FastifyInstance, surfaceUrl: string): void {
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

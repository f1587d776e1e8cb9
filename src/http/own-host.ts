import type { FastifyInstance } from 'fastify'

const namesOfThisMachine = ['localhost', '127.0.0.1', '[::1]']

/**
 * Redirects browsers that use another name for this machine (`127.0.0.1` instead of `localhost`, for example) to the
 * surface's own name. Cookies and form tokens are valid only for that name, so every form would fail otherwise.
 *
 * Applies only between names for this machine with the same port. A proxy may use another name and port, and would be
 * redirected forever. Applies only to page requests from browsers; API clients get a response under any name.
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

/** Maximum length of a path with its query. If it is exceeded, the query is dropped. */
const maxCharacters = 1_024

/**
 * Returns the text if it is a path on this host, with an optional query. Returns `undefined` for anything that a
 * browser could resolve to another host. The service redirects to a location from a request only if this function
 * accepts it.
 */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[!-~]*$/.test(text)) return undefined
  return text.length <= maxCharacters ? text : (text.split('?')[0] ?? '/').slice(0, maxCharacters)
}

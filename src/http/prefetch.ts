import type { FastifyInstance } from 'fastify'

/** The headers by which browsers announce a prefetch; `X-Purpose: preview` is Safari's. */
const purposes = ['sec-purpose', 'purpose', 'x-moz', 'x-purpose'] as const

/**
 * Rejects prefetches of pages. The user has not opened the page yet, and opening a page can issue a code, redeem one, or
 * take a message that is shown once. Browsers drop the response and request the page again when the user opens it.
 */
export function rejectPrefetches(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (purposes.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')))) {
      return reply.code(425).send()
    }
  })
}

import type { FastifyInstance } from 'fastify'

/** Registers `/livez`, which returns 200 as long as the process responds, even if its database is unreachable. */
export function liveness(app: FastifyInstance): void {
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
}

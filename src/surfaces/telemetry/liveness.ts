import type { FastifyInstance } from 'fastify'

/** `/livez`: the process answers, so there is no reason to restart it. */
export function liveness(app: FastifyInstance): void {
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
}

import type { FastifyInstance } from 'fastify'
import type { Build } from '../../domain/build.ts'

/** Registers `/livez`, which returns 200 as long as the process responds, even if its database is unreachable. */
export function liveness(app: FastifyInstance, build: Build): void {
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok', ...build }))
}

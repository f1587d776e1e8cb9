import type { FastifyInstance } from 'fastify'
import type { Build } from '../../domain/build.ts'

/** Registers `/livez`, which is 200 whenever the process can respond, also while its database is unreachable. */
export function liveness(app: FastifyInstance, build: Build): void {
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok', ...build }))
}

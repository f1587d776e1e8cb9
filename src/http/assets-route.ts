import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { assetsFolder, isCurrentVersion } from './asset-address.ts'

/** `/assets/…` and `/favicon.ico`: what pages look like and what they run. The same on every host with pages. */
export const assetsRoute: FastifyPluginAsync = async (app) => {
  await app.register(fastifyStatic, { root: assetsFolder, serve: false, cacheControl: false })

  app.get('/assets/:file', (request, reply) => {
    const { file } = request.params as { file: string }
    const { v } = request.query as { v?: string }
    return reply
      .headers({
        'cache-control': isCurrentVersion(file, v) ? 'public, max-age=31536000, immutable' : 'no-cache',
        'x-content-type-options': 'nosniff',
      })
      .sendFile(file)
  })

  // Browsers ask for it wherever a page names no icon, such as on a JSON answer.
  app.get('/favicon.ico', (_request, reply) => reply.header('cache-control', 'no-cache').sendFile('mark.svg'))
}

import { basename, dirname } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { assetPath, assetsFolder, assetVersion } from './asset-address.ts'

/** `/assets/…` and `/favicon.ico`: what pages look like and what they run. The same on every host with pages. */
export const assetsRoute: FastifyPluginAsync = async (app) => {
  await app.register(fastifyStatic, { root: assetsFolder, serve: false, cacheControl: false })

  app.get('/assets/:file', (request, reply) => {
    const { file } = request.params as { file: string }
    const { v } = request.query as { v?: string }
    const version = assetVersion(file)
    const path = assetPath(file)
    if (path === undefined) return reply.callNotFound()
    const keep = v === version ? 'public, max-age=31536000, immutable' : 'no-cache'
    return reply
      .headers({ 'cache-control': keep, 'x-content-type-options': 'nosniff' })
      .sendFile(basename(path), dirname(path))
  })

  // Browsers ask for it wherever a page names no icon, such as on a JSON answer.
  app.get('/favicon.ico', (_request, reply) => reply.header('cache-control', 'no-cache').sendFile('mark.svg'))
}

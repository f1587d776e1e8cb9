import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assetNamed } from './asset-address.ts'

/** `/assets/…` and `/favicon.ico`: what pages look like and what they run. The same on every host with pages. */
export function assetsRoute(app: FastifyInstance): void {
  app.get('/assets/:file', (request, reply) => sendAsset(request, reply, (request.params as { file: string }).file))

  // Browsers ask for it wherever a page names no icon, such as on a JSON answer.
  app.get('/favicon.ico', (request, reply) => sendAsset(request, reply, 'mark.svg'))
}

/** From memory: they are few, and compressed once. Kept for good under the address that names the version. */
function sendAsset(request: FastifyRequest, reply: FastifyReply, file: string): unknown {
  const asset = assetNamed(file)
  if (asset === undefined) return reply.callNotFound()
  const { mediaType, version, bytes, gzipped } = asset
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(request.headers['accept-encoding'] ?? '')
  const etag = `"${version}${takesGzip ? '-gzip' : ''}"`
  const { v } = request.query as { v?: string }
  reply.headers({
    'content-type': mediaType,
    'cache-control': v === version ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
    etag,
  })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  return takesGzip ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(bytes)
}

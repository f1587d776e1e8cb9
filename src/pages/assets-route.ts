import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assetNamed } from './asset-address.ts'

/** Registers `/assets/…` (stylesheets and scripts) and `/favicon.ico`, on every host that serves pages. */
export function assetsRoute(app: FastifyInstance): void {
  app.get('/assets/:file', (request, reply) => sendAsset(request, reply, (request.params as { file: string }).file))

  // Browsers request this icon for responses that can't specify one, such as JSON.
  app.get('/favicon.ico', (request, reply) => sendAsset(request, reply, 'mark.svg'))
}

/** Sends an asset from memory, already compressed. Browsers may cache it forever if the URL contains its version. */
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

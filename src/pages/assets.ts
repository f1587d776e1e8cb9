import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Registers `/assets/…` (stylesheets and scripts) and `/favicon.ico`, on every host that serves pages. */
export function assetsRoute(app: FastifyInstance): void {
  app.get('/assets/:file', (request, reply) => sendAsset(request, reply, (request.params as { file: string }).file))

  // Browsers request this icon for responses that can't specify one, such as JSON.
  app.get('/favicon.ico', (request, reply) => sendAsset(request, reply, 'mark.svg'))
}

/** Sends an asset from memory, already compressed. Browsers may cache it forever if the URL contains its version. */
function sendAsset(request: FastifyRequest, reply: FastifyReply, file: string): unknown {
  const asset = assets.get(file)
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

const assetsFolder = join(import.meta.dirname, 'assets')

const mediaTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

interface Asset {
  mediaType: string
  /** Digest of the file's content. */
  version: string
  bytes: Buffer
  gzipped: Buffer
}

/** All assets, read once on startup. */
const assets: ReadonlyMap<string, Asset> = new Map([
  ...readdirSync(assetsFolder).map((file) => [file, read(join(assetsFolder, file), withoutComments)] as const),
  // From an npm package, unchanged. The path is relative to the package's entry point.
  [
    'simplewebauthn-browser.js',
    read(fileURLToPath(new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')))),
  ],
])

/** Removes comments that have their own lines: a fifth of what browsers would load. */
function withoutComments(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString().replace(/^ *(\/\/.*|\/\*[\s\S]*?\*\/)\n/gm, ''))
}

function read(path: string, prepared = (bytes: Buffer) => bytes): Asset {
  const mediaType = mediaTypes[extname(path)]
  if (mediaType === undefined) throw new Error(`${path} has no media type; add one in assets.ts`)
  const bytes = prepared(readFileSync(path))
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  return { mediaType, version, bytes, gzipped: gzipSync(bytes, { level: 9 }) }
}

/**
 * Returns the URL of a file in `src/pages/assets/` or in a package. The URL contains a version, so browsers can cache
 * the file forever and still load the new file after an upgrade.
 */
export function asset(file: string): string {
  const { version } = assets.get(file) ?? {}
  if (version === undefined) throw new Error(`unknown asset: ${file}`)
  return `/assets/${file}?v=${version}`
}

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languages } from '../domain/language.ts'
import { languageCookie, refererPath } from '../http/request-origin.ts'

const themes = ['light', 'dark'] as const

/** Store the choices in this browser. All surfaces of a host share the cookies, and they contain no secrets. */
const themeCookie = 'gatehouse-theme'
const keysCookie = 'gatehouse-keys'
const oneYearSeconds = 365 * 24 * 3_600

type Cookies = Record<string, string | undefined>

/** Returns whether the user has turned off the keys in this browser (WCAG 2.1.4). */
export function keysAreOff(cookies: Cookies): boolean {
  return cookies[keysCookie] === 'off'
}

/** Returns the attributes of a page's root that show what was chosen in this browser. Without a theme, the system's applies. */
export function chosenAppearance(cookies: Cookies): string {
  const theme = themes.find((each) => each === cookies[themeCookie])
  return `${theme === undefined ? '' : ` data-theme="${theme}"`}${keysAreOff(cookies) ? ' data-keys="off"' : ''}`
}

/**
 * `GET /appearance/…`: store a choice and return to the page. They are links rather than forms, because they affect
 * only how pages look and react. Requests from other sites change nothing.
 */
export function appearanceRoute(app: FastifyInstance): void {
  const choice = (path: string, cookie: string, value: string | undefined) =>
    app.get(`/appearance/${path}`, { exposeHeadRoute: false }, async (request, reply) => {
      if (request.headers['sec-fetch-site'] !== 'cross-site') {
        if (value === undefined) reply.clearCookie(cookie, cookieOptions)
        else reply.setCookie(cookie, value, cookieOptions)
      }
      return reply.header('cache-control', 'no-store').redirect(refererPath(request) ?? '/', 303)
    })
  for (const theme of themes) choice(theme, themeCookie, theme)
  choice('system', themeCookie, undefined)
  choice('keys/off', keysCookie, 'off')
  choice('keys/on', keysCookie, undefined)
  for (const language of languages) choice(`language/${language}`, languageCookie, language)
}

const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', maxAge: oneYearSeconds } as const

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

const assets = new Map([
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

function read(path: string, prepared = (bytes: Buffer) => bytes) {
  const mediaType = mediaTypes[extname(path)]
  if (mediaType === undefined) throw new Error(`${path} has no media type; add one in appearance.ts`)
  const bytes = prepared(readFileSync(path))
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  return { mediaType, version, bytes, gzipped: gzipSync(bytes, { level: 9 }) }
}

/** Returns the URL of an asset, with its version, so that browsers can cache the file forever. */
export function asset(file: string): string {
  const { version } = assets.get(file) ?? {}
  if (version === undefined) throw new Error(`unknown asset: ${file}`)
  return `/assets/${file}?v=${version}`
}

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserInfo } from '../domain/accounts/accounts.ts'
import { type Language, languages, sourceLanguage } from '../domain/language.ts'
import * as limits from '../domain/limits/limits.ts'

/** Returns the user agent to store with the session, the address for rate limits, and the language for emails. */
export function browserInfo(request: FastifyRequest): BrowserInfo {
  const address = clientAddressOf(request)
  return { userAgent: request.headers['user-agent'], address, language: languageOf(request) }
}

/** Name of the cookie with the chosen language. All surfaces on a host share it, and it contains no secret. */
export const languageCookie = 'gatehouse-language'

/** Returns the chosen language, or else the first supported one that the browser prefers (RFC 9110, section 12.5.4). */
export function languageOf({ cookies, headers }: Pick<FastifyRequest, 'cookies' | 'headers'>): Language {
  const chosen = languages.find((language) => language === cookies[languageCookie])
  return chosen ?? preferredIn(headers['accept-language'] ?? '') ?? sourceLanguage
}

function preferredIn(header: string): Language | undefined {
  const ranges = header
    .slice(0, limits.acceptLanguageMaxCharacters)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';')
      const quality = parameters.map((parameter) => /^\s*q=(.*)$/.exec(parameter)?.[1]).find((q) => q !== undefined)
      return { tag: tag.trim().toLowerCase(), quality: quality === undefined ? 1 : Number(quality) }
    })
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((one, other) => other.quality - one.quality)
  for (const { tag } of wanted) {
    const supported =
      languages.find((language) => language.toLowerCase() === tag) ??
      languages.find((language) => language === tag.split('-', 1)[0])
    if (supported !== undefined) return supported
  }
  return undefined
}

/** Returns whether the hop with this address is trusted to report the hop before it. The socket's peer is hop 0. */
export type TrustProxy = (address: string, hop: number) => boolean

/**
 * @param trusted hop count, or addresses and ranges (CIDR). `undefined` trusts no hop.
 * @param onIgnored called for the first request whose header names another client although no hop is trusted.
 */
export function trustProxy(trusted: number | readonly string[] | undefined, onIgnored: () => void): TrustProxy {
  if (trusted === undefined) return trustNone(onIgnored)
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted
  const isTrusted = proxyAddr.compile([...trusted])
  return (address, hop) => isTrusted(withoutPort(address), hop)
}

function trustNone(onIgnored: () => void): TrustProxy {
  let reported = false
  // Only called for requests with an `X-Forwarded-For` header.
  return () => {
    if (!reported) onIgnored()
    reported = true
    return false
  }
}

const known = Symbol('client address')

/**
 * Returns the client's address: the rightmost `X-Forwarded-For` entry that isn't a trusted hop. If it is no IP address,
 * such as `unknown`, returns the nearest hop's address.
 */
export function clientAddress(request: IncomingMessage & { [known]?: string }, trust: TrustProxy): string {
  request[known] ??= readAddress(request, trust)
  return request[known]
}

function readAddress(request: IncomingMessage, trust: TrustProxy): string {
  // Without an `X-Forwarded-For` header, which is the most common case, the peer is the client.
  if (request.headers['x-forwarded-for'] === undefined) return canonicalAddress(request.socket.remoteAddress ?? '')
  return lastAddress(proxyAddr.all(request, trust))
}

/** For a request to the framework, which knows the trusted hops. */
export function clientAddressOf({ ips = [] }: Pick<FastifyRequest, 'ips'>): string {
  return lastAddress(ips)
}

/** @param hops the peer, then the entries of `X-Forwarded-For` from right to left, up to the client. */
function lastAddress(hops: readonly (string | undefined)[]): string {
  for (let at = hops.length - 1; at >= 0; at -= 1) {
    const address = canonicalAddress(hops[at])
    if (isIP(address) !== 0) return address
  }
  return ''
}

const mappedIpv4 = '::ffff:'

/**
 * Returns the canonical address: IPv4 for IPv4-mapped IPv6, compressed lower-case IPv6, no port. '' for `undefined`,
 * which a closed connection has, although the framework's types exclude that.
 */
export function canonicalAddress(address: string | undefined): string {
  if (address === undefined) return ''
  // Checked first, because most requests have it: the notation for IPv4 peers on a dual-stack listener.
  if (address.startsWith(mappedIpv4) && isIP(address.slice(mappedIpv4.length)) === 4)
    return address.slice(mappedIpv4.length)
  const version = isIP(address)
  if (version === 4) return address
  if (version === 0) {
    const portless = withoutPort(address)
    return portless === address ? address : canonicalAddress(portless)
  }
  const [bare] = address.split('%')
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}

/** Strips the port, as in `192.0.2.1:4711` or `[2001:db8::1]:4711`, because a client's differs per connection. */
function withoutPort(entry: string): string {
  const [, ipv4, ipv6] = /^(?:([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?)$/.exec(entry) ?? []
  const address = ipv4 ?? ipv6 ?? ''
  return isIP(address) === 0 ? entry : address
}

const namesOfThisMachine = ['localhost', '127.0.0.1', '[::1]']

/**
 * Redirects browsers that open a page under another name of this machine, such as `127.0.0.1`, to the surface's own:
 * cookies and form tokens are valid only there. The port must be the same: a proxy may use another name and port, and
 * would be redirected forever.
 */
export function redirectToOwnHost(app: FastifyInstance, surfaceUrl: string): void {
  const own = new URL(surfaceUrl)
  if (!namesOfThisMachine.includes(own.hostname)) return
  const ownPort = own.host.slice(own.hostname.length)
  const otherNames = namesOfThisMachine.filter((name) => name !== own.hostname).map((name) => name + ownPort)
  app.addHook('onRequest', async (request, reply) => {
    const { host, method, headers } = request
    if (!otherNames.includes(host)) return
    if (method !== 'GET' || !headers.accept?.includes('text/html') || !request.url.startsWith('/')) return
    return reply.redirect(own.origin + request.url, 302)
  })
}

/** Maximum length of a path with its query. If it is exceeded, the query is dropped. */
const maxCharacters = 1_024

/**
 * Returns the text if it is a path on this host, with an optional query, that no browser resolves to another host. The
 * service redirects to a location from a request only if it passes.
 */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[!-~]*$/.test(text)) return undefined
  return text.length <= maxCharacters ? text : (text.split('?')[0] ?? '/').slice(0, maxCharacters)
}

/** Returns the path without its query. The request target can be an absolute URL (RFC 9112, section 3.2.2). */
export function targetPath({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  if (path.startsWith('/')) return path
  return path.replace(/^https?:\/\/[^/]*/i, '') || '/'
}

export function pathOf(address: string): string {
  return address.split(/[?#]/, 1)[0] ?? '/'
}

/** Returns the path and query of the page that sent a request, or `undefined` if it is unknown or on another host. */
export function refererPath({ headers, protocol, host }: FastifyRequest): string | undefined {
  const [from = '', own] = [headers.referer, `${protocol}://${host}`]
  if (!URL.canParse(from) || !URL.canParse(own)) return undefined
  const page = new URL(from)
  return page.host === new URL(own).host ? page.pathname.replace(/^\/+/, '/') + page.search : undefined
}

/** One surface's cookies. Identity and portal can share a host, so their cookie names differ. */
export interface CookieJar {
  /** Returns the cookie's full name. On https, it starts with `__Host-`, which binds the cookie to this exact host. */
  name(cookie: string): string
  set(reply: FastifyReply, cookie: string, clearText: string, maxAgeSeconds?: number): void
  clear(reply: FastifyReply, cookie: string): void
}

/** @param prefix `gatehouse` for identity, `gatehouse-portal` for the portal. */
export function cookieJar(prefix: string, surfaceUrl: string): CookieJar {
  const secure = surfaceUrl.startsWith('https://')
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  const name = (cookie: string) => `${secure ? '__Host-' : ''}${prefix}-${cookie}`
  return {
    name,
    set(reply, cookie, clearText, maxAgeSeconds) {
      reply.setCookie(
        name(cookie),
        clearText,
        maxAgeSeconds === undefined ? options : { ...options, maxAge: maxAgeSeconds },
      )
    },
    clear(reply, cookie) {
      reply.clearCookie(name(cookie), options)
    },
  }
}

/** Returns the bearer credential of an `Authorization` header (RFC 6750 section 2.1), or `undefined`. */
export function clearTextBearer(header: string | undefined): string | undefined {
  return /^bearer +([^ ]+) *$/i.exec(header ?? '')?.[1]
}

/** Returns whether a request uses HTTP Basic authentication, well-formed or not. */
export function isBasic(header: string | undefined): header is string {
  return header !== undefined && /^basic(?: |$)/i.test(header)
}

/** Returns the client credentials (RFC 6749, section 2.3.1; RFC 7617), `undefined` without client ID and colon. */
export function readBasicCredentials(header: string): { clientId: string; clearTextSecret: string } | undefined {
  const decoded = decodeBasic(header)
  const colon = decoded.indexOf(':')
  if (colon < 1) return undefined
  return { clientId: formDecode(decoded.slice(0, colon)), clearTextSecret: formDecode(decoded.slice(colon + 1)) }
}

function decodeBasic(header: string): string {
  return Buffer.from(header.slice('basic '.length).trim(), 'base64').toString('utf8')
}

/** Returns the password of HTTP Basic, as sent and, if that differs, form-decoded: not all clients encode it. */
export function clearTextBasicPasswords(header: string | undefined): string[] {
  if (!isBasic(header)) return []
  const [, password] = /^[^:]*:(.*)$/s.exec(decodeBasic(header)) ?? []
  return password === undefined ? [] : [...new Set([password, formDecode(password)])]
}

/** Form-decodes a client ID or secret (RFC 6749, section 2.3.1), if it can: some clients don't encode them. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

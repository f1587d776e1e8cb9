import { createHash, createHmac, randomBytes } from 'node:crypto'
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sameDigest, type UserId } from '../domain/ids-and-secrets.ts'
import * as limits from '../domain/limits/limits.ts'
import { Refusal } from '../domain/refusal.ts'
import { limitedParameters } from '../http/request-body.ts'
import { type CookieJar, pathOf } from '../http/request-origin.ts'
import { notice, type Tone } from './components/elements.ts'
import type { Html, Text } from './html.ts'

/** Makes this plugin's routes accept form posts and no other content type. */
export function takeForms(app: FastifyInstance, read: (encoded: string) => object = parse): void {
  app.removeAllContentTypeParsers()
  const type = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(type, { parseAs: 'string' }, async (_request: FastifyRequest, encoded: string) =>
    read(limitedParameters(encoded)),
  )
}

/** Returns a field from a form post. Returns '' if it is missing or repeated. */
export function formText(request: FastifyRequest, name: string): string {
  const form = request.body as Record<string, unknown> | undefined
  const value = form?.[name]
  return typeof value === 'string' ? value : ''
}

export function formTexts(request: FastifyRequest, name: string): string[] {
  const form = request.body as Record<string, unknown> | undefined
  const value = form?.[name]
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string')
}

/** Returns the number in the URL, such as that of a key. If it is malformed, returns 0, which nothing has. */
export function numberIn({ params }: FastifyRequest): number {
  const { number } = params as { number: string }
  return /^[0-9]{1,15}$/.test(number) ? Number(number) : 0
}

/** `form-at-other-address`: the browser uses another address than the setting, such as `BASE_URL`, says. */
type FormRefusalReason = 'form-token-invalid' | 'form-from-elsewhere' | 'form-at-other-address'

export class FormRefusal extends Refusal<FormRefusalReason, { address: OtherAddress }> {}

interface OtherAddress {
  /** Origin of the page in the browser or, if the browser hides it, the requested one. */
  received: string
  expected: string
  setting: SurfaceSetting
}

type SurfaceSetting = 'BASE_URL' | 'PORTAL_URL'

/** Maximum number of different addresses that are logged. */
const loggedAddressesMax = 10

/**
 * Protects form posts against cross-site request forgery: each browser has a random cookie, and each form its HMAC in
 * `form_token`. Posts that the browser marks as cross-site are rejected, too. `PageGuard` performs the check.
 *
 * @param keys the first one signs; all of them verify.
 */
export function newFormTokens(
  keys: readonly Uint8Array[],
  cookies: CookieJar,
  { url, setting }: { url: string; setting: SurfaceSetting },
) {
  const own = new URL(url)
  const expected = own.origin
  const loggedAddresses = new Set<string>()

  function otherOrigin(received: string): OtherAddress | undefined {
    return received === expected ? undefined : { received, expected, setting }
  }

  function otherHost({ protocol, host }: FastifyRequest): OtherAddress | undefined {
    const requested = `${own.protocol}//${host}`
    // A request without a usable Host header says nothing about the address.
    if (!URL.canParse(requested) || new URL(requested).host === own.host) return undefined
    return { received: `${protocol}://${host}`, expected, setting }
  }

  function log(request: FastifyRequest, address: OtherAddress | undefined): void {
    if (address === undefined || loggedAddresses.has(address.received)) return
    if (loggedAddresses.size >= loggedAddressesMax) return
    loggedAddresses.add(address.received)
    request.log.warn({ received: address.received, expected }, `form sent to another address than ${setting}`)
  }

  function hasToken(request: FastifyRequest): boolean {
    const browser = request.cookies[cookies.name('browser')] ?? ''
    const [given = ''] = formText(request, 'form_token').split('.')
    const presented = Buffer.from(given)
    const right = keys.some((key) => sameDigest(presented, Buffer.from(tokenFor(browser, key))))
    return browser !== '' && right
  }

  return {
    /** Returns the hidden field's value. Sets the cookie if it is missing. For `userId`, see {@link formUser}. */
    issue(reply: FastifyReply, userId?: UserId): string {
      const sent = reply.request.cookies
      let browser = sent[cookies.name('browser')]
      if (browser === undefined || !/^[A-Za-z0-9_-]{43}$/.test(browser)) {
        browser = randomBytes(32).toString('base64url')
        cookies.set(reply, 'browser', browser)
        // Ensures that a second form on the same page gets the same token.
        sent[cookies.name('browser')] = browser
      }
      const token = tokenFor(browser, keys[0] as Uint8Array)
      return userId === undefined ? token : `${token}.${userId}`
    },

    /**
     * Logs an address that is not the configured one, once.
     * @throws FormRefusal if the POST came from another site or address, or with another browser's token.
     */
    check(request: FastifyRequest): void {
      const { origin, 'sec-fetch-site': site } = request.headers
      if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new FormRefusal('form-from-elsewhere')
      const hidden = origin === undefined || origin === 'null'
      const address = hidden ? otherHost(request) : otherOrigin(origin)
      log(request, address ?? otherHost(request))
      if (hasToken(request) && (hidden || address === undefined)) return
      if (address === undefined) throw new FormRefusal('form-token-invalid')
      throw new FormRefusal('form-at-other-address', { detail: address.received, address })
    },
  }
}

/** Returns the user for whom the page with this form was rendered, if any. Another tab may have signed in another. */
export function formUser(request: FastifyRequest): string | undefined {
  return formText(request, 'form_token').split('.')[1]
}

/** Returns whether the page with this form was for this user or for anybody. */
export function isFormOf(request: FastifyRequest, userId: UserId): boolean {
  return (formUser(request) ?? userId) === userId
}

function tokenFor(browser: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(browser).digest('base64url')
}

export interface Done {
  message: string
}

/** Every notice, by the key that travels in the cookie. The key is derived from the English text, so all nodes know it. */
const notices = new Map<string, (...figures: number[]) => Html>()

export function done(body: Text, tone: Tone = 'good'): Done {
  return doneWith(() => notice({ tone, body }))()
}

/** Declares a notice about a change that contains figures. */
export function doneWith(show: (...figures: number[]) => Html): (...figures: number[]) => Done {
  const key = createHash('sha256').update(show(0, 0).in('en')).digest('hex').slice(0, 16)
  notices.set(key, show)
  return (...figures) => ({ message: [key, ...figures].join('-') })
}

/**
 * Messages that a page shows once after a form post. They travel in a signed cookie, so that no link can make a page
 * claim something that didn't happen. Each path has its own, so that tabs don't take each other's.
 * @param keys as for {@link newFormTokens}.
 */
export function newFlash(keys: readonly Uint8Array[], cookies: CookieJar) {
  function signatureOf(key: Uint8Array, path: string, message: string): Buffer {
    return createHmac('sha256', key).update(`${path}\n${message}`).digest()
  }

  /** Stores a message for the page at this URL, for callers that redirect by other means. */
  function leave(reply: FastifyReply, address: string, said: string | Done): void {
    const message = typeof said === 'string' ? said : said.message
    const path = pathOf(address)
    const signature = signatureOf(keys[0] as Uint8Array, path, message).toString('base64url')
    cookies.set(reply, cookieOf(path), `${message}.${signature}`, limits.flashLifetimeSeconds)
  }

  /** Returns and deletes the message for the requested page, so that it isn't shown again after a reload. */
  function take(reply: FastifyReply): string | undefined {
    const { request } = reply
    if (request.method !== 'GET') return undefined
    const path = pathOf(request.url)
    const kept = request.cookies[cookies.name(cookieOf(path))]
    if (kept === undefined) return undefined
    cookies.clear(reply, cookieOf(path))
    const [, message = '', signature = ''] = /^([a-z0-9-]{1,64})\.([\w-]{43})$/.exec(kept) ?? []
    const presented = Buffer.from(signature, 'base64url')
    return keys.some((key) => sameDigest(presented, signatureOf(key, path, message))) ? message : undefined
  }

  return {
    leave,
    take,
    /** Redirects to a page after a form post. That page then shows the message. */
    redirect(reply: FastifyReply, address: string, message: string | Done): FastifyReply {
      leave(reply, address, message)
      return reply.redirect(address, 303)
    },
    /** Like {@link take}, but returns the notice that was declared with {@link done} or {@link doneWith}. */
    notice(reply: FastifyReply): Html | undefined {
      const [key = '', ...figures] = take(reply)?.split('-') ?? []
      return notices.get(key)?.(...figures.map(Number))
    },
  }
}

/** The path is hashed, because cookie names can't contain slashes and paths may be long. */
function cookieOf(path: string): string {
  return `flash-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languages } from '../domain/language.ts'
import { languageCookie } from '../http/client-address.ts'

const themes = ['light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Stores the theme in this browser. All surfaces of a host share the cookie, and it contains no secret. */
const cookie = 'gatehouse-theme'
const oneYearSeconds = 365 * 24 * 3_600

/** Returns the theme chosen in this browser. `undefined` follows the system's theme. */
export function chosenTheme(cookies: Record<string, string | undefined>): Theme | undefined {
  return themes.find((theme) => theme === cookies[cookie])
}

/**
 * `GET /appearance/{light|dark|system}` and `/appearance/language/{language}`: store the choice and return to the page.
 * They are links rather than forms, because they affect only how pages look. Requests from other sites change nothing.
 */
export function appearanceRoute(app: FastifyInstance): void {
  for (const choice of [...themes, 'system']) {
    app.get(`/appearance/${choice}`, { exposeHeadRoute: false }, async (request, reply) => {
      if (ofOurs(request)) {
        if (choice === 'system') reply.clearCookie(cookie, cookieOptions)
        else reply.setCookie(cookie, choice, cookieOptions)
      }
      return back(request, reply)
    })
  }
  for (const language of languages) {
    app.get(`/appearance/language/${language}`, { exposeHeadRoute: false }, async (request, reply) => {
      if (ofOurs(request)) reply.setCookie(languageCookie, language, cookieOptions)
      return back(request, reply)
    })
  }
}

const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', maxAge: oneYearSeconds } as const

function ofOurs(request: FastifyRequest): boolean {
  return request.headers['sec-fetch-site'] !== 'cross-site'
}

function back(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .redirect(pageOf(request.headers.referer, `${request.protocol}://${request.host}`), 303)
}

/** Returns the path and query of the page from which the request came, or `/` if that page is on another host. */
function pageOf(referer: string | undefined, origin: string): string {
  if (referer === undefined || !URL.canParse(referer)) return '/'
  const page = new URL(referer)
  return page.host === new URL(origin).host ? page.pathname.replace(/^\/+/, '/') + page.search : '/'
}

import type { FastifyInstance } from 'fastify'
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
 * `GET /appearance/{light|dark|system}`, `/appearance/keys/{on|off}` and `/appearance/language/{language}`: store the
 * choice and return to the page. They are links rather than forms, because they affect only how pages look and react.
 * Requests from other sites change nothing.
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

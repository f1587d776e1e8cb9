import type { FastifyReply } from 'fastify'

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

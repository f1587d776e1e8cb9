import type { FastifyPluginAsync, FastifyReply } from 'fastify'

const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** One cookie for all surfaces of a host, without a secret in it. */
const cookie = 'gatehouse-theme'
const oneYearSeconds = 365 * 24 * 3_600

/** The reader's choice; undefined leaves it to the system. */
export function chosenTheme(cookies: Record<string, string | undefined>): Theme | undefined {
  return themes.find((theme) => theme === cookies[cookie])
}

/**
 * `GET /appearance/{light|dark|system}`: keeps the choice and returns to the page it was made on. A link and
 * not a form, since it changes nothing but the colours; still no other site may make the choice.
 */
export const appearanceRoute: FastifyPluginAsync = async (app) => {
  for (const choice of [...themes, 'system']) {
    app.get(`/appearance/${choice}`, async (request, reply) => {
      if (request.headers['sec-fetch-site'] !== 'cross-site') keep(reply, choice)
      return reply
        .header('cache-control', 'no-store')
        .redirect(pageOf(request.headers.referer, `${request.protocol}://${request.host}`), 303)
    })
  }
}

function keep(reply: FastifyReply, choice: string): void {
  const options = { path: '/', httpOnly: true, sameSite: 'lax', maxAge: oneYearSeconds } as const
  if (choice === 'system') reply.clearCookie(cookie, options)
  else reply.setCookie(cookie, choice, options)
}

/** Path and query of the page the link stood on, when it was one of ours. */
function pageOf(referer: string | undefined, origin: string): string {
  if (referer === undefined || !URL.canParse(referer)) return '/'
  const page = new URL(referer)
  return page.host === new URL(origin).host ? page.pathname.replace(/^\/+/, '/') + page.search : '/'
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseApplicationId, parseBotId } from '../domain/ids.ts'

/**
 * IDs of the bots and applications that were opened last in this browser, separated by dots, for the order of search
 * results. Surfaces of the same host share the cookie. It grants nothing, so it needs no signature.
 */
const cookie = 'gatehouse-recent'
const idsMax = 8
const oneMonthSeconds = 30 * 24 * 3_600

/** Returns the IDs of the bots and applications that were opened in this browser, the last one first. */
export function recentObjects({ cookies }: FastifyRequest): string[] {
  return (cookies[cookie] ?? '').split('.', idsMax).filter(Boolean)
}

/** Remembers the bot or application in the URL of a page. */
export function rememberObject(request: FastifyRequest, reply: FastifyReply): void {
  const { botId, applicationId } = request.params as { botId?: string; applicationId?: string }
  const id = parseBotId(botId ?? '') ?? parseApplicationId(applicationId ?? '')
  const known = recentObjects(request)
  if (id === undefined || known[0] === id) return
  const ids = [id, ...known.filter((each) => each !== id)].slice(0, idsMax)
  reply.setCookie(cookie, ids.join('.'), { path: '/', httpOnly: true, sameSite: 'lax', maxAge: oneMonthSeconds })
}

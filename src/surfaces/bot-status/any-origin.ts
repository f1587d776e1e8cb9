import type { FastifyReply } from 'fastify'

/** Lets scripts of any origin read a response. Bot status is public, and nothing in it depends on cookies. */
export const anyOrigin = { 'access-control-allow-origin': '*' }

export const preflightHeaders = {
  ...anyOrigin,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
}

export function sendPreflight(reply: FastifyReply): FastifyReply {
  return reply.code(204).headers(preflightHeaders).send()
}

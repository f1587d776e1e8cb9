import type { FastifyReply } from 'fastify'
import { sendPage } from '../../pages/page.ts'
import { nothingToSee, tooManyRequests } from './views/refusal-pages.ts'

/** Sends the 404 page, which is the same whatever the reason. */
export function sendNothingToSee(reply: FastifyReply): FastifyReply {
  return sendPage(reply, nothingToSee(), { status: 404 })
}

export function sendTooMany(reply: FastifyReply, retryAfterSec: number, status = 429): FastifyReply {
  reply.header('retry-after', String(retryAfterSec))
  return sendPage(reply, tooManyRequests(retryAfterSec), { status })
}

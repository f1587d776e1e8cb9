import type { FastifyReply } from 'fastify'
import type { Html } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/signed-in.ts'

export interface PortalPageServices {
  guard: PageGuard
  /** Where users sign in. */
  baseUrl: string
}

/** Sends a page whose forms may redirect to the sign-in if the session has ended meanwhile. */
export function sendPortalPage(
  { baseUrl }: PortalPageServices,
  reply: FastifyReply,
  content: Html,
  status = 200,
): FastifyReply {
  return sendPage(reply, content, { status, formOrigins: [baseUrl] })
}

import type { FastifyReply } from 'fastify'
import type { Html } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'

export interface PortalPageServices {
  guard: PageGuard
  /** Origin of the sign-in. */
  baseUrl: string
}

/** Sends a page whose form policy allows redirects to the sign-in, for sessions that end while the page is open. */
export function sendPortalPage(
  { baseUrl }: PortalPageServices,
  reply: FastifyReply,
  content: Html,
  status = 200,
): FastifyReply {
  return sendPage(reply, content, { status, formOrigins: [baseUrl] })
}

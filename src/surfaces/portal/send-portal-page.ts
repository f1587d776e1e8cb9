import type { FastifyReply } from 'fastify'
import type { Html } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'

export interface PortalPageServices {
  guard: PageGuard
  /** The sign-in page's origin. */
  baseUrl: string
}

/** Sends a page whose forms may redirect to the sign-in page, in case the session ends while the page is open. */
export function sendPortalPage(
  { baseUrl }: PortalPageServices,
  reply: FastifyReply,
  content: Html,
  status = 200,
): FastifyReply {
  return sendPage(reply, content, { status, formOrigins: [baseUrl] })
}

import type { FastifyReply } from 'fastify'
import { linkButton } from '../../../pages/components/button.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { page, sendPage } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { linkedAccountsWords } from '../words.ts'

/**
 * Sends a page that forwards the browser to a provider, or back here, with a `Refresh` header. A redirect wouldn't
 * work: browsers apply the posting page's `form-action` policy to every redirect, and the provider's own redirects are
 * unknown (decision 0015).
 *
 * @param address a URL of this service or the provider. Must never come from a request.
 */
export function sendForwardingPage(
  reply: FastifyReply,
  { title, why, address }: { title: Text; why: Text; address: string },
): FastifyReply {
  return sendPage(reply.header('refresh', `0; url=${address}`), forwardingPage({ title, why, address }))
}

function forwardingPage({ title, why, address }: { title: Text; why: Text; address: string }): Html {
  return page({
    title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<p>${why}</p>
<div class="buttons">${linkButton({ label: linkedAccountsWords.forwarding.goOn, href: address, tone: 'primary' })}</div>`,
  })
}

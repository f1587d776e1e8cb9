import type { FastifyReply } from 'fastify'
import { linkButton } from '../../../pages/components/button.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { page, sendPage } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { linkedAccountsWords } from '../words.ts'

/**
 * A page that leads on by itself. A redirect would not do, on the way out as little as on the way back: browsers
 * apply the form policy of the page whose form was sent to every redirect that follows from it, and where the
 * provider redirects to is not known here, nor where we do there (decision 0015).
 *
 * @param address ours, or a provider's; never taken from a request.
 */
export function sendPassingPage(
  reply: FastifyReply,
  { title, why, address }: { title: Text; why: Text; address: string },
): FastifyReply {
  return sendPage(reply.header('refresh', `0; url=${address}`), passingPage({ title, why, address }))
}

function passingPage({ title, why, address }: { title: Text; why: Text; address: string }): Html {
  return page({
    title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<p>${why}</p>
<div class="buttons">${linkButton({ label: linkedAccountsWords.passing.goOn, href: address, tone: 'primary' })}</div>`,
  })
}

import type { FastifyReply } from 'fastify'
import { linkButton } from '../../pages/components/button.ts'
import { waitWords } from '../../pages/components/figures.ts'
import { errorPage } from '../../pages/error-page.ts'
import { t } from '../../pages/html.ts'
import { type Person, sendPage } from '../../pages/page.ts'
import { identityPlace } from '../../pages/places.ts'

/**
 * Sends the 404 page, which is the same for unknown bots, deleted bots and bots without public status.
 *
 * @param person the signed-in user, if any.
 */
export function sendNothingToSee(reply: FastifyReply, person?: Person): FastifyReply {
  const error = {
    what: t`Status not found`,
    why: t`No bot has this ID, or its status isn’t public.`,
    whatToDo: t`Check the URL. If this is your bot, make its status public.`,
    ways: [linkButton({ label: t`Go to ${identityPlace.name}`, href: identityPlace.href, tone: 'plain' })],
  }
  return sendPage(reply, errorPage(error, { place: identityPlace, person }), { status: 404 })
}

export function sendTooMany(reply: FastifyReply, retryAfterSec: number, status = 429): FastifyReply {
  const error = {
    what: t`Too many requests`,
    why: t`Your network requested more than 60 status pages in a minute, or too many visitors are connected.`,
    whatToDo: t`Try again in ${waitWords(retryAfterSec * 1_000)}.`,
    ways: [linkButton({ label: t`Open page again`, href: '', tone: 'plain' })],
  }
  reply.header('retry-after', String(retryAfterSec))
  return sendPage(reply, errorPage(error, { place: identityPlace }), { status })
}

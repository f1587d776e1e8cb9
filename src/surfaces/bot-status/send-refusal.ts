import type { FastifyReply } from 'fastify'
import { linkButton } from '../../pages/components/button.ts'
import { waitWords } from '../../pages/components/figures.ts'
import { errorPage } from '../../pages/error-page.ts'
import { type Html, t } from '../../pages/html.ts'
import { type Person, sendPage } from '../../pages/page.ts'
import { identityPlace } from '../../pages/places.ts'
import { botStatusWords } from './words.ts'

/**
 * Sends the 404 page, which is the same whatever the reason.
 *
 * @param person the signed-in user, if any.
 */
export function sendNothingToSee(reply: FastifyReply, person?: Person): FastifyReply {
  return sendPage(reply, nothingToSee(person), { status: 404 })
}

export function sendTooMany(reply: FastifyReply, retryAfterSec: number, status = 429): FastifyReply {
  reply.header('retry-after', String(retryAfterSec))
  return sendPage(reply, tooManyRequests(retryAfterSec), { status })
}

const { tooMany, nothingToSee: nothing } = botStatusWords

function tooManyRequests(retryAfterSec: number): Html {
  return errorPage(
    {
      ...tooMany,
      whatToDo: tooMany.whatToDo(waitWords(retryAfterSec * 1_000)),
      ways: [linkButton({ label: t`Open page again`, href: '', tone: 'plain' })],
    },
    { place: identityPlace },
  )
}

/** Renders the 404 page, which is the same for unknown bots, deleted bots and bots without public status. */
function nothingToSee(person: Person | undefined): Html {
  return errorPage(
    {
      ...nothing,
      ways: [linkButton({ label: t`Go to ${identityPlace.name}`, href: identityPlace.href, tone: 'plain' })],
    },
    { place: identityPlace, person },
  )
}

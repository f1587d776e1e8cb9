import type { FastifyReply } from 'fastify'
import type { Clock } from '../../domain/clock.ts'
import { network } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type RequestCount, SlidingLog } from '../../domain/limits/sliding-log.ts'
import { linkButton } from '../../pages/components/elements.ts'
import { waitWords } from '../../pages/components/figures.ts'
import { errorPage } from '../../pages/error-page.ts'
import { t } from '../../pages/html.ts'
import { type Person, sendPage } from '../../pages/page.ts'
import { identityPlace } from '../../pages/places.ts'

/** Maximum length of an IPv6 address as text. Longer values are truncated, so that they can't use up memory. */
const addressMaxCharacters = 45

/**
 * Returns a function that counts a response (by default, 60 per address or IPv6 /64 in any 60 seconds) and returns the
 * seconds to wait if it exceeds the limit, as a promise if other nodes share the count. Rejections count, too, so a
 * client that keeps exceeding the limit stays blocked until it slows down.
 */
export function requestLimit(
  clock: Clock,
  answers: Pick<RequestCount, 'take'> = new SlidingLog(limits.botStatusRequests),
) {
  /** @param address in canonical form. */
  return (address: string): number | undefined | Promise<number | undefined> => {
    const client = network(address.slice(0, addressMaxCharacters))
    const waitMs = answers.take(client, clock.nowMs())
    return typeof waitMs === 'number' ? inSeconds(waitMs) : waitMs.then(inSeconds)
  }
}

function inSeconds(waitMs: number): number | undefined {
  return waitMs === 0 ? undefined : Math.ceil(waitMs / 1_000)
}

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

/** Sends the 404 page, the same for unknown bots, deleted ones, and those without public status. */
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

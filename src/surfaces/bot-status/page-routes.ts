import type { FastifyPluginAsync } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { canonicalAddress } from '../../http/client-address.ts'
import { linkButton } from '../../http/components/button.ts'
import { errorPage } from '../../http/error-page.ts'
import { sendPage } from '../../http/page.ts'
import { identityPlace } from '../../http/places.ts'
import { waitInWords } from '../../http/wait-in-words.ts'
import { RequestLimit } from './rate-limit.ts'
import { statusPage } from './views/status-page.ts'

/** `GET {base_url}/botstatus/{botRef}`: the status as a page. It has the record's limit over again, for itself. */
export function botStatusPages({ bots, clock }: { bots: Bots; clock: Clock }): FastifyPluginAsync {
  return async (app) => {
    const limit = new RequestLimit(clock)

    app.get<{ Params: { botRef: string } }>('/botstatus/:botRef', async (request, reply) => {
      const retryAfterSec = limit.take(canonicalAddress(request.ip))
      if (retryAfterSec !== undefined) {
        reply.header('retry-after', String(retryAfterSec))
        return sendPage(reply, tooMany(retryAfterSec), { status: 429 })
      }
      const { botRef } = request.params
      const bot = await bots.publicBot(botRef)
      if (bot === undefined) return sendPage(reply, nothingToSee(), { status: 404 })
      return sendPage(reply, statusPage(bot, clock.nowMs(), `/botstatus/${encodeURIComponent(botRef)}/api`))
    })
  }
}

function tooMany(retryAfterSec: number) {
  return errorPage(
    {
      what: 'Too many requests',
      why: 'Your network asked for more than 60 status pages within a minute.',
      whatToDo: `Try again in ${waitInWords(retryAfterSec * 1_000)}.`,
      ways: [linkButton({ label: 'Open the page again', href: '', tone: 'plain' })],
    },
    { place: identityPlace },
  )
}

function nothingToSee() {
  return errorPage(
    {
      what: 'There is no status to see here',
      why: 'No bot has this id, or its owner has not opened its status to the public.',
      whatToDo: 'Check the address. If the bot is yours, switch its public status on.',
      ways: [linkButton({ label: `Go to ${identityPlace.name}`, href: identityPlace.href, tone: 'plain' })],
    },
    { place: identityPlace },
  )
}

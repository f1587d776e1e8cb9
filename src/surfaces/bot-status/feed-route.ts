import { createHash } from 'node:crypto'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { languages } from '../../domain/language.ts'
import { botStatusCacheSeconds } from '../../domain/limits/limits.ts'
import { languageOf } from '../../http/browser-info.ts'
import { canonicalAddress } from '../../http/client-address.ts'
import type { Mount } from '../../http/new-app.ts'
import { RequestLimit } from './rate-limit.ts'
import { sendNothingToSee, sendTooMany } from './send-refusal.ts'
import { atomFeed } from './views/feed.ts'

interface Services {
  bots: Pick<Bots, 'statusBoard' | 'incidents'>
  clock: Clock
  baseUrl: string
}

type Feed = { Params: { botRef: string }; Querystring: { language?: unknown } }

/**
 * `GET {base_url}/botstatus/{botRef}/feed.atom`: incidents and the owner's notice as an Atom feed. Has the status
 * API's rate limit, counted separately.
 *
 * Feed readers rarely send the reader's language, so links to the feed contain it.
 */
export function botStatusFeed({ bots, clock, baseUrl }: Services): Mount {
  return (app) => {
    const limit = new RequestLimit(clock)
    app.get<Feed>('/botstatus/:botRef/feed.atom', async (request, reply) => {
      const retryAfterSec = await limit.take(canonicalAddress(request.ip))
      if (retryAfterSec !== undefined) return sendTooMany(reply, retryAfterSec)
      const bot = await bots.statusBoard.find(request.params.botRef)
      if (bot === undefined) return sendNothingToSee(reply)
      const asked = languages.find((known) => known === request.query.language)
      const language = asked ?? languageOf(request)
      const page = `${baseUrl}/botstatus/${bot.status.chatPlatformId}`
      const self = `${page}/feed.atom${asked === undefined ? '' : `?language=${asked}`}`
      const incidents = await bots.incidents.of(bot.id)
      const text = atomFeed({ bot, incidents, page, self, language }).in(language)
      const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`
      reply.headers({
        etag,
        'cache-control': `public, max-age=${botStatusCacheSeconds}`,
        vary: 'accept-language, cookie',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      })
      if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
      return reply.type('application/atom+xml; charset=utf-8').send(text)
    })
  }
}

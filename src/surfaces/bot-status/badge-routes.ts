import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import {
  badgeLabelMaxCharacters,
  badgeRequestsPerMinute,
  botStatusCacheSeconds,
  botStatusRequests,
} from '../../domain/limits/limits.ts'
import { SlidingLog } from '../../domain/limits/sliding-log.ts'
import { canonicalAddress } from '../../http/client-address.ts'
import type { Mount } from '../../http/new-app.ts'
import { RequestLimit } from './rate-limit.ts'
import { badge, badgeStyles, badgeWords } from './views/badge.ts'

interface Query {
  label?: string | string[]
  style?: string | string[]
}

const headers = {
  'access-control-allow-origin': '*',
  // Allows cross-origin isolated pages to embed the badge.
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': `public, max-age=${botStatusCacheSeconds}, s-maxage=${botStatusCacheSeconds}`,
  'x-content-type-options': 'nosniff',
}

/**
 * Serves `…/badge.svg`, and `…/shield.json` for services that render badges (shields.io endpoint schema).
 *
 * Both respond with 200 and "unknown" if there is no public status. Badges are embedded in other sites, where an error
 * would show up as a broken image.
 */
export function botStatusBadges({ bots, clock }: { bots: Pick<Bots, 'statusBoard'>; clock: Clock }): Mount {
  return (app) => {
    const limit = new RequestLimit(clock, new SlidingLog({ ...botStatusRequests, limit: badgeRequestsPerMinute }))
    const route = (file: string, send: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) => {
      app.get(`/botstatus/:botRef/${file}`, async (request, reply) => {
        const retryAfterSec = await limit.take(canonicalAddress(request.ip))
        if (retryAfterSec !== undefined) return tooMany(reply, retryAfterSec)
        return send(request, reply)
      })
      app.options(`/botstatus/:botRef/${file}`, async (_request, reply) =>
        reply
          .code(204)
          .headers({
            'access-control-allow-origin': '*',
            'access-control-allow-methods': 'GET, HEAD, OPTIONS',
            'access-control-allow-headers': '*',
            'access-control-max-age': '86400',
          })
          .send(),
      )
    }

    const wordsFor = async ({ params }: FastifyRequest) => {
      const { botRef } = params as { botRef: string }
      return badgeWords((await bots.statusBoard.find(botRef))?.state)
    }

    route('badge.svg', async (request, reply) => {
      const { style } = request.query as Query
      const drawn = badge({
        label: labelOf(request),
        style: badgeStyles.find((known) => known === style) ?? 'flat',
        words: await wordsFor(request),
      })
      return reply
        .headers({ ...headers, 'content-type': 'image/svg+xml; charset=utf-8', 'content-security-policy': noScripts })
        .send(drawn.in('en'))
    })

    route('shield.json', async (request, reply) => {
      const { message, colour } = await wordsFor(request)
      return reply
        .headers({ ...headers, 'content-type': 'application/json; charset=utf-8' })
        .send(JSON.stringify({ schemaVersion: 1, label: labelOf(request), message, color: colour.slice(1) }))
    })
  }
}

/** Content security policy that takes effect if a user opens the badge as a page. */
const noScripts = "default-src 'none'; frame-ancestors 'none'"

/**
 * Returns the label without unprintable characters, truncated to its maximum length. Never rejects a label, because a
 * badge can't show an error message.
 */
function labelOf(request: FastifyRequest): string {
  const { label } = request.query as Query
  if (typeof label !== 'string') return 'bot'
  return [...label.replace(/[\p{Cc}\p{Cs}\p{Cn}]/gu, '')].slice(0, badgeLabelMaxCharacters).join('').trim()
}

function tooMany(reply: FastifyReply, retryAfterSec: number): FastifyReply {
  return reply
    .code(429)
    .headers({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'retry-after': String(retryAfterSec),
      'content-type': 'application/json; charset=utf-8',
    })
    .send(JSON.stringify({ error: 'Rate limit exceeded', retryAfterSec, limit: badgeRequestsPerMinute }))
}

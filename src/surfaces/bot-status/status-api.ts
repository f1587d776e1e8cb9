import type { FastifyBaseLogger } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { BotStatus } from '../../domain/bots/status/bot-status.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { RequestCount } from '../../domain/limits/sliding-log.ts'
import { type RawResponse, rawResponse } from '../../http/raw-exchange.ts'
import { type RawParts, RawRoutes, type Respond } from '../../http/raw-routes.ts'
import { clientAddress } from '../../http/request-origin.ts'
import { anyOrigin, preflightHeaders, requestLimit } from './public-access.ts'

interface BotStatusParts extends RawParts {
  bots: Pick<Bots, 'statusBoard'>
  log: FastifyBaseLogger
  requests: RequestCount
}

/** `{base_url}/botstatus/{botRef}/api`: a bot's public status record. Pages all over the web poll it. */
export function botStatusRoutes({ bots, log, requests, ...raw }: BotStatusParts): RawRoutes {
  const { clock, trust } = raw
  const limit = requestLimit(clock, requests)
  /** JSON of each status, up to and including the name `checkedAt`. Each response appends the current time. */
  const texts = new WeakMap<BotStatus, string>()

  function record(status: BotStatus): RawResponse {
    const text = texts.getOrInsertComputed(status, () => `${JSON.stringify(status).slice(0, -1)},"checkedAt":`)
    return rawResponse(200, statusHeaders, `${text}${clock.nowMs()}}`)
  }

  const status: Respond = ({ parameters: [botRef = ''] }) => {
    const text = botRef.includes('%') ? decoded(botRef) : botRef
    const cached = bots.statusBoard.recall(text)
    if (cached !== undefined) return record(cached.status)
    return bots.statusBoard.find(text).then((found) => (found === undefined ? notFound : record(found.status)))
  }

  function limited(respond: Respond): Respond {
    const judge = (retryAfterSec: number | undefined, request: Parameters<Respond>[0]) =>
      retryAfterSec === undefined ? respond(request) : limitExceeded(retryAfterSec)
    return (request) => {
      const taken = limit(clientAddress(request.message, trust))
      return taken instanceof Promise ? taken.then((wait) => judge(wait, request)) : judge(taken, request)
    }
  }

  return new RawRoutes({
    ...raw,
    routes: [
      {
        pattern: '/botstatus/:botRef/api',
        path: /^\/botstatus\/([^/]+)\/api$/,
        methods: { GET: limited(status), HEAD: limited(status), OPTIONS: () => preflight },
        otherMethod: limited(() => methodNotAllowed),
      },
    ],
    log,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    refuse(error) {
      log.error({ err: error }, 'bot status failed')
      return internalFailure
    },
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The wire format of `GET {base_url}/botstatus/{botRef}/api` (specification, "Bot status API"). */
const statusHeaders: readonly string[] = [
  ...Object.entries(anyOrigin).flat(),
  ...['cache-control', `public, max-age=${limits.botStatusCacheSeconds}, s-maxage=${limits.botStatusCacheSeconds}`],
  ...['content-type', 'application/json; charset=utf-8'],
]

const passingHeaders = [
  ...Object.entries(anyOrigin).flat(),
  ...['cache-control', 'no-store'],
  ...['content-type', 'application/json; charset=utf-8'],
]

export const preflight = rawResponse(204, Object.entries(preflightHeaders).flat())

export const notFound = rawResponse(404, statusHeaders, JSON.stringify({ error: 'Not found' }))

export const internalFailure = rawResponse(500, passingHeaders, JSON.stringify({ error: 'Internal server error' }))

/** The specification doesn't define this response. RFC 9110 section 15.5.6 requires `Allow`. */
export const methodNotAllowed = rawResponse(
  405,
  [...passingHeaders, 'allow', 'GET, HEAD, OPTIONS'],
  JSON.stringify({ error: 'Method not allowed' }),
)

export function limitExceeded(retryAfterSec: number): RawResponse {
  const headers = [
    ...passingHeaders,
    ...['retry-after', String(retryAfterSec)],
    // Lets scripts from other origins read Retry-After.
    ...['access-control-expose-headers', 'Retry-After'],
  ]
  const body = { error: 'Rate limit exceeded', retryAfterSec, limit: limits.botStatusRequestsPerMinute }
  return rawResponse(429, headers, JSON.stringify(body))
}

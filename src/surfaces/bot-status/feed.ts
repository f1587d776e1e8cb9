import { createHash } from 'node:crypto'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Incident, PublicBot } from '../../domain/bots/status/status-board.ts'
import type { Clock } from '../../domain/clock.ts'
import { languages } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { clientAddressOf, languageOf } from '../../http/request-origin.ts'
import { type Html, html, type Text, t, Words } from '../../pages/html.ts'
import { anyOrigin, requestLimit, sendNothingToSee, sendPreflight, sendTooMany } from './public-access.ts'
import { incidentWords } from './words.ts'

interface Services {
  bots: Pick<Bots, 'statusBoard' | 'incidentsOf'>
  clock: Clock
  baseUrl: string
}

type Feed = { Params: { botRef: string }; Querystring: { language?: unknown } }

/**
 * `GET {base_url}/botstatus/{botRef}/feed.atom`: incidents and notice as an Atom feed, with a rate limit of its own.
 * Links to it name the language, because feed readers rarely send the reader's.
 */
export function botStatusFeed({ bots, clock, baseUrl }: Services): Mount {
  return (app) => {
    const limit = requestLimit(clock)
    app.options('/botstatus/:botRef/feed.atom', async (_request, reply) => sendPreflight(reply))
    app.get<Feed>('/botstatus/:botRef/feed.atom', async (request, reply) => {
      reply.headers({ ...anyOrigin, 'access-control-expose-headers': 'ETag, Retry-After' })
      const retryAfterSec = await limit(clientAddressOf(request))
      if (retryAfterSec !== undefined) return sendTooMany(reply, retryAfterSec)
      const bot = await bots.statusBoard.find(request.params.botRef)
      if (bot === undefined) return sendNothingToSee(reply)
      const asked = languages.find((known) => known === request.query.language)
      const language = asked ?? languageOf(request)
      const page = `${baseUrl}/botstatus/${bot.status.chatPlatformId}`
      const self = `${page}/feed.atom${asked === undefined ? '' : `?language=${asked}`}`
      const incidents = await bots.incidentsOf(bot.id)
      const text = atomFeed({ bot, incidents, page, self, language }).in(language)
      const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`
      reply.headers({
        etag,
        'cache-control': `public, max-age=${limits.botStatusCacheSeconds}`,
        vary: 'accept-language, cookie',
        'x-content-type-options': 'nosniff',
      })
      if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
      return reply.type('application/atom+xml; charset=utf-8').send(text)
    })
  }
}

/** Returns the URL of the feed, which is in the language of the page that links to it. */
export function feedPath(path: string): Html {
  return html`${path}/feed.atom?language=${new Words((language) => language)}`
}

interface Entry {
  /** Unique within the feed. Never changes. */
  key: string
  title: Text
  content: Text
  publishedAtMs: number
  updatedAtMs: number
}

const shownMax = 50

/**
 * Renders incidents and notice as an Atom feed (RFC 4287), newest first.
 * @param page the status page's URL, also the ID of the feed and, with a fragment, of the entries.
 * @param self the feed's URL.
 */
function atomFeed(parts: {
  bot: PublicBot
  incidents: readonly Incident[]
  page: string
  self: string
  language: string
}): Html {
  const { bot, page, self, language } = parts
  const name = printable(bot.status.name)
  const entries = [
    ...noticeEntry(bot, name),
    ...parts.incidents.slice(0, shownMax).map((one) => incidentEntry(one, name)),
  ]
  const updatedAtMs = Math.max(bot.createdAtMs, ...entries.map((entry) => entry.updatedAtMs))
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${page}</id>
<title>${t`Status of ${name}`}</title>
<updated>${dateTime(updatedAtMs)}</updated>
<author><name>${name}</name></author>
<generator>Gatehouse</generator>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${page}"/>
${entries
  .toSorted((one, other) => other.publishedAtMs - one.publishedAtMs)
  .map(
    ({ key, title, content, publishedAtMs, updatedAtMs: changedAtMs }) => html`<entry>
<id>${page}#${key}</id>
<title>${title}</title>
<published>${dateTime(publishedAtMs)}</published>
<updated>${dateTime(changedAtMs)}</updated>
<link rel="alternate" type="text/html" href="${page}"/>
<content type="text">${content}</content>
</entry>
`,
  )}</feed>
`
}

function incidentEntry(incident: Incident, name: string): Entry {
  const { beganAtMs, endedAtMs } = incident
  return {
    key: `incident-${beganAtMs}`,
    title: incidentWords.inFeed(name, incident),
    content: t`${incidentWords.period(incident)} (UTC).`,
    publishedAtMs: beganAtMs,
    updatedAtMs: endedAtMs ?? beganAtMs,
  }
}

function noticeEntry({ notice }: PublicBot, name: string): Entry[] {
  if (notice === undefined) return []
  const { setAtMs } = notice
  const text = printable(notice.text)
  return [
    {
      key: `notice-${setAtMs}`,
      title: t`${name}: notice: ${text}`,
      content: text,
      publishedAtMs: setAtMs,
      updatedAtMs: setAtMs,
    },
  ]
}

function dateTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Removes characters that XML 1.0 does not allow even when escaped. */
function printable(text: string): string {
  return text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
}

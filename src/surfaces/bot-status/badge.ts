import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bots } from '../../domain/bots/bots.ts'
import type { BotState } from '../../domain/bots/status/bot-status.ts'
import type { Clock } from '../../domain/clock.ts'
import * as limits from '../../domain/limits/limits.ts'
import { SlidingLog } from '../../domain/limits/sliding-log.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import type { Mount } from '../../http/new-app.ts'
import { clientAddressOf } from '../../http/request-origin.ts'
import { type Html, html } from '../../pages/html.ts'
import { anyOrigin, requestLimit, sendPreflight } from './public-access.ts'

interface Query {
  label?: string | string[]
  style?: string | string[]
}

const headers = {
  ...anyOrigin,
  // Allows cross-origin isolated pages to embed the badge.
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': `public, max-age=${limits.botStatusCacheSeconds}, s-maxage=${limits.botStatusCacheSeconds}`,
  'x-content-type-options': 'nosniff',
}

/**
 * Serves `…/badge.svg`, and `…/shield.json` for services that render badges (shields.io). Both respond with 200 and
 * “unknown” even if there is no public status or database: an error would be a broken image in other sites.
 */
export function botStatusBadges({ bots, clock }: { bots: Pick<Bots, 'statusBoard'>; clock: Clock }): Mount {
  return (app) => {
    const requests = new SlidingLog({ ...limits.botStatusRequests, limit: limits.badgeRequestsPerMinute })
    const limit = requestLimit(clock, requests)
    const route = (file: string, send: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) => {
      app.get(`/botstatus/:botRef/${file}`, async (request, reply) => {
        const retryAfterSec = await limit(clientAddressOf(request))
        if (retryAfterSec !== undefined) return tooMany(reply, retryAfterSec)
        return send(request, reply)
      })
      app.options(`/botstatus/:botRef/${file}`, async (_request, reply) => sendPreflight(reply))
    }

    const wordsFor = async ({ params }: FastifyRequest) => {
      const { botRef } = params as { botRef: string }
      const found = await bots.statusBoard.find(botRef).catch((error) => {
        if (!(error instanceof StoreUnavailable)) throw error
      })
      return badges[found?.state ?? 'unknown']
    }

    route('badge.svg', async (request, reply) => {
      const { style } = request.query as Query
      const drawn = badge({
        label: labelOf(request),
        big: style === 'for-the-badge',
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

/** Returns the label, printable and truncated. Never rejects one, because a badge can't show an error message. */
function labelOf(request: FastifyRequest): string {
  const { label } = request.query as Query
  if (typeof label !== 'string') return 'bot'
  return [...label.replace(/[\p{Cc}\p{Cs}\p{Cn}]/gu, '')].slice(0, limits.badgeLabelMaxCharacters).join('').trim()
}

function tooMany(reply: FastifyReply, retryAfterSec: number): FastifyReply {
  return reply
    .code(429)
    .headers({
      ...anyOrigin,
      'cache-control': 'no-store',
      'retry-after': String(retryAfterSec),
      'content-type': 'application/json; charset=utf-8',
    })
    .send(JSON.stringify({ error: 'Rate limit exceeded', retryAfterSec, limit: limits.badgeRequestsPerMinute }))
}

/** A badge's content. White text has enough contrast on each of the colours. */
interface BadgeWords {
  message: string
  colour: string
}

/** Always in English, because a badge is one cached image for everyone, embedded in sites in many languages. */
const badges: Record<BotState | 'unknown', BadgeWords> = {
  online: { message: 'online', colour: '#17693f' },
  connecting: { message: 'connecting', colour: '#7b5100' },
  offline: { message: 'offline', colour: '#b3261e' },
  'hosting-off': { message: 'hosting off', colour: '#53606f' },
  /** There is no public status. */
  unknown: { message: 'unknown', colour: '#667180' },
}

/** @param label the text on the left. If it is empty, the badge has no left part. */
function badge({ label, big, words }: { label: string; big: boolean; words: BadgeWords }): Html {
  const { message, colour } = words
  const cell = (text: string) => {
    const shown = big ? text.toUpperCase() : text
    const width = big ? Math.round(widthOf(shown) * 0.91 + shown.length * 1.25) : Math.round(widthOf(shown))
    return { shown, width, room: width + (big ? 24 : 12) }
  }
  const left = label === '' ? undefined : cell(label)
  const right = cell(message)
  const start = left?.room ?? 0
  const width = start + right.room
  const height = big ? 28 : 20
  const text = ({ shown, width: length, room }: ReturnType<typeof cell>, x: number, bold: boolean) =>
    html`<text x="${x + room / 2}" y="${big ? 18 : 14}" textLength="${length}"${bold && html` font-weight="bold"`}>${shown}</text>`
  const said = label === '' ? message : `${label}: ${message}`
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${said}"><title>${said}</title>
<clipPath id="shape"><rect width="${width}" height="${height}" rx="${big ? 4 : 3}"/></clipPath>
<g clip-path="url(#shape)">${left && html`<rect width="${start}" height="${height}" fill="#1a212b"/>`}<rect x="${start}" width="${right.room}" height="${height}" fill="${colour}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="${big ? 10 : 11}"${big && html` letter-spacing="1"`}>${left && text(left, 0, false)}${text(right, start, big)}</g></svg>`
}

/** Estimates the width in pixels of text in Verdana at 11 pixels. `textLength` then adjusts the text to that width. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text) {
    if (/[ijlI.,:;'|! ]/.test(letter)) width += 3.9
    else if (/[frt()[\]\-/]/.test(letter)) width += 4.8
    else if (/[mwMW@%]/.test(letter)) width += 10
    else if (/[A-Z]/.test(letter)) width += 7.8
    else width += letter.charCodeAt(0) < 0x1100 ? 6.8 : 11
  }
  return width
}

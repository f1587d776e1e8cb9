import type { Bots } from '../../domain/bots/bots.ts'
import { connectionState, type PublicBot, withoutOngoing } from '../../domain/bots/status/status-board.ts'
import { slotAt } from '../../domain/bots/status/status-meter.ts'
import { uptimeShare } from '../../domain/bots/status/status-span.ts'
import type { Clock } from '../../domain/clock.ts'
import { type Language, sourceLanguage } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { clientAddressOf, languageOf } from '../../http/request-origin.ts'
import { buttonRow, linkButton } from '../../pages/components/elements.ts'
import { percentWords } from '../../pages/components/figures.ts'
import { avatar } from '../../pages/components/pictures.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import { type Look, liveStreams, type ShownParts } from '../../pages/live-streams.ts'
import { page, sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { identityPlace } from '../../pages/places.ts'
import { feedPath } from './feed.ts'
import { PreviewPictures, previewPicture, previewSize } from './preview-pictures.ts'
import { requestLimit, sendNothingToSee, sendTooMany } from './public-access.ts'
import { type LiveParts, liveParts, type StatusView } from './views/live-parts.ts'
import { hourAndMinute, stateWords } from './words.ts'

interface Services {
  bots: Pick<Bots, 'statusBoard' | 'history' | 'incidentsOf'>
  clock: Clock
  guard: PageGuard
  baseUrl: string
}

type Ref = { Params: { botRef: string } }

/** `GET {base_url}/botstatus/{botRef}`, `…/events` (live updates) and `…/preview.png`, each with a rate limit. */
export function botStatusPages({ bots, clock, guard, baseUrl }: Services): Mount {
  const viewOf = async (bot: PublicBot | undefined): Promise<StatusView | undefined> => {
    const nowMs = clock.nowMs()
    if (bot === undefined) return undefined
    const [history, stored] = await Promise.all([bots.history.of(bot.id, nowMs), bots.incidentsOf(bot.id)])
    const incidents = connectionState(bot.state) === 'offline' ? stored : withoutOngoing(stored, nowMs)
    return history && { bot, history, incidents, nowMs }
  }
  const look = async (botRef: string): Promise<Look | undefined> => {
    const bot = await bots.statusBoard.find(botRef)
    if (bot === undefined) return undefined
    const parts = async (names: readonly string[], language: Language) => {
      const view = await viewOf(bot)
      return view && shownParts(view, names, language)
    }
    return { versions: versionsOf(bot, clock.nowMs()), parts }
  }

  return (app) => {
    const pageLimit = requestLimit(clock)
    app.get<Ref>('/botstatus/:botRef', async (request, reply) => {
      const retryAfterSec = await pageLimit(clientAddressOf(request))
      if (retryAfterSec !== undefined) return sendTooMany(reply, retryAfterSec)
      const { botRef } = request.params
      const view = await viewOf(await bots.statusBoard.find(botRef))
      if (view === undefined) return sendNothingToSee(reply, await guard.person(reply))
      const path = `/botstatus/${encodeURIComponent(botRef)}`
      const url = `${baseUrl}/botstatus/${view.bot.status.chatPlatformId}`
      return sendPage(reply, statusPage({ ...view, path, url }))
    })

    const streamLimit = requestLimit(clock)
    const streams = liveStreams(app, {
      most: { total: limits.statusStreamsMax, address: limits.statusStreamsPerAddress },
      pollMs: limits.statusStreamPollMs,
      clock,
      fault: 'status page update failed',
    })
    app.get<Ref>('/botstatus/:botRef/events', { exposeHeadRoute: false }, async (request, reply) => {
      const address = clientAddressOf(request)
      const retryAfterSec = await streamLimit(address)
      if (retryAfterSec !== undefined) return sendTooMany(reply, retryAfterSec)
      const { botRef } = request.params
      if ((await bots.statusBoard.find(botRef)) === undefined) return sendNothingToSee(reply)
      // Nothing is awaited between this check and `open`, so requests at the same time can't exceed the limit.
      const refusal = streams.refusal(address)
      // After the refusal, the page's script polls the page instead of streaming.
      if (refusal !== undefined) return sendTooMany(reply, 60, refusal === 'total' ? 503 : 429)
      reply.hijack()
      await streams.open({ key: botRef, look: () => look(botRef) }, languageOf(request), address, reply.raw)
    })

    const previewLimit = requestLimit(clock)
    const previews = new PreviewPictures(clock)
    app.addHook('onClose', () => previews.close())
    const host = new URL(baseUrl).host
    app.get<Ref>('/botstatus/:botRef/preview.png', async (request, reply) => {
      const retryAfterSec = await previewLimit(clientAddressOf(request))
      if (retryAfterSec !== undefined) return sendTooMany(reply, retryAfterSec)
      const view = await viewOf(await bots.statusBoard.find(request.params.botRef))
      if (view === undefined) return sendNothingToSee(reply)
      // The image uses one language for everyone, because it is cached and shown to everyone who sees the link.
      const picture = await previews.of(previewPicture({ ...view, host }).in(sourceLanguage))
      if (picture === undefined) return sendTooMany(reply, 5, 503)
      const etag = `"${picture.version}"`
      reply.headers({
        'cache-control': `public, max-age=${limits.previewCacheSeconds}`,
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        etag,
      })
      if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
      return reply.type('image/png').send(picture.png)
    })
  }
}

/**
 * Returns a version for each part of the page. The history's figures change constantly, but its version changes only
 * when a new slot begins or the state changes. Incidents are stored a little after the state has changed.
 */
function versionsOf({ status, state, notice }: PublicBot, nowMs: number): Record<keyof LiveParts | 'title', string> {
  const minutesSince = (ms: number | null | undefined) => Math.floor((nowMs - (ms ?? nowMs)) / 60_000)
  return {
    title: `${state} ${status.name}`,
    state,
    notice: `${minutesSince(notice?.setAtMs)} ${notice?.text ?? ''}`,
    facts: `${minutesSince(status.reportedAt)} ${JSON.stringify(status)}`,
    incidents: `${Math.floor(nowMs / limits.everyBotWatchMs)} ${state}`,
    history: `${slotAt(nowMs)} ${state}`,
  }
}

function shownParts(view: StatusView, names: readonly string[], language: Language): ShownParts {
  // As in the page's `<title>`, which the script updates.
  const title = html`${statusTitle(view)} · ${identityPlace.name}`
  const parts: Record<string, Html> = { title, ...liveParts(view) }
  const wanted = Object.entries(parts).filter(([name]) => names.includes(name))
  return Object.fromEntries(wanted.map(([name, part]) => [name, part.in(language)]))
}

interface StatusPage extends StatusView {
  /** The page's path, with the bot reference from the request. */
  path: string
  /** The page's public URL, which always contains the chat-platform ID. */
  url: string
}

function statusPage(view: StatusPage): Html {
  const { bot, nowMs, path } = view
  const { name } = bot.status
  const parts = liveParts(view)
  return page({
    title: statusTitle(view),
    place: identityPlace,
    styles: ['status.css'],
    modules: ['live.js'],
    head: head(view),
    body: html`<div class="bot">${avatar({ name, picture: bot.avatar })}<div class="words"><h1>${name}</h1>
<p class="bot-state" role="status"${live('state')}>${parts.state}</p></div></div>
<div${live('notice')}>${parts.notice}</div>
<div class="card"${live('facts')}>${parts.facts}</div>
<div class="card"${live('incidents')}>${parts.incidents}</div>
<div class="card history"${live('history')}>${parts.history}</div>
${subscribePart(view)}
<p class="soft small" data-events="${path}/events" data-live-said="${t`Live: this page updates automatically.`}" data-lost="${t`Connection lost. Reconnecting…`}" data-looked="${t`Updated every 15 seconds.`}"><span data-live-words>${t`As of ${hourAndMinute(nowMs)} UTC. Reload the page to update.`}</span> ${t.html`This status is also available <a href="${path}/api">as JSON</a>.`}</p>`,
  })
}

function statusTitle({ bot: { status, state } }: StatusView): Words {
  return t`${status.name}: ${stateWords[state].inSentence}`
}

function subscribePart({ path }: StatusPage): Html {
  const feed = linkButton({ label: t`Open Atom feed`, href: feedPath(path), tone: 'plain' })
  return html`<section class="card" aria-label="${t`Subscribe`}"><h2>${t`Subscribe`}</h2><p>${t`Follow incidents and notices in your feed reader.`}</p>${buttonRow(feed)}</section>`
}

function live(part: keyof LiveParts): Html {
  return html` data-live="${part}"`
}

/**
 * Renders the tags that chat programs and social networks use for link previews (Open Graph, and X's variant), and links
 * to the other forms of the page. The URLs in the tags are absolute, because these programs don't resolve relative ones.
 */
function head(view: StatusPage): Html {
  const { bot, history, url } = view
  const { inSentence, meaning } = stateWords[bot.state]
  const title = statusTitle(view)
  const share = uptimeShare(history.days)
  const description = share === null ? meaning : t`${meaning} ${percentWords(share)} online over the last 90 days.`
  // The URL contains the state, so that caches fetch the new image after a change.
  const picture = `${url}/preview.png?state=${bot.state}`
  const pictureWords = t`${bot.status.name} is ${inSentence}`
  return html`<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Gatehouse">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
<meta property="og:image" content="${picture}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${previewSize.width}">
<meta property="og:image:height" content="${previewSize.height}">
<meta property="og:image:alt" content="${pictureWords}">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="${description}">
<meta name="twitter:image" content="${picture}">
<meta name="twitter:image:alt" content="${pictureWords}">
<link rel="alternate" type="application/json" href="${view.path}/api">
<link rel="alternate" type="application/atom+xml" title="${t`Status of ${bot.status.name}`}" href="${feedPath(view.path)}">`
}

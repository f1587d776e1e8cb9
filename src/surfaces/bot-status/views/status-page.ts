import { uptimeShare } from '../../../domain/bots/status/status-span.ts'
import { buttonRow, linkButton } from '../../../pages/components/button.ts'
import { percentWords } from '../../../pages/components/figures.ts'
import { avatar } from '../../../pages/components/pictures.ts'
import { type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { feedPath } from '../feed.ts'
import { hourAndMinute, stateWords } from '../words.ts'
import { type LiveParts, liveParts, type StatusView } from './live-parts.ts'
import { previewSize } from './preview-picture.ts'

interface StatusPage extends StatusView {
  /** The page's path, with the bot reference from the request. */
  path: string
  /** The page's public URL, which always contains the chat-platform ID. */
  url: string
}

export function statusPage(view: StatusPage): Html {
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

/** Returns the same title as the page's `<title>` element, for the script that updates it. */
export function titleInTab(view: StatusView): Html {
  return html`${statusTitle(view)} · ${identityPlace.name}`
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

function head(view: StatusPage): Html {
  const { bot, history, url } = view
  const { inSentence, meaning } = stateWords[bot.state]
  const share = uptimeShare(history.days)
  return html`${socialTags({
    title: statusTitle(view),
    description: share === null ? meaning : t`${meaning} ${percentWords(share)} online over the last 90 days.`,
    url,
    picture: {
      // The URL contains the state, so that caches fetch the new image after a change.
      url: `${url}/preview.png?state=${bot.state}`,
      words: t`${bot.status.name} is ${inSentence}`,
      ...previewSize,
    },
  })}
<link rel="alternate" type="application/json" href="${view.path}/api">
<link rel="alternate" type="application/atom+xml" title="${t`Status of ${bot.status.name}`}" href="${feedPath(view.path)}">`
}

interface SocialTags {
  title: Text
  description: Text
  /** Absolute, like the image's URL, because programs that read these tags don't resolve relative URLs. */
  url: string
  picture: { url: string; words: Text; width: number; height: number }
}

/** Renders the tags that chat programs and social networks use for link previews (Open Graph, and X's variant). */
function socialTags({ title, description, url, picture }: SocialTags): Html {
  return html`<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Gatehouse">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
<meta property="og:image" content="${picture.url}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${picture.width}">
<meta property="og:image:height" content="${picture.height}">
<meta property="og:image:alt" content="${picture.words}">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="${description}">
<meta name="twitter:image" content="${picture.url}">
<meta name="twitter:image:alt" content="${picture.words}">`
}

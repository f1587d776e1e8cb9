import { uptimeShare } from '../../../domain/bots/status-span.ts'
import { avatar } from '../../../http/components/avatar.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import { type LiveParts, liveParts, type StatusView } from './live-parts.ts'
import { previewSize } from './preview-picture.ts'
import { socialTags } from './social-tags.ts'
import { statesInWords } from './state-in-words.ts'
import { percent } from './uptime-in-words.ts'

export interface StatusPage extends StatusView {
  /** The page's address: within the service, as it was asked for, and as others are to know it. */
  path: string
  url: string
}

export function statusPage(view: StatusPage): Html {
  const { bot, nowMs, path } = view
  const { name } = bot.status
  const parts = liveParts(view)
  return page({
    title: statusTitle(view),
    place: identityPlace,
    modules: ['bot-status.js'],
    head: head(view),
    body: html`<div class="bot">${avatar({ name, picture: bot.avatar })}<div class="words"><h1>${name}</h1>
<p class="bot-state" role="status"${live('state')}>${parts.state}</p></div></div>
<div${live('notice')}>${parts.notice}</div>
<div class="card"${live('facts')}>${parts.facts}</div>
<div class="card history"${live('history')}>${parts.history}</div>
<p class="soft small" data-events="${path}/events"><span data-live-words>As of ${utcTime(nowMs)} UTC. Reload the page for the latest.</span> Programs read the same <a href="${path}/api">as JSON</a>.</p>`,
  })
}

/** As the page frame makes it. */
export function titleInTab(view: StatusView): string {
  return `${statusTitle(view)} · ${identityPlace.name}`
}

function statusTitle({ bot: { status, state } }: StatusView): string {
  return `${status.name}: ${statesInWords[state].word.toLowerCase()}`
}

function live(part: keyof LiveParts): Html {
  return html` data-live="${part}"`
}

function head(view: StatusPage): Html {
  const { bot, history, url } = view
  const { word, meaning } = statesInWords[bot.state]
  const share = uptimeShare(history.days)
  return html`${socialTags({
    title: statusTitle(view),
    description: share === null ? meaning : `${meaning} ${percent(share)} online over the last 90 days.`,
    url,
    picture: {
      // The state in the address: who keeps pictures by their address gets the new one.
      url: `${url}/preview.png?state=${bot.state}`,
      words: `${bot.status.name} is ${word.toLowerCase()}`,
      ...previewSize,
    },
  })}
<link rel="alternate" type="application/json" href="${view.path}/api">`
}

function utcTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16)
}

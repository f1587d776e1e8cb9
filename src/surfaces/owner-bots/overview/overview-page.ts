import { mayDo } from '../../../domain/bots/bot-access.ts'
import { button } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { countWords } from '../../../pages/words/figures.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { doneNotice } from '../done-notice.ts'
import { botFrameWords, locationWords } from '../words.ts'
import { figures } from './figures.ts'
import type { OverviewData } from './overview-data.ts'
import { setupList } from './setup-list.ts'
import { stateLabel } from './state-label.ts'
import { ownStateWords, botOverviewWords as words } from './words.ts'

export interface OverviewView extends BotPageView, OverviewData {
  done: string | undefined
  baseUrl: string
}

/** Renders a bot's overview: state, what is missing to run it, figures and details. */
export function overviewPage(view: OverviewView): Html {
  const isSetUp = view.status.reportedAt !== null
  return botPartPage(view, {
    part: 'bot',
    done: doneNotice(view.done),
    body: html`${hero(view)}
${!isSetUp && setupList(view)}
${figures(view)}
${details(view)}`,
  })
}

/** Renders the state with the button that turns hosting on or off. */
function hero(view: OverviewView): Html {
  const { bot, person, state: is, status, nowMs } = view
  const { hostingEnabled } = bot
  const heard = status.reportedAt === null ? words.noHeartbeat : words.heartbeat(time(status.reportedAt, nowMs))
  return html`<section class="card hero" id="state" aria-label="${words.state}"><div class="stack tight">${stateLabel(is)}
<p>${ownStateWords[is].meaning} <span class="soft">${heard}</span></p></div>
${
  mayDo(view, 'switch-hosting') &&
  html`<form method="post" action="/bots/${bot.id}/hosting"><input type="hidden" name="form_token" value="${person.formToken}">
${button({
  label: hostingEnabled ? words.turnOff : words.turnOn,
  tone: hostingEnabled ? 'plain' : 'primary',
  name: 'hosting',
  value: hostingEnabled ? 'off' : 'on',
})}</form>`
}</section>`
}

function details({ bot, status, baseUrl }: OverviewView): Html {
  const { guildCount, shardCount } = status
  const { hostingLocation, chatPlatformId, publicStatus } = bot
  const count = (number: number | null) =>
    number === null ? html`<span class="soft">${botFrameWords.notKnown}</span>` : countWords(number)
  return section({
    id: 'details',
    title: words.details,
    about: html`<p>${words.detailsAbout(`/bots/${bot.id}/settings`)}</p>`,
    body: html`<div class="card"><dl>
<dt>${words.servers}</dt><dd>${count(guildCount)}</dd>
<dt>${words.shards}</dt><dd>${count(shardCount)}</dd>
<dt>${words.location}</dt><dd>${hostingLocation === null ? botFrameWords.notSet : locationWords[hostingLocation]}</dd>
<dt>${words.statusPage}</dt><dd>${publicStatus ? html`<a href="${baseUrl}/botstatus/${chatPlatformId}">${words.openStatusPage}</a>` : words.notPublic}</dd>
<dt>${words.plan}</dt><dd>${bot.plan}</dd>
<dt>${words.botId}</dt><dd><code>${bot.id}</code></dd>
<dt>${words.chatPlatformId}</dt><dd><code>${chatPlatformId}</code></dd>
</dl></div>`,
  })
}

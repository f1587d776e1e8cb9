import { mayDo } from '../../../domain/bots/bot-rights.ts'
import type { BotState, BotStatus } from '../../../domain/bots/status/bot-status.ts'
import type { StatusNotice } from '../../../domain/bots/status/status-notice.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { choices, textField } from '../../../pages/components/field.ts'
import { state } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { countWords } from '../../../pages/words/figures.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { doneNotice } from '../done-notice.ts'
import { botFrameWords } from '../words.ts'
import { stateLabel } from './state-label.ts'
import { statusSnippetSample } from './status-snippets.ts'
import { botOverviewWords, locationWords, ownStateWords } from './words.ts'

export interface BotView extends BotPageView {
  status: BotStatus
  state: BotState
  /** The notice on the status page, and the time it was set. */
  stored: StatusNotice | undefined
  /** Input of the notice form. */
  notice: string
  errors: readonly FormError[]
  done: string | undefined
  baseUrl: string
}

/** Renders a bot's overview: state, hosting and public status. */
export function botPage(view: BotView): Html {
  return botPartPage(view, {
    part: 'bot',
    done: doneNotice(view.done),
    body: html`${stateSection(view)}
${hostingSection(view)}
${publicStatusSection(view)}`,
  })
}

function stateSection({ bot, status, state: is, nowMs }: BotView): Html {
  const { reportedAt, guildCount, shardCount } = status
  const words = botOverviewWords.state
  const count = (number: number | null) =>
    number === null ? html`<span class="soft">${botFrameWords.notKnown}</span>` : countWords(number)
  return section({
    id: 'state',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card"><div class="stack tight">${stateLabel(is)}<p>${ownStateWords[is].meaning}</p></div>
<dl>
<dt>${words.lastHeartbeat}</dt><dd>${reportedAt === null ? botFrameWords.never : time(reportedAt, nowMs)}</dd>
<dt>${words.servers}</dt><dd>${count(guildCount)}</dd>
<dt>${words.shards}</dt><dd>${count(shardCount)}</dd>
<dt>${words.plan}</dt><dd>${bot.plan}</dd>
<dt>${words.botId}</dt><dd><code>${bot.id}</code></dd>
<dt>${words.chatPlatformId}</dt><dd><code>${bot.chatPlatformId}</code></dd>
</dl></div>`,
  })
}

function hostingSection(view: BotView): Html {
  const { bot, person } = view
  const words = botOverviewWords.hosting
  return section({
    id: 'hosting',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: mayDo(view, 'switch-hosting')
      ? html`<form class="card" method="post" action="/bots/${bot.id}/hosting">
<input type="hidden" name="form_token" value="${person.formToken}">
${choices({
  name: 'hosting',
  label: words.power,
  choose: 'one',
  chosen: [bot.hostingEnabled ? 'on' : 'off'],
  among: [
    { value: 'on', label: words.on, hint: words.onMeans },
    { value: 'off', label: words.off, hint: words.offMeans },
  ],
})}
${choices({
  name: 'location',
  label: words.location,
  choose: 'one',
  chosen: [bot.hostingLocation ?? ''],
  among: [
    { value: 'local', label: locationWords.local, hint: words.localMeans },
    { value: 'cloud', label: locationWords.cloud, hint: words.cloudMeans },
    { value: '', label: words.noLocation },
  ],
})}
${buttonRow(button({ label: words.save, tone: 'primary' }))}
</form>`
      : html`<div class="card"><dl><dt>${words.power}</dt><dd>${bot.hostingEnabled ? words.on : words.off}</dd>
<dt>${words.location}</dt><dd>${bot.hostingLocation === null ? words.noLocation : locationWords[bot.hostingLocation]}</dd></dl></div>`,
  })
}

function publicStatusSection(view: BotView): Html {
  const { bot, person, baseUrl } = view
  const address = `${baseUrl}/botstatus/${bot.chatPlatformId}`
  const words = botOverviewWords.publicStatus
  return section({
    id: 'public-status',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card">
${
  bot.publicStatus
    ? html`<div class="stack tight">${state({ tone: 'good', word: words.public })}<p>${words.publicMeans(address)}</p></div>
${copyField({ label: words.page, text: address })}
${copyField({ label: words.forPrograms, text: `${address}/api` })}
${statusSnippetSample({ baseUrl, chatPlatformId: bot.chatPlatformId, botName: bot.name })}`
    : html`<div class="stack tight">${state({ tone: 'neutral', word: words.notPublic })}<p>${words.notPublicMeans}</p></div>`
}
${
  mayDo(view, 'change-status-page') &&
  html`<form method="post" action="/bots/${bot.id}/public-status"><input type="hidden" name="form_token" value="${person.formToken}">
<div class="buttons">${
    bot.publicStatus
      ? html`${button({ label: words.close, tone: 'plain', name: 'public', value: 'no' })}<span class="soft small">${words.closeMeans}</span>`
      : html`${button({ label: words.open, tone: 'plain', name: 'public', value: 'yes' })}<span class="soft small">${words.openMeans}</span>`
  }</div></form>`
}
</div>${noticeForm(view)}`,
  })
}

/** Renders the status page's notice: a form, or plain text for users who aren't allowed to change it. */
function noticeForm(view: BotView): Html | false {
  const { bot, person, notice, errors, stored, nowMs } = view
  const words = botOverviewWords.notice
  if (!mayDo(view, 'change-status-page')) {
    return stored !== undefined && html`<div class="card"><h3>${words.title}</h3><p>${stored.text}</p></div>`
  }
  return html`<form class="card" method="post" action="/bots/${bot.id}/notice" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${textField({
  name: 'notice',
  label: words.label,
  hint: stored === undefined ? words.hint : words.hintWhenSet(time(stored.setAtMs, nowMs)),
  autocomplete: 'off',
  value: notice,
  error: errors.map(({ message }) => message),
  autofocus: errors.length > 0,
})}
<div class="buttons">${button({ label: words.save, tone: 'plain' })}</div></form>`
}

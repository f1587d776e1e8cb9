import { mayDo } from '../../../domain/bots/bot-rights.ts'
import type { BotState, BotStatus } from '../../../domain/bots/bot-status.ts'
import type { StatusNotice } from '../../../domain/bots/status-notice.ts'
import { button, buttonRow } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { copyField } from '../../../http/components/copy-field.ts'
import { choices, textField } from '../../../http/components/field.ts'
import { state } from '../../../http/components/notice.ts'
import { statusSnippetSample } from '../../../http/components/status-snippets.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from './bot-frame.ts'
import { doneNotice } from './done-notice.ts'
import { locationWords, stateInWord, stateWords } from './state-words.ts'

export interface BotView extends BotPageView {
  status: BotStatus
  state: BotState
  /** The notice on the status page, and when it was set. */
  stored: StatusNotice | undefined
  /** What stands in the form for it. */
  notice: string
  errors: readonly FormError[]
  done: unknown
  baseUrl: string
}

/** A bot at a glance, its hosting, and who may see how it is. */
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
  const count = (number: number | null) => (number === null ? unknown : number.toLocaleString('en-GB'))
  return section({
    id: 'state',
    title: 'State',
    about: html`<p>As of now; it follows the last heartbeat of the bot’s runtime.</p>`,
    body: html`<div class="card"><div class="stack tight">${stateInWord(is)}<p>${stateWords[is].meaning}</p></div>
<dl>
<dt>Last heartbeat</dt><dd>${reportedAt === null ? 'Never' : time(reportedAt, nowMs)}</dd>
<dt>Servers</dt><dd>${count(guildCount)}</dd>
<dt>Shards</dt><dd>${count(shardCount)}</dd>
<dt>Plan</dt><dd>${bot.plan}</dd>
<dt>Bot id</dt><dd><code>${bot.id}</code></dd>
<dt>Chat-platform id</dt><dd><code>${bot.chatPlatformId}</code></dd>
</dl></div>`,
  })
}

const unknown = html`<span class="soft">Not known</span>`

function hostingSection(view: BotView): Html {
  const { bot, person } = view
  return section({
    id: 'hosting',
    title: 'Hosting',
    about: html`<p>While it is off, runtimes leave the bot, and webhooks wait for up to 24 hours.</p>`,
    body: mayDo(view, 'switch-hosting')
      ? html`<form class="card" method="post" action="/bots/${bot.id}/hosting">
<input type="hidden" name="form_token" value="${person.formToken}">
${choices({
  name: 'hosting',
  label: 'Power',
  choose: 'one',
  chosen: [bot.hostingEnabled ? 'on' : 'off'],
  among: [
    { value: 'on', label: 'On', hint: 'Runtimes may host the bot and get its webhooks.' },
    { value: 'off', label: 'Off', hint: 'Its runtimes leave it at once.' },
  ],
})}
${choices({
  name: 'location',
  label: 'Location',
  choose: 'one',
  chosen: [bot.hostingLocation ?? ''],
  among: [
    { value: 'local', label: locationWords.local, hint: 'A runtime on a machine of your own.' },
    { value: 'cloud', label: locationWords.cloud, hint: 'A runtime that the platform keeps for you.' },
    { value: '', label: 'Not said' },
  ],
})}
${buttonRow(button({ label: 'Save hosting', tone: 'primary' }))}
</form>`
      : html`<div class="card"><dl><dt>Power</dt><dd>${bot.hostingEnabled ? 'On' : 'Off'}</dd>
<dt>Location</dt><dd>${bot.hostingLocation === null ? 'Not said' : locationWords[bot.hostingLocation]}</dd></dl></div>`,
  })
}

function publicStatusSection(view: BotView): Html {
  const { bot, person, baseUrl } = view
  const address = `${baseUrl}/botstatus/${bot.chatPlatformId}`
  return section({
    id: 'public-status',
    title: 'Public status',
    about: html`<p>A page, and the same for programs, that tells everybody whether the bot is online.</p>`,
    body: html`<div class="card">
${
  bot.publicStatus
    ? html`<div class="stack tight">${state({ tone: 'good', word: 'Public' })}<p>Everybody can see the bot’s status. <a href="${address}">Look at its page</a></p></div>
${copyField({ label: 'Status page', text: address })}
${copyField({ label: 'Status for programs (JSON)', text: `${address}/api` })}
${statusSnippetSample({ baseUrl, chatPlatformId: bot.chatPlatformId, botName: bot.name })}`
    : html`<div class="stack tight">${state({ tone: 'neutral', word: 'Not public' })}<p>To everybody else the bot’s status does not exist.</p></div>`
}
${
  mayDo(view, 'change-status-page') &&
  html`<form method="post" action="/bots/${bot.id}/public-status"><input type="hidden" name="form_token" value="${person.formToken}">
<div class="buttons">${
    bot.publicStatus
      ? html`${button({ label: 'Close the status', tone: 'plain', name: 'public', value: 'no' })}<span class="soft small">Its page and its badge stop working within a second.</span>`
      : html`${button({ label: 'Make the status public', tone: 'plain', name: 'public', value: 'yes' })}<span class="soft small">Its name, picture, state and counts can be seen by everybody.</span>`
  }</div></form>`
}
</div>${noticeForm(view)}`,
  })
}

/** A line on the status page; to those who may not change it, as it stands. */
function noticeForm(view: BotView): Html | false {
  const { bot, person, notice, errors, stored, nowMs } = view
  if (!mayDo(view, 'change-status-page')) {
    return stored !== undefined && html`<div class="card"><h3>Notice</h3><p>${stored.text}</p></div>`
  }
  return html`<form class="card" method="post" action="/bots/${bot.id}/notice" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${textField({
  name: 'notice',
  label: 'Notice on the status page',
  hint: html`One line, such as planned maintenance. Empty removes it.${stored !== undefined && html` Set ${time(stored.setAtMs, nowMs)}.`}`,
  autocomplete: 'off',
  value: notice,
  error: errors.map(({ message }) => message),
  autofocus: errors.length > 0,
})}
<div class="buttons">${button({ label: 'Save notice', tone: 'plain' })}</div></form>`
}

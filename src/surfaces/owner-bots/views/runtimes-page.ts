import type { RuntimeRecord } from '../../../domain/bots/runtime.ts'
import { button, buttonRow } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { copyField } from '../../../http/components/copy-field.ts'
import { choices, textField } from '../../../http/components/field.ts'
import { notice } from '../../../http/components/notice.ts'
import { secretReveal } from '../../../http/components/secret-reveal.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from './bot-frame.ts'
import { doneNotice } from './done-notice.ts'

export interface RuntimesView extends BotPageView {
  runtimes: readonly RuntimeRecord[]
  errors: readonly FormError[]
  name: string
  hosts: 'this' | 'all'
  /** A key made by this very request. */
  clearTextKey: string | undefined
  done: unknown
  apiUrl: string
}

export function runtimesPage(view: RuntimesView): Html {
  const { bot, runtimes, errors, clearTextKey, done, apiUrl } = view
  const ofForm = errors.filter(({ field }) => field === undefined)
  return botPartPage(view, {
    part: 'runtimes',
    canonical: `/bots/${bot.id}/runtimes`,
    shownOnce: clearTextKey !== undefined,
    done: clearTextKey === undefined && doneNotice(done),
    body: html`${ofForm.map(({ message }) => notice({ tone: 'bad', body: message }))}
${clearTextKey !== undefined && keyOnce(clearTextKey)}
${section({
  id: 'runtimes',
  title: 'Runtimes',
  about: html`<p>A runtime is a program that runs your bot and does its webhooks. It connects with its key.</p>`,
  body: html`${
    runtimes.length === 0
      ? html`<p>No runtime of yours may host this bot yet. The platform may host it with its own.</p>`
      : runtimes.map((runtime) => runtimeCard(runtime, view))
  }
<div class="card">${copyField({ label: 'Address for runtimes', text: `${apiUrl.replace(/^http/, 'ws')}/runtime` })}</div>`,
})}
${newSection(view)}`,
  })
}

function keyOnce(clearText: string): Html {
  return secretReveal({
    title: 'The runtime has a new key',
    label: 'Runtime key',
    clearText,
    testId: 'runtime-key',
    explain: html`<p>Copy it to the settings of your program now: <strong>it is shown this once</strong>, and nobody can show it again. If it is lost, replace it.</p>`,
  })
}

function runtimeCard({ id, name, botIds, createdAtMs, keys }: RuntimeRecord, { bot, nowMs }: RuntimesView): Html {
  const address = `/bots/${bot.id}/runtimes/${id}`
  const named = html`<span class="hidden-visually"> of ${name}</span>`
  const hosts = botIds === null ? 'All your bots' : botIds.length === 1 ? 'This bot' : `${botIds.length} of your bots`
  return html`<section class="card" aria-labelledby="runtime-${id}"><h3 id="runtime-${id}">${name}</h3>
<dl><dt>Hosts</dt><dd>${hosts}</dd><dt>Made</dt><dd>${time(createdAtMs, nowMs)}</dd>
${keys.map(
  ({ number, lastFour, lastUsedAtMs, endsAtMs }) =>
    html`<dt>Key <code>••••${lastFour}</code></dt><dd>${lastUsedAtMs === null ? 'Never used' : html`Last used ${time(lastUsedAtMs, nowMs)}`}${
      endsAtMs !== null &&
      html`, ends ${time(endsAtMs, nowMs)}. <a href="${address}/keys/${number}/end">End it now<span class="hidden-visually"> the key ${lastFour}</span></a>`
    }</dd>`,
)}</dl>
<div class="buttons"><a class="button plain small" href="${address}/key">Replace the key${named}</a><a class="button dangerous small" href="${address}/removal">Remove<span class="hidden-visually"> ${name}</span></a></div>
</section>`
}

function newSection({ bot, person, errors, name, hosts }: RuntimesView): Html {
  return section({
    id: 'new',
    title: 'Add a runtime',
    about: html`<p>One for each place where your program runs. You get its key, once.</p>`,
    body: html`<form class="card" method="post" action="/bots/${bot.id}/runtimes" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${textField({
  name: 'name',
  label: 'Name',
  hint: 'By which you tell it from others, such as the machine it runs on.',
  autocomplete: 'off',
  value: name,
  error: errors.filter(({ field }) => field === 'name').map(({ message }) => message),
  autofocus: errors.some(({ field }) => field === 'name'),
})}
${choices({
  name: 'hosts',
  label: 'May host',
  choose: 'one',
  chosen: [hosts],
  among: [
    { value: 'this', label: html`Only ${bot.name}` },
    { value: 'all', label: 'All bots that you own, also those of later' },
  ],
})}
${buttonRow(button({ label: 'Add runtime', tone: 'primary' }))}
</form>`,
  })
}

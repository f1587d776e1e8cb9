import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { choices, textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secret-reveal.ts'
import { secretTable } from '../../../pages/components/secret-table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { secretTableWords } from '../../../pages/words/secret-table.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { doneNotice } from '../done-notice.ts'
import { listedKey } from '../listed-key.ts'
import { runtimeWords as words } from './words.ts'

export interface RuntimesView extends BotPageView {
  runtimes: readonly RuntimeRecord[]
  errors: readonly FormError[]
  name: string
  hosts: 'this' | 'all'
  /** The key created by this request. */
  clearTextKey: string | undefined
  done: string | undefined
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
${clearTextKey !== undefined && newKeyReveal(clearTextKey)}
${section({
  id: 'runtimes',
  title: words.title,
  about: html`<p>${words.about}</p>`,
  body: html`${
    runtimes.length === 0 ? html`<p>${words.none}</p>` : runtimes.map((runtime) => runtimeCard(runtime, view))
  }
<div class="card">${copyField({ label: words.address, text: `${apiUrl.replace(/^http/, 'ws')}/runtime` })}</div>`,
})}
${addRuntimeSection(view)}`,
  })
}

function newKeyReveal(clearText: string): Html {
  return secretReveal({
    title: words.once.title,
    label: words.once.label,
    clearText,
    testId: 'runtime-key',
    explain: words.once.explain,
  })
}

function runtimeCard(runtime: RuntimeRecord, { bot, clearTextKey, nowMs }: RuntimesView): Html {
  const { id, name, botIds, createdAtMs, keys } = runtime
  const address = `/bots/${bot.id}/runtimes/${id}`
  return html`<section class="card" aria-labelledby="runtime-${id}"><h3 id="runtime-${id}">${name}</h3>
<dl><dt>${words.hosts}</dt><dd>${words.hostsBots(botIds?.length ?? null)}</dd><dt>${words.created}</dt><dd>${time(createdAtMs, nowMs)}</dd></dl>
${secretTable({
  caption: words.keysOf(name),
  kind: secretTableWords.key,
  secrets: keys.map((key) => ({
    ...listedKey(key, clearTextKey),
    revocation:
      key.endsAtMs === null ? { not: secretTableWords.replaceOnly } : { href: `${address}/keys/${key.number}/end` },
  })),
  nowMs,
})}
<div class="buttons"><a class="button plain small" href="${address}/key">${words.replaceKey(name)}</a><a class="button dangerous small" href="${address}/removal">${words.remove(name)}</a></div>
</section>`
}

function addRuntimeSection({ bot, person, errors, name, hosts }: RuntimesView): Html {
  return section({
    id: 'new',
    title: words.add.title,
    about: html`<p>${words.add.about}</p>`,
    body: html`<form class="card" method="post" action="/bots/${bot.id}/runtimes" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${textField({
  name: 'name',
  label: words.add.name,
  hint: words.add.nameHint,
  autocomplete: 'off',
  value: name,
  error: errors.filter(({ field }) => field === 'name').map(({ message }) => message),
  autofocus: errors.some(({ field }) => field === 'name'),
})}
${choices({
  name: 'hosts',
  label: words.add.mayHost,
  choose: 'one',
  chosen: [hosts],
  among: [
    { value: 'this', label: words.add.onlyThis(bot.name) },
    { value: 'all', label: words.add.all },
  ],
})}
${buttonRow(button({ label: words.add.submit, tone: 'primary' }))}
</form>`,
  })
}

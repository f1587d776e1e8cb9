import { button, buttonRow } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { codeSample, copyField } from '../../../pages/components/copy-field.ts'
import { choices, textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { doneNotice } from '../done-notice.ts'
import type { ShownRuntime } from './hosting-runtimes.ts'
import { platformCard, runtimeCard } from './runtime-card.ts'
import { startSamples } from './start-samples.ts'
import { runtimeWords as words } from './words.ts'

export interface RuntimesView extends BotPageView {
  runtimes: readonly ShownRuntime[]
  /** Last heartbeat from a runtime of the platform. `null` unless one is hosting the bot. */
  platformHeardAtMs: number | null
  errors: readonly FormError[]
  name: string
  hosts: 'this' | 'all'
  /** The key created by this request. */
  clearTextKey: string | undefined
  done: string | undefined
  apiUrl: string
  portalUrl: string
  /** Version of the client packages. */
  version: string
}

export function runtimesPage(view: RuntimesView): Html {
  const { bot, runtimes, platformHeardAtMs, nowMs, errors, clearTextKey, done, apiUrl } = view
  const ofForm = errors.filter(({ field }) => field === undefined)
  return botPartPage(view, {
    part: 'runtimes',
    canonical: `/bots/${bot.id}/runtimes`,
    shownOnce: clearTextKey !== undefined,
    done: clearTextKey === undefined && doneNotice(done),
    body: html`${ofForm.map(({ message }) => notice({ tone: 'bad', body: message }))}
${clearTextKey !== undefined && newKeyReveal(view, clearTextKey)}
${section({
  id: 'runtimes',
  title: words.title,
  about: html`<p>${words.about}</p>`,
  body: html`${
    platformHeardAtMs !== null && platformCard(platformHeardAtMs, nowMs)
  }${runtimes.length === 0 && platformHeardAtMs === null && html`<p>${words.none}</p>`}${runtimes.map((runtime) => runtimeCard(runtime, view))}
<div class="card">${copyField({ label: words.address, text: `${apiUrl.replace(/^http/, 'ws')}/runtime` })}
${clearTextKey === undefined && html`<details class="reveal"><summary>${words.start.title}</summary>${startSample(view, 'svc_rk_…')}</details>`}</div>`,
})}
${clearTextKey === undefined && addRuntimeSection(view)}`,
  })
}

/** Renders the new key, with commands that use it. */
function newKeyReveal(view: RuntimesView, clearText: string): Html {
  return html`${secretReveal({
    title: words.once.title,
    label: words.once.label,
    clearText,
    testId: 'runtime-key',
    explain: words.once.explain,
  })}
<section class="card compact" aria-labelledby="start"><div class="stack tight"><h2 id="start">${words.start.title}</h2><p>${words.start.about}</p></div>
${startSample(view, clearText)}</section>`
}

function startSample({ bot, apiUrl, portalUrl, version }: RuntimesView, key: string): Html {
  return html`${codeSample({
    name: 'start',
    title: words.start.title,
    samples: startSamples({ apiUrl, portalUrl, version, botId: bot.id, key }),
  })}
<p class="soft small">${words.start.listen} ${words.start.packages(`${portalUrl}/packages`)}</p>`
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

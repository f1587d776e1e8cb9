import * as limits from '../../../domain/limits/limits.ts'
import { button, postForm } from '../../../pages/components/button.ts'
import { selectField, textField } from '../../../pages/components/field.ts'
import { bytesWords, countWords, exactTime } from '../../../pages/components/figures.ts'
import { folded } from '../../../pages/components/list.ts'
import { notice } from '../../../pages/components/notice.ts'
import { copyBlock, copyField } from '../../../pages/components/secrets.ts'
import { doneWith } from '../../../pages/flash.ts'
import { type Html, html, plural, type Text, t, type Words } from '../../../pages/html.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { webhookAddress } from '../flows/flows-page.ts'
import { curlSample } from '../flows/samples.ts'
import type { ListData } from './delivery-data.ts'
import { cut, isEmpty, type ListView, liveParts, liveStatus } from './list-parts.ts'
import { isFiltered, isLive, listField, queryText, sinceWords } from './list-query.ts'

interface DeliveriesView extends BotPageView, ListData {
  fault: Text | undefined
}

export function deliveriesPage(view: DeliveriesView): Html {
  const { query, fault } = view
  return botPartPage(view, {
    part: 'deliveries',
    styles: ['deliveries.css'],
    modules: eventsUrl(view) === undefined ? ['deliveries.js'] : ['live.js', 'deliveries.js'],
    canonical: `/bots/${view.bot.id}/deliveries${queryText(query, { before: query.before })}`,
    body: html`${fault !== undefined && notice({ tone: 'bad', body: fault })}
${isEmpty(view) && firstWebhook(view)}
<div class="card spread" data-live="chart">${liveParts.chart(view)}</div>
<nav class="chips spread" aria-label="${t`Filter by state`}" data-live="chips">${liveParts.chips(view)}</nav>
<div class="filters-of-list spread">${folded(filterForm(view), isFiltered({ ...query, state: undefined, cause: undefined }))}</div>
<section class="stack tight spread" aria-labelledby="dead-letters" data-live="causes">${liveParts.causes(view)}</section>
<div class="spread">${listForm(view)}</div>
${pagination(view)}`,
  })
}

/** Renders what to do before the first webhook has arrived: the URL and a command. Styles hide it once one has. */
function firstWebhook({ bot, flows, refused, apiUrl }: DeliveriesView): Html {
  const flow = flows.find(({ webhook }) => webhook !== null)
  const address = flow?.webhook && webhookAddress(apiUrl, bot.id, flow.webhook.path)
  const command = flow?.webhook && address && curlSample(address, flow.webhook)
  const see =
    refused !== undefined &&
    refused > 0 &&
    html`<a href="/bots/${bot.id}/deliveries/refused">${t`Refused webhooks`}</a>`
  return html`<div class="card first-webhook"><h2>${t`No webhooks yet`}</h2>
${
  flow === undefined
    ? html`<p>${t.html`None of the bot’s <a href="/bots/${bot.id}/flows">flows</a> listens for webhooks.`}</p>`
    : html`<p>${t.html`Webhooks appear here with their attempts and results. Send the first one to the flow <a href="/bots/${bot.id}/flows/${flow.id}">${flow.name}</a>. Its page has the keys, and a test without them.`}</p>`
}
${address && copyField({ label: t`Webhook URL`, text: address })}
${command && copyBlock({ label: t`From a terminal`, text: command })}
${see && html`<p>${see}</p>`}</div>`
}

/** Returns the URL of the list's live updates, or `undefined` if the list isn't live. */
function eventsUrl({ bot, query }: ListView): string | undefined {
  return isLive(query) ? `/bots/${bot.id}/deliveries/live${queryText(query)}` : undefined
}

/** Hidden by the script, which takes the time in the browser's time zone. */
const inUtc = html`<span data-utc-only>(UTC)</span>`

const flowsToChoose = 50

function filterForm({ bot, flows, query, may }: DeliveriesView): Html {
  const { flowId, cause, since, state, from, until, search } = query
  const listening = flows.filter(({ webhook, id }) => webhook !== null || id === flowId).slice(0, flowsToChoose)
  const address = `/bots/${bot.id}/deliveries`
  const minute = (name: string, label: Words, value: string | undefined) =>
    html`<div class="field"><label for="${name}">${label}</label><input type="datetime-local" id="${name}" name="${name}" value="${value ?? ''}"></div>`
  return html`<form class="filter webhooks" method="get" action="${address}">${state !== undefined && html`<input type="hidden" name="state" value="${state}">`}${cause !== undefined && html`<input type="hidden" name="cause" value="${cause}">`}
${textField({ name: 'q', label: may.open ? t`Event ID or text in the body` : t`Event ID`, value: search, autocomplete: 'off' })}
${selectField({
  name: 'flow',
  label: t`Flow`,
  value: flowId ?? '',
  options: [{ value: '', label: t`All` }, ...listening.map(({ id, name }) => ({ value: id, label: cut(name, 20) }))],
})}
${selectField({
  name: 'since',
  label: t`Received`,
  value: since,
  options: Object.entries(sinceWords).map(([value, label]) => ({ value, label })),
})}
<div class="buttons">${button({ label: t`Apply filter`, tone: 'plain' })}</div>
<details class="reveal"${(from !== undefined || until !== undefined) && html` open`}><summary class="small">${t`Custom range`}</summary><div class="range">${minute('from', t`From ${inUtc}`, from)}${minute('until', t`To ${inUtc}`, until)}</div></details></form>`
}

function listForm(view: DeliveriesView): Html {
  const { bot, may, query } = view
  const list = html`<div class="stack tight" data-live="rows">${liveParts.rows(view)}</div>`
  if (!may.replay) return list
  return postForm({ action: `/bots/${bot.id}/deliveries/selection` }, listField(query), list)
}

function pagination(view: DeliveriesView): Html {
  const { bot, query, events, searched } = view
  const address = `/bots/${bot.id}/deliveries`
  const exports = (['csv', 'ndjson'] as const).map(
    (form) =>
      html` <a href="${address}/export.${form}${queryText(query)}" title="${t`Exports contain up to ${countWords(limits.eventsExportedMax)} webhooks, without their bodies.`}" download>${form.toUpperCase()}</a>`,
  )
  return html`${searched && searchedNote(searched)}
<div class="head-row spread"><div class="buttons pager" data-live="pager">${liveParts.pager(view)}</div>
<p class="soft small">${liveStatus(eventsUrl(view))}${query.search === '' && events.length > 0 && html` · ${t`Export:`}${exports}`}</p></div>`
}

function searchedNote({ examined, backToMs, next }: NonNullable<ListData['searched']>): Html {
  const number = countWords(examined)
  const far =
    next === undefined
      ? plural(
          examined,
          t`Searched all ${number} webhook that match this filter.`,
          t`Searched all ${number} webhooks that match this filter.`,
        )
      : backToMs === undefined
        ? t`Searched ${webhooksWords(examined)}.`
        : t`Searched ${webhooksWords(examined)}, back to ${exactTime(backToMs)}.`
  return html`<p class="soft small">${far} ${t`The search covers the first ${bytesWords(limits.searchedPerRequest.bytesPerBody)} of each body.`}</p>`
}

export const webhooksWords = (count: number): Words =>
  plural(count, t`${countWords(count)} webhook`, t`${countWords(count)} webhooks`)
export const replayedWords = (count: number): Words => t`${webhooksWords(count)} replayed.`

export const selectionDone = {
  replay: doneWith((replayed = 0, skipped = 0) =>
    selectionNotice(
      skipped,
      replayedWords(replayed),
      t`${webhooksWords(skipped)} skipped: only delivered webhooks and dead letters can be replayed.`,
    ),
  ),
  discard: doneWith((discarded = 0, skipped = 0) =>
    selectionNotice(
      skipped,
      t`${webhooksWords(discarded)} discarded.`,
      t`${webhooksWords(skipped)} skipped: only waiting webhooks and dead letters can be discarded.`,
    ),
  ),
}

function selectionNotice(skipped: number, said: Words, left: Words): Html {
  return notice({
    tone: skipped === 0 ? 'good' : 'warn',
    body: html`<p>${said}</p>${skipped !== 0 && html`<p>${left}</p>`}`,
  })
}
